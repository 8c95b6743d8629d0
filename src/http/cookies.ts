/** The value of a cookie that a request carries; `undefined` when it has none or several. */
export function cookieOf(request: Request, name: string): string | undefined {
  const [found, ...others] = cookiesOf(request).filter(([own]) => own === name);
  return others.length === 0 ? found?.[1] || undefined : undefined;
}

/** The names of a request's cookies that begin so, as browsers send them: the oldest first. */
export function cookieNames(request: Request, prefix: string): string[] {
  return cookiesOf(request)
    .map(([name]) => name)
    .filter((name) => name.startsWith(prefix));
}

/** One that is sent twice is here twice. */
const cookiesOf = (request: Request) => [...new Bun.CookieMap(request.headers.get("cookie") ?? "")];

export interface CookieOptions {
  /** Whether it is sent over https alone. */
  readonly secure: boolean;
  /** 0 takes the cookie away. */
  readonly maxAgeSeconds: number;
  /** What is asked for with it; everything unless it says otherwise. */
  readonly path?: string;
}

/** A `Set-Cookie` header for a cookie that no script reads and no foreign form sends along. */
export function setCookie(
  name: string,
  value: string,
  { secure, maxAgeSeconds: maxAge, path = "/" }: CookieOptions,
): string {
  const kept = { name, value, path, maxAge, secure, httpOnly: true, sameSite: "lax" } as const;
  return new Bun.Cookie(kept).toString();
}
