import { type IpAddress, isWithin, parseIp, parseNetwork } from "../ip-address.ts";

/** Finds a request's client address. Only the configured proxies are trusted. */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | null) => string;

/** @param trustedProxies IP addresses and CIDR ranges, already checked */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = trustIn(trustedProxies);

  return (peer, forwardedFor) => {
    const direct = parseAddress(peer ?? "");
    if (!direct) return "unknown";
    let client = direct;
    // Each proxy appends its client's address. Read from the right, up to the first untrusted one.
    for (const entry of (forwardedFor ?? "").split(",").reverse()) {
      const forwarded = parseAddress(entry.trim());
      if (!isTrusted(client) || !forwarded) break;
      client = forwarded;
    }
    return client.toString();
  };
}

function trustIn(proxies: readonly string[]): (address: IpAddress) => boolean {
  const networks = proxies.map(parseNetwork).filter((network) => network !== undefined);
  return (address) => networks.some((network) => isWithin(address, network));
}

/**
 * The address of a proxy that has passed on a request without being trusted, if there is one.
 * @param client what {@link createClientAddress} finds with the same trusted proxies
 */
export function untrustedProxyIn(
  client: string,
  forwardedFor: string | null,
  trustedProxies: readonly string[],
): string | undefined {
  if (forwardedFor === null) return undefined;
  const forwarded = forwardedFor.split(",").map((entry) => parseAddress(entry.trim())?.toString());
  if (forwarded.includes(client)) return undefined;
  // A trusted proxy may name nobody, as Squid does with `unknown`.
  const address = parseAddress(client);
  return address && trustIn(trustedProxies)(address) ? undefined : client;
}

/** The network that a client cannot easily change: an IPv4 address, or the /64 of an IPv6 one. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed?.kind() !== "ipv6") return address;
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}

function parseAddress(text: string): IpAddress | undefined {
  // Some proxies append the port: 192.0.2.7:1234, [2001:db8::1]:1234.
  return parseIp(/^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text);
}
