import type { Session } from "../accounts/sessions.ts";

/** Proves that a form was sent from a page of the same session. */
export interface FormTokens {
  issue(session: Pick<Session, "id">): string;
  isValid(session: Pick<Session, "id">, token: unknown): boolean;
}

/** @param secret signs the tokens; it never leaves the server */
export function createFormTokens(secret: string): FormTokens {
  return {
    issue: ({ id }) => Bun.CSRF.generate(secret, { sessionId: id }),
    isValid: ({ id }, token) =>
      // Bun throws on an empty token instead of returning false.
      typeof token === "string" &&
      token !== "" &&
      Bun.CSRF.verify(token, { secret, sessionId: id }),
  };
}
