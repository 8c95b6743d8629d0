import { hostInUrl } from "../ip-address.ts";

/** Which hosts this server answers to. */
export type Hosts = ReturnType<typeof createHosts>;

export interface HostsOptions {
  readonly baseUrl: string;
  /** The address that the server listens on. */
  readonly host: string;
  /** More names, lower-case, without ports. */
  readonly allowedHosts: readonly string[];
}

/** What a request to another host is told, with status 421. */
export const FOREIGN_HOST =
  "This server does not answer to that name. Use its base URL, or list the name in MARQUEE_ALLOWED_HOSTS.";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** A name or address with an optional port. Other values are refused without a lookup. */
const HOST_HEADER = /^([0-9A-Za-z._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** Limits the cache of allowed headers; each is an allowed name with some port. */
const MOST_REMEMBERED = 64;

/**
 * Accepts only this server's host names. Otherwise another site could point its own name at this
 * server and use it through a visitor's browser (DNS rebinding).
 */
export function createHosts({ baseUrl, host, allowedHosts }: HostsOptions) {
  const base = new URL(baseUrl);
  const names = new Set([
    ...LOOPBACK_NAMES,
    base.hostname,
    hostInUrl(host).toLowerCase(),
    ...allowedHosts,
  ]);
  const remembered = new Set<string>();
  // Loopback names are allowed with any port: a tunnel or container may map another port.
  const baseIsAnyPort = base.protocol === "http:" && LOOPBACK_NAMES.includes(base.hostname);

  /** Whether a `Host` header names this server, whatever the port. */
  const allows = (header: string | null): boolean => {
    if (header === null) return false;
    if (remembered.has(header)) return true;
    const name = HOST_HEADER.exec(header)?.[1]?.toLowerCase();
    if (name === undefined || !names.has(name)) return false;
    if (remembered.size < MOST_REMEMBERED) remembered.add(header);
    return true;
  };

  const originOf = ({ headers }: Request): URL | undefined => {
    const url = URL.parse(headers.get("origin") ?? "");
    return url && /^https?:$/.test(url.protocol) ? url : undefined;
  };
  const isOwn = (url: URL, host: string | null): boolean => {
    // Behind a proxy, the page has the public origin, whatever `Host` header the proxy sends.
    if (url.origin === base.origin) return true;
    // With plain http or another port, the page could come from an attacker on the network.
    if (url.hostname === base.hostname && !baseIsAnyPort) return false;
    return url.host === host && allows(host);
  };

  return {
    allows,
    /** Whether a page that this server has sent makes this request. */
    isFromOwnPage(request: Request) {
      const url = originOf(request);
      return url !== undefined && isOwn(url, request.headers.get("host"));
    },
    /**
     * The origin of a request's page, where it bears a name of this server but nobody can be signed in
     * there: it is none that `isFromOwnPage` trusts, or browsers keep no secure cookie for it.
     */
    openedElsewhere(request: Request) {
      const url = originOf(request);
      const host = request.headers.get("host");
      if (!url || !names.has(url.hostname)) return undefined;
      // Other pages of this machine are no pages of ours.
      const isPublic = url.hostname === base.hostname && !baseIsAnyPort;
      if (url.host !== host && !isPublic) return undefined;
      const keepsCookies = base.protocol === "http:" || url.protocol === "https:";
      return keepsCookies && isOwn(url, host) ? undefined : url.origin;
    },
  };
}
