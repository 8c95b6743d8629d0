import { pagesOf } from "../html/page.ts";
import { type Feature, get, once, post } from "../http/feature.ts";
import type { SignInDeps } from "./sign-in.tsx";

/** Links that sign in and work once, and signing in with an upstream; loaded on first use. */
export function createSignInFeature(deps: SignInDeps): Feature {
  const page = pagesOf(once(async () => (await import("./sign-in.tsx")).createSignIn(deps)));
  return {
    routes: [
      get("/:lang/sign-in", page("ask")),
      get("/:lang/sign-in/with/:source", page("withSource")),
      get("/:lang/sign-in/:secret", page("confirm")),
      post("/:lang/sign-in/:secret", page("enter")),
    ],
  };
}
