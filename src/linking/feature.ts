import { Elysia } from "elysia";
import type { Parts } from "../http/parts.ts";
import type { Feature } from "../http/plugin.ts";
import { pagesOf } from "../html/page.ts";
import { guards } from "../http/guards.ts";
import { found } from "../http/turned-away.ts";
import { once } from "../once.ts";
import type { LinkingFlow } from "./linking.ts";

export interface LinkingFeature extends Feature {
  /** Loads what sends browsers to an upstream. */
  readonly flow: () => Promise<LinkingFlow>;
}

/** Linking an account of an upstream in the browser, which is loaded on first use. */
export function createLinkingFeature(deps: Parts): LinkingFeature {
  const flow = once(async () => (await import("./linking.ts")).createLinkingFlow(deps));
  const page = pagesOf(
    once(async () => (await import("./connect.ts")).createConnect({ ...deps, flow })),
  );
  const plugin = new Elysia({ name: "linking" })
    .use(guards)
    .get("/:lang/connect/:source/:secret", page("show"), { secret: "link", language: true })
    .post("/:lang/connect/:source/:secret", page("enterApp"), {
      secret: "link",
      language: true,
      parse: "none",
    })
    .get("/:lang/connect/:source/:secret/start", page("start"), { secret: "link", language: true })
    .get(
      "/callback/:source",
      async ({ request, params }) => found(await (await flow()).callback({ request, params })),
      { secret: "link" },
    );
  return { flow, plugin };
}
