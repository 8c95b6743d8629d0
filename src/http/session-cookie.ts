import type { Accounts } from "../accounts/accounts.ts";
import { parseSessionToken } from "../accounts/credential.ts";
import { SESSION_LIFETIME_MS, type Session } from "../accounts/sessions.ts";
import type { User } from "../accounts/users.ts";
import { dashboardAddress } from "../addresses.ts";
import { type Language, languageOr } from "../languages.ts";
import type { Cookies } from "./cookies.ts";
import { redirect } from "./redirect.ts";

/** A signed-in user. */
export interface SignedIn {
  readonly user: User;
  readonly session: Session;
}

/** Signs users in and out, and finds the signed-in user of a request. */
export type SessionCookie = ReturnType<typeof createSessionCookie>;

export interface SessionCookieDeps {
  readonly cookies: Pick<Cookies, "forHost">;
  /** The path of the server's base URL. */
  readonly basePath: string;
  readonly accounts: Pick<Accounts, "sessions">;
}

export function createSessionCookie({ accounts, cookies, basePath }: SessionCookieDeps) {
  const { sessions } = accounts;
  const cookie = cookies.forHost("session");

  const signedIn = async (request: Request): Promise<SignedIn | undefined> => {
    const token = parseSessionToken(cookie.of(request) ?? "");
    return token && sessions.of(token);
  };

  return {
    signedIn,
    /** Signs a browser in with a new session, and redirects it to the dashboard. */
    async signIn(request: Request, user: User, language: Language) {
      // End the previous session: anyone else who knows it must not stay signed in with the user.
      const before = await signedIn(request);
      if (before) await sessions.close(before.user, before.session.id);
      const token = sessions.open(user, request.headers.get("user-agent") ?? "");
      const own = languageOr(user.language, language);
      return redirect(dashboardAddress(basePath, own), 303, {
        "Set-Cookie": cookie.set(token, SESSION_LIFETIME_MS / 1000),
      });
    },
    /** Deletes the session cookie and redirects the browser to `path`. */
    signOut: (path: string) => redirect(path, 303, { "Set-Cookie": cookie.drop() }),
  };
}
