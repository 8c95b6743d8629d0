import { pageAddress } from "../addresses.ts";
import { parseMagicLinkSecret } from "../accounts/credential.ts";
import { SIGN_IN_PURPOSE } from "../accounts/magic-links.ts";
import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { Html } from "../jsx.ts";
import { isLinked } from "../sources/source.ts";
import { elsewherePage } from "../html/elsewhere.ts";
import { Document, htmlResponse } from "../html/html.tsx";
import { endedPage } from "../linking/answer-pages.ts";
import type { LinkingFlow } from "../linking/linking.ts";
import type { Pages } from "../html/page.ts";
import type { Parts } from "../http/parts.ts";
import { publicCommand } from "../typed-command.ts";
import { Hint, Lead, LinkButton, Submit, Titled } from "../html/parts.tsx";

export interface SignInDeps extends Parts {
  /** Loads what sends browsers to an upstream. */
  readonly linkingFlow: () => Promise<LinkingFlow>;
}

type SignInPage = "ask" | "withSource" | "confirm" | "enter";

export function createSignIn(deps: SignInDeps): Pages<SignInPage> {
  const { accounts, sources, linkingFlow, sessionCookie, basePath } = deps;
  const ended = (language: Language) =>
    endedPage(language, basePath, {
      path: pageAddress(basePath, language, "sign-in"),
      label: languages[language].signIn.how,
    });
  return {
    /** The ways to sign in. */
    async ask(language) {
      const offered = sources.all.filter(({ oauth }) => oauth?.app() !== undefined);
      const { signIn } = languages[language];
      const page = (
        <Document language={language} title={signIn.askTitle} path="sign-in" basePath={basePath}>
          <h1 safe>{signIn.askTitle}</h1>
          <Lead text={signIn.askText} />
          <Titled title={signIn.linkTitle}>
            <p safe>{signIn.linkText}</p>
            <code safe>{`${publicCommand()} login USER`}</code>
            <Hint text={signIn.ownText} />
          </Titled>
          {offered.map(({ id, name }) => (
            <Titled title={fill(signIn.withTitle, { source: name })}>
              <p safe>{fill(signIn.withText, { source: name })}</p>
              <p class="actions">
                <LinkButton
                  label={fill(signIn.withTitle, { source: name })}
                  href={pageAddress(basePath, language, `sign-in/with/${id}`)}
                  isMain
                />
              </p>
            </Titled>
          ))}
        </Document>
      );
      return htmlResponse(page);
    },

    /** Asks for one click; opening the magic link does not use it. */
    async confirm(language, { params }) {
      const secret = parseMagicLinkSecret(params["secret"] ?? "");
      const user = secret && accounts.magicLinks.userOf(secret, SIGN_IN_PURPOSE);
      if (!secret || !user) return ended(language);
      const { signIn } = languages[language];
      const title = fill(signIn.confirmTitle, { user: user.name });
      const path = `sign-in/${secret}`;
      const page = (
        <Document language={language} title={title} path={path} basePath={basePath}>
          <h1 safe>{title}</h1>
          <Lead text={signIn.confirmText} />
          <form method="post" action={pageAddress(basePath, language, path)}>
            <Submit label={signIn.confirm} autofocus />
          </form>
        </Document>
      );
      return htmlResponse(page, { hasForm: true });
    },

    /** Signs the user in. */
    async enter(language, { request, params }) {
      const elsewhere = elsewherePage(request, language, deps);
      if (elsewhere) return elsewhere;
      const secret = parseMagicLinkSecret(params["secret"] ?? "");
      // A page of another site must not sign a user in as someone else.
      const isOurs = deps.isFromOwnPage(request);
      const user = secret && isOurs && accounts.magicLinks.use(secret, SIGN_IN_PURPOSE);
      return user ? sessionCookie.signIn(request, user, language) : ended(language);
    },

    /** Redirects to an upstream to sign in. */
    async withSource(language, { request, params }) {
      const source = sources.byId(params["source"] ?? "");
      if (!source || !isLinked(source) || !source.oauth.app()) return undefined;
      const flow = await linkingFlow();
      return flow.start(request, language, source, { kind: "signIn" });
    },
  };
}
