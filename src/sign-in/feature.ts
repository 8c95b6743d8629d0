import { inLanguage } from "../html/page.ts";
import { type Feature, get, post } from "../http/feature.ts";
import { createSignIn, type SignInDeps } from "./sign-in.tsx";

/** Links that sign in and work once, and signing in with an upstream. */
export function createSignInFeature(deps: SignInDeps): Feature {
  const signIn = createSignIn(deps);
  return {
    routes: [
      get("/:lang/sign-in", inLanguage(signIn.ask)),
      get("/:lang/sign-in/with/:source", inLanguage(signIn.withSource)),
      get("/:lang/sign-in/:secret", inLanguage(signIn.confirm)),
      post("/:lang/sign-in/:secret", inLanguage(signIn.enter)),
    ],
  };
}
