import type ipaddr from "ipaddr.js";

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** An address, and how many bits at its beginning those of its network share. */
export type IpNetwork = [address: IpAddress, bits: number];

/** Loaded with the first address, because most starts need none. */
const library = () => require("ipaddr.js") as typeof ipaddr;

/** The host of an address as settings name it: an IPv6 one without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

/** A host that settings name, as it stands in an address. */
export const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** An IP address; an IPv4 one that is written as IPv6 is taken as IPv4. `undefined` for other texts. */
export function parseIp(text: string): IpAddress | undefined {
  const ip = library();
  return ip.isValid(text) ? ip.process(text) : undefined;
}

/** How many bits stand before an IPv4 address that is written as IPv6. */
const MAPPED_BITS = 96;

/**
 * A network such as `10.0.0.0/8`, or a single address; `undefined` for other texts. One of IPv4 addresses
 * that is written as IPv6 is taken as such.
 */
export function parseNetwork(text: string): IpNetwork | undefined {
  const ip = library();
  if (ip.isValidCIDR(text)) {
    const [base, bits] = ip.parseCIDR(text);
    const isMapped = "toIPv4Address" in base && base.isIPv4MappedAddress() && bits >= MAPPED_BITS;
    return isMapped ? [base.toIPv4Address(), bits - MAPPED_BITS] : [base, bits];
  }
  const address = parseIp(text);
  return address && [address, address.kind() === "ipv4" ? 32 : 128];
}

export const isWithin = (address: IpAddress, [base, bits]: IpNetwork): boolean =>
  base.kind() === address.kind() && address.match(base, bits);

/** IPv6 addresses that belong to the public internet: https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_IPV6 = "2000::/3";
/** An IPv4 address as networks that only have IPv6 reach it: https://www.rfc-editor.org/rfc/rfc6052 */
const NAT64 = "64:ff9b::/96";

/** Whether an address belongs to the public internet. */
export function isPublic(given: IpAddress): boolean {
  const address = withoutNat64(given);
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || isWithin(address, library().parseCIDR(GLOBAL_IPV6));
}

/** Nobody's program listens there, or what does gives away the secrets of a machine. */
const NEVER = ["linkLocal", "unspecified", "broadcast", "multicast"];
/** IPv4 addresses in IPv6 ones, which are translated on the way. */
const TRANSLATED = ["rfc6145", "6to4", "teredo"];
/** Where the machines of Amazon, Google, Alibaba and Oracle ask for their secrets, besides link-local addresses. */
const METADATA = ["fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192"];

/** Whether an address is never called, whoever has listed it. */
export function isNeverCalled(given: IpAddress): boolean {
  const address = withoutNat64(given);
  const range = address.range();
  return NEVER.includes(range) || TRANSLATED.includes(range) || METADATA.includes(`${address}`);
}

/** The IPv4 address that is meant where one is written for a network that only has IPv6. */
function withoutNat64(address: IpAddress): IpAddress {
  const { IPv4, parseCIDR } = library();
  if (!isWithin(address, parseCIDR(NAT64))) return address;
  return new IPv4(address.toByteArray().slice(-4));
}
