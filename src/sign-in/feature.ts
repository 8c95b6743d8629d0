import { Elysia } from "elysia";
import type { Feature } from "../http/plugin.ts";
import { pagesOf } from "../html/page.ts";
import { guards } from "../http/guards.ts";
import type { RouteContext } from "../http/route-context.ts";
import { negotiateLanguage } from "../languages.ts";
import { once } from "../once.ts";
import type { SignInDeps } from "./sign-in.tsx";

/** Links that sign in and work once, and signing in with an upstream; loaded on first use. */
export function createSignInFeature(deps: SignInDeps): Feature {
  const page = pagesOf(once(async () => (await import("./sign-in.tsx")).createSignIn(deps)));
  const inBrowsersLanguage = (name: "confirm" | "enter") => (context: RouteContext) =>
    page(name)({
      ...context,
      language: negotiateLanguage(context.request.headers.get("accept-language")),
    });
  const plugin = new Elysia({ name: "sign-in" })
    .use(guards)
    .get("/:lang/sign-in", page("ask"), { open: true, language: true })
    .get("/:lang/sign-in/with/:source", page("withSource"), { open: true, language: true })
    .get("/:lang/sign-in/:secret", page("confirm"), { secret: "link", language: true })
    .post("/:lang/sign-in/:secret", page("enter"), {
      secret: "link",
      language: true,
      parse: "none",
    })
    .get("/sign-in/:secret", inBrowsersLanguage("confirm"), { secret: "link" })
    .post("/sign-in/:secret", inBrowsersLanguage("enter"), { secret: "link", parse: "none" });
  return { plugin };
}
