import { Elysia, NotFoundError } from "elysia";
import { isLanguage } from "../languages.ts";
import type { RouteContext } from "./route-context.ts";

/** A secret in the address or in the request, which the handler of the route looks at itself. */
type HandlersOwn = "widget token" | "show token" | "link" | "inbox secret" | "metrics token";

/**
 * What routes say of who may use them. Each says one of `open`, `secret`, or what a feature's own guard
 * has, such as `key` and `session`.
 */
export const guards = new Elysia({ name: "guards" }).macro({
  /** For everybody. */
  open: { detail: { security: [] } },
  /** For who knows a secret, which the route's handler checks. */
  secret: (name: HandlersOwn) => ({ detail: { security: [{ [name]: [] }] } }),
  /** Below `/:lang`, which matches other words too. Gives handlers the language. */
  language: {
    resolve({ params }: { params: RouteContext["params"] }) {
      const { lang = "" } = params;
      if (!isLanguage(lang)) throw new NotFoundError();
      return { language: lang };
    },
  },
});
