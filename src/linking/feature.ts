import { pagesOf } from "../html/page.ts";
import { type Feature, get, once, post } from "../http/feature.ts";
import type { ConnectDeps } from "./connect.ts";
import type { LinkingFlow, LinkingFlowDeps } from "./linking.ts";

export interface LinkingFeatureDeps
  extends Omit<ConnectDeps, "accounts" | "flow">, Omit<LinkingFlowDeps, "accounts"> {
  readonly accounts: ConnectDeps["accounts"] & LinkingFlowDeps["accounts"];
}

export interface LinkingFeature extends Feature {
  /** Loads what sends browsers to an upstream. */
  readonly flow: () => Promise<LinkingFlow>;
}

/** Linking an account of an upstream in the browser, which is loaded on first use. */
export function createLinkingFeature(deps: LinkingFeatureDeps): LinkingFeature {
  const flow = once(async () => (await import("./linking.ts")).createLinkingFlow(deps));
  const page = pagesOf(
    once(async () => (await import("./connect.ts")).createConnect({ ...deps, flow })),
  );
  return {
    flow,
    routes: [
      get("/:lang/connect/:source/:secret", page("show")),
      post("/:lang/connect/:source/:secret", page("enterApp")),
      get("/:lang/connect/:source/:secret/start", page("start")),
      get("/callback/:source", async (context) => (await flow()).callback(context)),
    ],
  };
}
