/** The value of a request's cookie; `undefined` when it was sent not at all or several times. */
export function cookieOf(request: Request, name: string): string | undefined {
  const [found, ...others] = cookiesOf(request).filter(([own]) => own === name);
  return others.length === 0 ? found?.[1] || undefined : undefined;
}

/** The names of a request's cookies with this prefix, in the browser's order: oldest first. */
export function cookieNames(request: Request, prefix: string): string[] {
  return cookiesOf(request)
    .map(([name]) => name)
    .filter((name) => name.startsWith(prefix));
}

/** A cookie that was sent twice appears twice. */
const cookiesOf = (request: Request) => [...new Bun.CookieMap(request.headers.get("cookie") ?? "")];

export interface CookieOptions {
  /** Whether the cookie is sent only over https. */
  readonly secure: boolean;
  /** 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
  /** The paths that receive the cookie; by default all. */
  readonly path?: string;
}

/** A `Set-Cookie` header; scripts cannot read the cookie, and other sites' forms do not send it. */
export function setCookie(
  name: string,
  value: string,
  { secure, maxAgeSeconds: maxAge, path = "/" }: CookieOptions,
): string {
  const kept = { name, value, path, maxAge, secure, httpOnly: true, sameSite: "lax" } as const;
  return new Bun.Cookie(kept).toString();
}
