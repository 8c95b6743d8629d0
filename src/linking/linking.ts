import { Refused } from "../i18n/refused.ts";
import { connectPurpose } from "../accounts/magic-links.ts";
import type { User } from "../accounts/users.ts";
import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { describeError } from "../log.ts";
import type { Connection } from "../music/connection-reads.ts";
import { cardId, rowQuery } from "../music/connection-row.ts";
import { musicOf, noteAccounts } from "../sources/connected-music.ts";
import { isLinked, type LinkedSource, LinkFailure, type Source } from "../sources/source.ts";
import {
  createPendingAuthorizations,
  type OAuthIntent,
  type PendingAuthorization,
} from "./pending-authorizations.ts";
import { endedPage, failedPage, linkedPage, lostPage, unknownPage } from "./answer-pages.ts";
import { createNotices, type Notice } from "../html/notices.ts";
import { pathTo } from "../html/section-paths.ts";
import { createGuesses } from "../http/guess-limit.ts";
import type { RouteContext } from "../http/route-context.ts";
import { redirect } from "../http/redirect.ts";
import type { Parts } from "../http/parts.ts";

/** OAuth linking: sends a browser to an upstream, and handles its return. */
export type LinkingFlow = ReturnType<typeof createLinkingFlow>;

/** Marks in a query that the browser was sent to the base URL already. */
const SENT_TO_BASE_URL = "here";

export function createLinkingFlow(deps: Parts) {
  const { accounts, sources, sessionCookie, log, baseUrl, basePath } = deps;
  const notices = createNotices(deps);
  const attempts = createPendingAuthorizations(deps);
  const signIns = createGuesses(deps);

  const connect = async (user: User, source: Source, settings: unknown, name: string) => {
    try {
      const connection = await accounts.connections.connect(user, source.id, settings, name);
      log.info("an account was linked", { user: user.name, source: source.id });
      return connection;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      throw new LinkFailure("tooMany", error.message, { cause: error });
    }
  };

  const fulfil = async (
    request: Request,
    { intent, language }: PendingAuthorization,
    source: Source,
    settings: unknown,
  ): Promise<Response> => {
    switch (intent.kind) {
      case "connect": {
        const { magicLinks } = accounts;
        const name = magicLinks.detailOf(intent.secret, connectPurpose(source.id));
        const user = magicLinks.use(intent.secret, connectPurpose(source.id));
        if (!user) return endedPage(language, basePath);
        await connect(user, source, settings, name);
        return linkedPage(basePath, language, source, settings);
      }
      case "dashboard": {
        const signedIn = await sessionCookie.signedIn(request);
        if (signedIn?.user.id !== intent.userId) return lostPage(basePath, request, source);
        const connection = await connect(signedIn.user, source, settings, intent.name);
        const target = { section: "music", basePath, language } as const;
        const notice = connectedNotice(language, source, connection);
        const sent = notices.send(signedIn, target, notice);
        return sent ?? redirect(pathTo(target, "music"), 303);
      }
      case "signIn": {
        const user = await userWithAccount(deps, source, settings);
        if (user) return sessionCookie.signIn(request, user, language);
        return unknownPage(basePath, language, source);
      }
    }
  };

  /** Whether a network has asked for too many sign-ins: each asks the upstream with the app's id. */
  const isLimited = (request: Request, { intent }: PendingAuthorization): boolean =>
    intent.kind === "signIn" && signIns.count(request) !== undefined;

  const finish = async (
    request: Request,
    link: PendingAuthorization,
    source: LinkedSource,
    answer: URLSearchParams,
  ): Promise<Response> => {
    if (isLimited(request, link)) {
      return failedPage(basePath, link, source, new LinkFailure("limited", "too many sign-ins"));
    }
    try {
      const settings = await source.oauth.finish(link.attempt, answer);
      return await fulfil(request, link, source, settings);
    } catch (error) {
      if (!(error instanceof LinkFailure)) throw error;
      log.warn("an account could not be linked", {
        source: source.id,
        reason: describeError(error),
      });
      return failedPage(basePath, link, source, error);
    }
  };

  return {
    /** Redirects to the upstream. */
    async start(request: Request, language: Language, source: LinkedSource, intent: OAuthIntent) {
      const { oauth } = source;
      // The upstream redirects to the base URL, where browsers send no cookie of another host name.
      // Asked once: behind a proxy the name may be another although the browser is there.
      const asked = new URL(request.url);
      const isThere = asked.hostname === new URL(baseUrl).hostname;
      if (!isThere && !asked.searchParams.has(SENT_TO_BASE_URL)) {
        asked.searchParams.set(SENT_TO_BASE_URL, "1");
        return redirect(baseUrl + asked.pathname + asked.search, 303);
      }
      const { url, ...attempt } = await oauth.begin(baseUrl + oauth.callbackPath);
      const pending = { source: source.id, intent, language, attempt };
      const response = redirect(url, 302);
      for (const cookie of attempts.begin(request, pending)) {
        response.headers.append("Set-Cookie", cookie);
      }
      return response;
    },

    /** `GET /callback/{source}`: the browser returns from the upstream. */
    async callback({ request, params }: RouteContext) {
      const source = sources.byId(params["source"] ?? "");
      if (!source || !isLinked(source)) return undefined;
      const answer = new URL(request.url).searchParams;
      const state = answer.get("state") ?? "";
      const link = attempts.claim(request, state);
      if (link?.source !== source.id) return lostPage(basePath, request, source);
      const response = await finish(request, link, source, answer);
      response.headers.append("Set-Cookie", attempts.end(state));
      return response;
    },
  };
}

/** What is said in the connection's row on the page of the user's music. */
const connectedNotice = (
  language: Language,
  { name }: Pick<Source, "name">,
  connection: Connection,
): Notice => ({
  tone: "good",
  text: fill(languages[language].dashboard.music.connected, { source: name }),
  at: rowQuery(connection),
  anchor: cardId(connection),
});

/** The user who has linked the account that was just authorized. */
async function userWithAccount(
  { accounts, sources }: Parts,
  source: Source,
  settings: unknown,
): Promise<User | undefined> {
  const { id } = source.open(settings).account;
  if (id == null) return undefined;
  await noteAccounts(source, accounts);
  for (const user of accounts.connections.usersOf(source.id, id)) {
    const music = musicOf(user.id, accounts, sources);
    const hasIt = music.some(
      (one) => one.source === source && one.stored.usable && one.account.id === id,
    );
    if (hasIt) return user;
  }
  return undefined;
}
