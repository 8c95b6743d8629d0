import type { ServerPlace } from "../addresses.ts";
import { pagesOf } from "../html/page.ts";
import { type Feature, get, once } from "../http/feature.ts";

/** The home page, and the styles and scripts of all pages. They are loaded on first use. */
export function createHomeFeature(deps: ServerPlace): Feature {
  const home = once(async () => (await import("./home.tsx")).createHome(deps));
  const assets = once(() => import("../html/assets.ts"));
  return {
    routes: [
      get("/", async ({ request }) => (await home()).redirect(request)),
      get("/:lang", pagesOf<"page">(home)("page")),
      get("/assets/:file", async ({ params }) =>
        (await assets()).assetResponse(params["file"] ?? ""),
      ),
    ],
  };
}
