import type { Accounts } from "../accounts/accounts.ts";
import { type LinkSecret, parseLinkSecret } from "../accounts/credential.ts";
import { connectPurpose } from "../accounts/one-time-links.ts";
import type { User } from "../accounts/users.ts";
import type { Clock } from "../clock.ts";
import { fill, formatDay, type Language, languages, negotiateLanguage } from "../i18n/index.ts";
import { describeError, type Log } from "../log.ts";
import type { Sources } from "../sources/index.ts";
import { type AnySource, LinkFailure, type Linking } from "../sources/source.ts";
import { type EnteredApp, linkPage, messagePage } from "./connect-page.tsx";
import { cookieOf } from "./cookies.ts";
import { ATTEMPT_LIFETIME_MS, createLinkAttempts, type PendingLink } from "./link-attempts.ts";
import type { PageContext } from "./page.ts";

export interface ConnectDeps {
  readonly accounts: Pick<Accounts, "connections" | "links" | "upstreams">;
  readonly sources: Pick<Sources, "byId">;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the server is reached, without a slash at the end, and its path alone. */
  readonly baseUrl: string;
  readonly basePath: string;
  /** Whether a form comes from a page of ours. */
  isOwnOrigin(origin: string, host: string | null): boolean;
  /** A user hears something else from now on. */
  onConnected(): Promise<void>;
}

/** Linking an account in the browser, opened by a link that works once. */
export interface ConnectPages {
  /** `GET /{lang}/connect/{source}/{secret}`: what there is to do. */
  readonly show: ConnectPage;
  /** `POST` to the same: the owner enters the app. */
  readonly enterApp: ConnectPage;
  /** `GET …/start`: off to the upstream. */
  readonly start: ConnectPage;
  /** `GET /callback/{source}`: back from the upstream. */
  readonly callback: (context: PageContext) => Promise<Response | undefined>;
}

type ConnectPage = (language: Language, context: PageContext) => Promise<Response | undefined>;

/** A link that works, and what it is for. */
interface OpenLink {
  readonly user: User;
  readonly source: AnySource;
  readonly linking: Linking<unknown>;
  readonly secret: LinkSecret;
}

export function createConnect(deps: ConnectDeps): ConnectPages {
  const { accounts, sources, clock, log, baseUrl, basePath } = deps;
  const attempts = createLinkAttempts(clock);
  const secure = baseUrl.startsWith("https:");
  const cookieName = secure ? "__Host-marquee-link" : "marquee-link";

  const openLink = async ({ params }: PageContext): Promise<OpenLink | "ended" | undefined> => {
    const source = sources.byId(params["source"] ?? "");
    if (!source?.linking) return undefined;
    const secret = parseLinkSecret(params["secret"] ?? "");
    const user = secret && (await accounts.links.userOf(secret, connectPurpose(source.id)));
    return secret && user ? { user, source, linking: source.linking, secret } : "ended";
  };

  const pathOf = (language: Language, source: string, secret: string): string =>
    `${basePath}/${language}/connect/${source}/${secret}`;

  const ended = (language: Language) => {
    const { endedTitle, endedText } = languages[language].connect;
    return messagePage({ language, basePath, title: endedTitle, lead: endedText, status: 404 });
  };

  const showLink = async (language: Language, link: OpenLink, entered?: EnteredApp) => {
    const { user, source, linking, secret } = link;
    const path = pathOf(language, source.id, secret);
    return linkPage({
      language,
      basePath,
      sourceName: source.name,
      userName: user.name,
      path,
      redirectUri: baseUrl + linking.callbackPath,
      linking,
      hasApp: (await linking.app()) !== undefined,
      mayEnterApp: user.role === "owner" && !linking.appIsFixed,
      ...(entered && { entered }),
    });
  };

  const failed = (link: PendingLink, source: AnySource, failure: LinkFailure) => {
    const { language } = link;
    const { connect } = languages[language];
    const busy = failure.reason === "unreachable" || failure.reason === "limited";
    return messagePage({
      language,
      basePath,
      title: fill(connect.failedTitle, { source: source.name }),
      lead: fill(connect.failures[failure.reason], { source: source.name }),
      status: busy ? 503 : 400,
      again: { path: pathOf(language, source.id, link.secret), label: connect.tryAgain },
    });
  };

  const lost = (request: Request, source: AnySource) => {
    const language = negotiateLanguage(request.headers.get("accept-language"));
    const { connect } = languages[language];
    return messagePage({
      language,
      basePath,
      title: fill(connect.failedTitle, { source: source.name }),
      lead: connect.failures.lost,
      status: 400,
    });
  };

  const finish = async (link: PendingLink, source: AnySource, answer: URLSearchParams) => {
    const { linking } = source;
    if (!linking) return undefined;
    const settings = await linking.finish(link.attempt, answer);
    const user = await accounts.links.use(link.secret, connectPurpose(source.id));
    if (!user) return ended(link.language);
    await accounts.connections.connect(user, source.id, settings);
    await deps.onConnected();
    log.info("an account was linked", { user: user.name, source: source.id });
    return linked(link.language, source, settings);
  };

  const linked = (language: Language, source: AnySource, settings: unknown) => {
    const { connect } = languages[language];
    const { displayName, linkedUntil } = source.account(source.parseSettings(settings));
    const account = displayName ?? source.name;
    return messagePage({
      language,
      basePath,
      title: fill(connect.doneTitle, { source: source.name }),
      lead: fill(connect.doneLead, { account }),
      status: 200,
      ...(linkedUntil !== undefined && {
        note: fill(connect.doneUntil, {
          source: source.name,
          day: formatDay(language, linkedUntil),
        }),
      }),
    });
  };

  return {
    async show(language, context) {
      const link = await openLink(context);
      return link === "ended" ? ended(language) : link && showLink(language, link);
    },

    async enterApp(language, context) {
      const link = await openLink(context);
      if (link === "ended") return ended(language);
      if (!link) return undefined;
      const { request } = context;
      const origin = request.headers.get("origin") ?? "";
      if (!deps.isOwnOrigin(origin, request.headers.get("host"))) return ended(language);
      if (link.user.role !== "owner" || link.linking.appIsFixed) return showLink(language, link);
      const form = await request.formData();
      const clientId = fieldOf(form, "client_id");
      const clientSecret = fieldOf(form, "client_secret") || null;
      if (![clientId, clientSecret ?? "x"].every((text) => APP_TEXT.test(text))) {
        return showLink(language, link, { clientId });
      }
      await accounts.upstreams.enterApp(link.source.id, { clientId, clientSecret });
      return redirect(pathOf(language, link.source.id, link.secret), 303);
    },

    async start(language, context) {
      const link = await openLink(context);
      if (link === "ended") return ended(language);
      if (!link) return undefined;
      const { source, linking, secret } = link;
      const path = pathOf(language, source.id, secret);
      if (!(await linking.app())) return redirect(path, 303);
      // The upstream sends the browser back to the base URL, where a cookie of "localhost" is not seen.
      const { origin } = new URL(baseUrl);
      const asked = new URL(context.request.url);
      if (asked.hostname === "localhost" && new URL(origin).hostname !== "localhost") {
        return redirect(`${origin}${path}/start`, 303);
      }
      const attempt = await linking.begin(baseUrl + linking.callbackPath);
      const browser = cookieOf(context.request, cookieName) ?? newBrowser();
      attempts.begin(browser, { source: source.id, secret, language, attempt });
      return redirect(attempt.url, 302, {
        "Set-Cookie": [
          `${cookieName}=${browser}`,
          "Path=/",
          "HttpOnly",
          "SameSite=Lax",
          `Max-Age=${ATTEMPT_LIFETIME_MS / 1000}`,
          ...(secure ? ["Secure"] : []),
        ].join("; "),
      });
    },

    async callback(context) {
      const source = sources.byId(context.params["source"] ?? "");
      if (!source?.linking) return undefined;
      const answer = new URL(context.request.url).searchParams;
      const browser = cookieOf(context.request, cookieName);
      const link = attempts.claim(browser, answer.get("state") ?? "");
      if (link?.source !== source.id) return lost(context.request, source);
      try {
        return await finish(link, source, answer);
      } catch (error) {
        if (!(error instanceof LinkFailure)) throw error;
        log.warn("an account could not be linked", {
          source: source.id,
          reason: describeError(error),
        });
        return failed(link, source, error);
      }
    },
  };
}

/** A client ID or secret. */
const APP_TEXT = /^[0-9A-Za-z_-]{1,128}$/;

function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** 128 random bits that name a browser while it is away. */
const newBrowser = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url");

function redirect(
  location: string,
  status: 302 | 303,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(null, {
    status,
    headers: {
      Location: location,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      ...headers,
    },
  });
}
