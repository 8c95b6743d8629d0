import type { Session } from "../accounts/sessions.ts";

/** Proves that a form was sent from a page of the same session. */
export type FormTokens = ReturnType<typeof createFormTokens>;

/** @param secret signs the tokens; it never leaves the server */
export function createFormTokens(secret: string) {
  return {
    issue: ({ id }: Pick<Session, "id">) => Bun.CSRF.generate(secret, { sessionId: id }),
    isValid: ({ id }: Pick<Session, "id">, token: unknown) =>
      // Bun throws on an empty token instead of returning false.
      typeof token === "string" &&
      token !== "" &&
      Bun.CSRF.verify(token, { secret, sessionId: id }),
  };
}
