/** Which hosts this server answers to. */
export interface Hosts {
  /** Whether a `Host` header names this server, whatever the port. */
  allows(host: string | null): boolean;
  /** Whether a page from this origin is one that this server sends, under the host it was asked by. */
  allowsOrigin(origin: string, host: string | null): boolean;
}

export interface HostsOptions {
  readonly baseUrl: string;
  /** The address listened on. */
  readonly host: string;
  /** More names, lower-case, without ports. */
  readonly allowedHosts: readonly string[];
}

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** A name or address, and perhaps a port: nothing else gets as far as a look-up. */
const HOST_HEADER = /^([0-9A-Za-z._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** Bounds the memory of headers seen; each is one of ours with some port. */
const MOST_REMEMBERED = 64;

/**
 * Answers only to names that are ours, so that a page elsewhere cannot make a browser talk to this
 * server under a name of its own (DNS rebinding).
 */
export function createHosts({ baseUrl, host, allowedHosts }: HostsOptions): Hosts {
  const base = new URL(baseUrl);
  const names = new Set([
    ...LOOPBACK_NAMES,
    base.hostname,
    host.includes(":") ? `[${host.toLowerCase()}]` : host.toLowerCase(),
    ...allowedHosts,
  ]);
  const remembered = new Set<string>();
  // This machine's own names keep any port: a tunnel or a container maps another one to ours.
  const baseIsAnyPort = base.protocol === "http:" && LOOPBACK_NAMES.includes(base.hostname);

  const allows = (header: string | null): boolean => {
    if (header === null) return false;
    if (remembered.has(header)) return true;
    const name = HOST_HEADER.exec(header)?.[1]?.toLowerCase();
    if (name === undefined || !names.has(name)) return false;
    if (remembered.size < MOST_REMEMBERED) remembered.add(header);
    return true;
  };

  return {
    allows,
    allowsOrigin(origin, host) {
      const url = URL.parse(origin);
      if (url === null || !/^https?:$/.test(url.protocol)) return false;
      // Behind a proxy the page's origin is the public one, whatever host the proxy asks for.
      if (url.origin === base.origin) return true;
      // Whoever is on the way can put a page of their own under http, or serve another port.
      if (url.hostname === base.hostname && !baseIsAnyPort) return false;
      return url.host === host && allows(host);
    },
  };
}
