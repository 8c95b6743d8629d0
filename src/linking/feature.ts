import { inLanguage } from "../html/page.ts";
import { type Feature, get, post } from "../http/feature.ts";
import { type ConnectDeps, createConnect } from "./connect.ts";

/** Linking an account of an upstream in the browser. */
export function createLinkingFeature(deps: ConnectDeps): Feature {
  const connect = createConnect(deps);
  return {
    routes: [
      get("/:lang/connect/:source/:secret", inLanguage(connect.show)),
      post("/:lang/connect/:source/:secret", inLanguage(connect.enterApp)),
      get("/:lang/connect/:source/:secret/start", inLanguage(connect.start)),
      get("/callback/:source", deps.linkingFlow.callback),
    ],
  };
}
