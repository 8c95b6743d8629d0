/** This server's cookies. */
export type Cookies = ReturnType<typeof createCookies>;

export interface Cookie {
  /** Its value; `undefined` when it was sent not at all or several times. */
  of(request: Request): string | undefined;
  /** A `Set-Cookie` header; scripts cannot read the cookie, and other sites' forms do not send it. */
  set(value: string, maxAgeSeconds: number): string;
  /** The `Set-Cookie` header that drops it. */
  drop(): string;
}

export interface CookiesDeps {
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** Host and port where programs on this machine reach the server. */
  readonly listeningAddress: string;
}

/** Enough for the servers on one host. */
const ID_LENGTH = 8;

/**
 * Browsers keep the cookies of a host name together, whatever the port, and those of `__Host-`
 * whatever the path. So the names end with an id of this server: another Marquee on the same host
 * name neither reads nor replaces them.
 */
export function createCookies({ baseUrl, listeningAddress }: CookiesDeps) {
  const secure = baseUrl.startsWith("https:");
  const place = `${baseUrl} ${listeningAddress}`;
  const id = new Bun.CryptoHasher("sha256").update(place).digest("hex").slice(0, ID_LENGTH);
  const hostPrefix = `${secure ? "__Host-" : ""}marquee-`;
  const pathPrefix = `${secure ? "__Secure-" : ""}marquee-`;
  const suffix = `-${id}`;

  const cookie = (name: string, path: string): Cookie => {
    const set: Cookie["set"] = (value, maxAge) =>
      new Bun.Cookie({
        name,
        value,
        path,
        maxAge,
        secure,
        httpOnly: true,
        sameSite: "lax",
      }).toString();
    return {
      of(request) {
        const [found, ...others] = sentWith(request).filter(([own]) => own === name);
        return others.length === 0 ? found?.[1] || undefined : undefined;
      },
      set,
      drop: () => set("", 0),
    };
  };

  return {
    /** A cookie for all paths of the host. @param use unique to what it is for */
    forHost: (use: string) => cookie(hostPrefix + use + suffix, "/"),
    /** A cookie for one path and what is below it. */
    forPath: (use: string, path: string) => cookie(pathPrefix + use + suffix, path),
    /** The uses of a request's cookies for the host that begin so, in the browser's order: oldest first. */
    usesOf: (request: Request, beginning: string) =>
      sentWith(request)
        .map(([name]) => name)
        .filter((name) => name.startsWith(hostPrefix + beginning) && name.endsWith(suffix))
        .map((name) => name.slice(hostPrefix.length, -suffix.length)),
  };
}

/** A cookie that was sent twice appears twice. */
const sentWith = (request: Request) => [...new Bun.CookieMap(request.headers.get("cookie") ?? "")];
