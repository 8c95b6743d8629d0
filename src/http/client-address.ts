import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Finds a request's client address. Only the configured proxies are trusted. */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | null) => string;

/** @param trustedProxies IP addresses and CIDR ranges, already checked */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const ranges = trustedProxies.map(parseRange);
  const isTrusted = (address: Address) =>
    ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));

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

/** The network that a client cannot easily change: an IPv4 address, or the /64 of an IPv6 one. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed?.kind() !== "ipv6") return address;
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}

function parseAddress(text: string): Address | undefined {
  // Some proxies append the port: 192.0.2.7:1234, [2001:db8::1]:1234.
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}

function parseRange(text: string): [Address, number] {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}
