import { Elysia } from "elysia";
import type { Feature } from "../http/plugin.ts";
import { pathTo } from "../html/section-paths.ts";
import { pagesOf } from "../html/page.ts";
import { guards } from "../http/guards.ts";
import { found } from "../http/turned-away.ts";
import type { Language } from "../languages.ts";
import { once } from "../once.ts";
import type { DocsDeps, Reader } from "./docs.tsx";
import type { Parts } from "../http/parts.ts";

export type DocsFeatureDeps = Omit<DocsDeps, "readerOf"> &
  Pick<Parts, "accounts" | "sessionCookie" | "formTokens" | "budget">;

/** The documentation, which is loaded with its first reader. */
export function createDocsFeature(deps: DocsFeatureDeps): Feature {
  const { accounts, sessionCookie, formTokens, budget, basePath } = deps;
  const readerOf = async (language: Language, request: Request): Promise<Reader | undefined> => {
    const signedIn = await sessionCookie.signedIn(request);
    if (!signedIn) return undefined;
    const path = pathTo({ basePath, language }, "programs");
    return {
      keyOffer: { path, formToken: formTokens.issue(signedIn.session) },
      widgetToken: () => accounts.widgets.overlayTokenOf(signedIn.user),
      async drawn(draw) {
        const { withinBudget } = await import("../html/spent.ts");
        return withinBudget(budget, signedIn.user.id, { language, basePath }, draw);
      },
    };
  };

  const load = once(() => import("./docs.tsx"));
  const page = pagesOf(once(async () => (await load()).createDocs({ ...deps, readerOf })));
  const plugin = new Elysia({ name: "docs" })
    .use(guards)
    .get("/:lang/docs", page("index"), { open: true, language: true })
    .get("/:lang/docs/:page", page("page"), { open: true, language: true })
    .get("/:lang/docs/sources/:source", page("source"), { open: true, language: true })
    .get(
      "/docs-pictures/:file",
      async ({ params }) => found((await load()).docsPicture(params.file)),
      { open: true },
    );
  return { plugin };
}
