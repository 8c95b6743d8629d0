import { Elysia } from "elysia";
import type { Feature } from "../http/plugin.ts";
import { pagesOf } from "../html/page.ts";
import { guards } from "../http/guards.ts";
import { once } from "../once.ts";
import type { SignInDeps } from "./sign-in.tsx";

/** Links that sign in and work once, and signing in with an upstream; loaded on first use. */
export function createSignInFeature(deps: SignInDeps): Feature {
  const page = pagesOf(once(async () => (await import("./sign-in.tsx")).createSignIn(deps)));
  const plugin = new Elysia({ name: "sign-in", prefix: "/:lang/sign-in" })
    .use(guards)
    .get("", page("ask"), { open: true, language: true })
    .get("/with/:source", page("withSource"), { open: true, language: true })
    .get("/:secret", page("confirm"), { secret: "link", language: true })
    .post("/:secret", page("enter"), { secret: "link", language: true, parse: "none" });
  return { plugin };
}
