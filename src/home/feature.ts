import { Elysia } from "elysia";
import type { ServerPlace } from "../addresses.ts";
import type { Feature } from "../http/plugin.ts";
import { pagesOf } from "../html/page.ts";
import { guards } from "../http/guards.ts";
import { found } from "../http/turned-away.ts";
import { once } from "../once.ts";

/** The home page, and the styles and scripts of all pages. They are loaded on first use. */
export function createHomeFeature(deps: ServerPlace): Feature {
  const home = once(async () => (await import("./home.tsx")).createHome(deps));
  const assets = once(() => import("../html/assets.ts"));
  const plugin = new Elysia({ name: "home" })
    .use(guards)
    .get("/", async ({ request }) => (await home()).redirect(request), { open: true })
    .get("/:lang", pagesOf<"page">(home)("page"), { open: true, language: true })
    .get(
      "/assets/:file",
      async ({ params }) => found((await assets()).assetResponse(params.file)),
      { open: true },
    );
  return { plugin };
}
