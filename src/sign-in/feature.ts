import { inLanguage } from "../html/page.ts";
import { type Feature, get, once, post } from "../http/feature.ts";
import type { SignInDeps } from "./sign-in.tsx";

/** Links that sign in and work once, and signing in with an upstream; loaded on first use. */
export function createSignInFeature(deps: SignInDeps): Feature {
  const signIn = once(async () => (await import("./sign-in.tsx")).createSignIn(deps));
  return {
    routes: [
      get(
        "/:lang/sign-in",
        inLanguage(async (...call) => (await signIn()).ask(...call)),
      ),
      get(
        "/:lang/sign-in/with/:source",
        inLanguage(async (...call) => (await signIn()).withSource(...call)),
      ),
      get(
        "/:lang/sign-in/:secret",
        inLanguage(async (...call) => (await signIn()).confirm(...call)),
      ),
      post(
        "/:lang/sign-in/:secret",
        inLanguage(async (...call) => (await signIn()).enter(...call)),
      ),
    ],
  };
}
