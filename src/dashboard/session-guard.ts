import { Elysia } from "elysia";
import { createAdmitted } from "../http/admitted.ts";
import { languageIn } from "../http/guards.ts";
import { plainText } from "../http/plain-text.ts";
import { TurnedAway } from "../http/turned-away.ts";
import type { RouteContext } from "../http/route-context.ts";
import type { SignedIn } from "../http/session-cookie.ts";
import type { Language } from "../languages.ts";
import type { Parts } from "../http/parts.ts";
import { signInFirst } from "./sign-in-first.ts";

/**
 * `{ session: "page" }` lets only who is signed in to a route, and gives its handler the user and the
 * language. `"form"` says first where nobody can be signed in; `"socket"` refuses without a page.
 */
export function createSessionGuard(deps: Parts) {
  const { sessionCookie, basePath } = deps;
  const admitted = createAdmitted<{ signedIn: SignedIn; language: Language }>();

  const elsewhere = async (request: Request, language: Language) => {
    if (deps.openedElsewhere(request) === undefined) return undefined;
    const { elsewherePage } = await import("../html/elsewhere.ts");
    return elsewherePage(request, language, deps);
  };

  return new Elysia({ name: "session-guard" }).macro({
    session: (use: "page" | "form" | "socket") => ({
      detail: { security: [{ session: [] }] },
      // Before anything of the request is judged.
      async transform({ request, params }: RouteContext) {
        const language = languageIn(params);
        const page = use === "form" ? await elsewhere(request, language) : undefined;
        if (page) throw new TurnedAway(page);
        const signedIn = await sessionCookie.signedIn(request);
        if (signedIn) return admitted.note(request, { signedIn, language });
        throw new TurnedAway(
          use === "socket"
            ? plainText(401, "Sign in first")
            : await signInFirst(language, basePath),
        );
      },
      resolve({ request }: Pick<RouteContext, "request">) {
        return admitted.of(request);
      },
    }),
  });
}
