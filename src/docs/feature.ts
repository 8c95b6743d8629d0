import type { Accounts } from "../accounts/accounts.ts";
import { pathTo } from "../html/section-paths.ts";
import { inLanguage } from "../html/page.ts";
import type { FormTokens } from "../http/csrf.ts";
import { type Feature, get, once } from "../http/feature.ts";
import type { SessionCookie } from "../http/session-cookie.ts";
import type { Language } from "../languages.ts";
import type { DocsDeps, Reader } from "./docs.tsx";

export interface DocsFeatureDeps extends DocsDeps {
  readonly accounts: Pick<Accounts, "widgets">;
  readonly sessionCookie: SessionCookie;
  readonly formTokens: FormTokens;
}

/** The documentation, which is loaded with its first reader. */
export function createDocsFeature(deps: DocsFeatureDeps): Feature {
  const { accounts, sessionCookie, formTokens, basePath } = deps;
  const docs = once(async () => (await import("./docs.tsx")).createDocs(deps));

  const readerOf = async (language: Language, request: Request): Promise<Reader | undefined> => {
    const signedIn = await sessionCookie.signedIn(request);
    if (!signedIn) return undefined;
    const path = pathTo({ basePath, language }, "keys");
    return {
      keyOffer: { path, formToken: formTokens.issue(signedIn.session) },
      widgetToken: () => accounts.widgets.tokenOf(signedIn.user),
    };
  };

  return {
    routes: [
      get(
        "/:lang/docs",
        inLanguage(async (language) => (await docs()).index(language)),
      ),
      get(
        "/:lang/docs/:page",
        inLanguage(async (language, { params, request }) =>
          (await docs()).page(language, params["page"] ?? "", () => readerOf(language, request)),
        ),
      ),
      get(
        "/:lang/docs/sources/:source",
        inLanguage(async (language, { params, request }) =>
          (await docs()).source(language, params["source"] ?? "", () =>
            readerOf(language, request),
          ),
        ),
      ),
      get("/docs-pictures/:file", async ({ params }) =>
        (await docs()).picture(params["file"] ?? ""),
      ),
    ],
  };
}
