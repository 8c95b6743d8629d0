/** The value of a cookie that a request carries; `undefined` when it has none or several. */
export function cookieOf(request: Request, name: string): string | undefined {
  const values = pairsOf(request)
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] || undefined : undefined;
}

/** The names of a request's cookies that begin so, as browsers send them: the oldest first. */
export function cookieNames(request: Request, prefix: string): string[] {
  return pairsOf(request)
    .map((pair) => pair.split("=", 1)[0] ?? "")
    .filter((name) => name.startsWith(prefix));
}

const pairsOf = (request: Request): string[] =>
  (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());

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
  { secure, maxAgeSeconds, path = "/" }: CookieOptions,
): string {
  return [
    `${name}=${value}`,
    `Path=${path}`,
    "HttpOnly",
    "SameSite=Lax",
    `Max-Age=${maxAgeSeconds}`,
    ...(secure ? ["Secure"] : []),
  ].join("; ");
}
