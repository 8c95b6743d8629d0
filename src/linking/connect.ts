import { type MagicLinkSecret, parseMagicLinkSecret } from "../accounts/credential.ts";
import { connectPurpose } from "../accounts/magic-links.ts";
import type { User } from "../accounts/users.ts";
import { connectAddress } from "../addresses.ts";
import type { Language } from "../languages.ts";
import { isLinked, type LinkedSource } from "../sources/source.ts";
import { fieldOf } from "../http/form-field.ts";
import { languages } from "../i18n/index.ts";
import { Refused } from "../i18n/refused.ts";
import { readApp } from "./app.ts";
import type { RefusedApp } from "./app-form.tsx";
import { linkPage } from "./connect-page.tsx";
import { endedPage } from "./answer-pages.ts";
import type { LinkingFlow } from "./linking.ts";
import { elsewherePage } from "../html/elsewhere.ts";
import type { Pages } from "../html/page.ts";
import type { RouteContext } from "../http/route-context.ts";
import { redirect } from "../http/redirect.ts";
import type { Parts } from "../http/parts.ts";

export interface ConnectDeps extends Parts {
  readonly flow: () => Promise<LinkingFlow>;
}

/** A valid magic link: whose it is, and what it connects. */
interface OpenLink {
  readonly user: User;
  readonly source: LinkedSource;
  readonly secret: MagicLinkSecret;
}

/** The pages of OAuth linking, opened by a magic link. */
export function createConnect(deps: ConnectDeps): Pages<"show" | "enterApp" | "start"> {
  const { accounts, sources, baseUrl, basePath } = deps;

  const openLink = ({ params }: RouteContext): OpenLink | "ended" | undefined => {
    const source = sources.byId(params["source"] ?? "");
    if (!source || !isLinked(source)) return undefined;
    const secret = parseMagicLinkSecret(params["secret"] ?? "");
    const user = secret && accounts.magicLinks.userOf(secret, connectPurpose(source.id));
    return secret && user ? { user, source, secret } : "ended";
  };

  const pathOf = (language: Language, { source, secret }: OpenLink): string =>
    connectAddress(basePath, language, source.id, secret);

  const showLink = async (language: Language, link: OpenLink, refused?: RefusedApp) => {
    const { user, source } = link;
    return linkPage({
      language,
      basePath,
      sourceName: source.name,
      userName: user.name,
      path: pathOf(language, link),
      redirectUri: baseUrl + source.oauth.callbackPath,
      oauth: source.oauth,
      hasApp: source.oauth.app() !== undefined,
      mayEnterApp: user.role === "owner" && !source.oauth.appIsFixed,
      ...(refused && { refused }),
    });
  };

  /** Wraps a handler: magic links that are not valid get a page that says so. */
  const withLink =
    (answer: (language: Language, link: OpenLink, context: RouteContext) => Promise<Response>) =>
    async (language: Language, context: RouteContext): Promise<Response | undefined> => {
      const link = openLink(context);
      if (link === "ended") return endedPage(language, basePath);
      return link && answer(language, link, context);
    };

  return {
    show: withLink((language, link) => showLink(language, link)),

    enterApp: withLink(async (language, link, context) => {
      const { request } = context;
      const elsewhere = elsewherePage(request, language, deps);
      if (elsewhere) return elsewhere;
      if (!deps.isFromOwnPage(request)) return endedPage(language, basePath);
      const { user, source } = link;
      if (user.role !== "owner" || source.oauth.appIsFixed) return showLink(language, link);
      const form = await request.formData().catch(() => new FormData());
      // The link may have ended while the form was on its way.
      if (openLink(context) === "ended") return endedPage(language, basePath);
      try {
        await accounts.upstreams.enterApp(source.id, readApp(form));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const { field = "" } = error;
        const text = error.text(languages[language]);
        return showLink(language, link, { clientId: fieldOf(form, "clientId"), field, text });
      }
      return redirect(pathOf(language, link), 303);
    }),

    start: withLink(async (language, link, { request }) => {
      const { source, secret } = link;
      if (!source.oauth.app()) return redirect(pathOf(language, link), 303);
      const flow = await deps.flow();
      return flow.start(request, language, source, { kind: "connect", secret });
    }),
  };
}
