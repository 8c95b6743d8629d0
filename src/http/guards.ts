import { Elysia, NotFoundError } from "elysia";
import { isLanguage, type Language } from "../languages.ts";
import type { RouteContext } from "./route-context.ts";

/** The language of a path below `/:lang`. @throws {NotFoundError} for other words */
export function languageIn({ lang = "" }: RouteContext["params"]): Language {
  if (!isLanguage(lang)) throw new NotFoundError();
  return lang;
}

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
      return { language: languageIn(params) };
    },
  },
});
