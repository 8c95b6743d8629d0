import { hostOf, type IpAddress, isNeverCalled, isPublic, parseIp } from "../ip-address.ts";
import { keepingAnswers } from "./look-up.ts";
import type { Fetch, UpstreamHeaders } from "./call.ts";

/**
 * Which addresses may be called: those that are public; of a host that somebody has allowed, all but
 * the few that are never called. Judged here and nowhere else.
 */

/** Who may be called at a name. */
export type Reach =
  /** Nobody has allowed the host: only what is public. */
  | "public"
  /** The owner has listed the host, or entered it. */
  | "allowed";

/** The addresses of a name. */
export type LookUp = (name: string, reach: Reach) => Promise<readonly string[]>;

/** A program may listen at either, and not every system names both: https://www.rfc-editor.org/rfc/rfc6761 */
const LOOPBACK = ["127.0.0.1", "::1"];

const addressesOf = async (name: string, how?: { readonly backend: "system" }) =>
  (await Bun.dns.lookup(name, how)).map(({ address }) => address);

/** As all programs of this machine find it, so that names such as `tower.local` are known. */
const askSystem = keepingAnswers(
  (name) => addressesOf(name, { backend: "system" }),
  () => performance.now(),
);

/**
 * Asks the name servers for a public name without a thread of its own where the platform can: one
 * that never answers must not hold the threads that read files and draw pictures.
 */
const lookUp: LookUp = async (name, reach) => {
  if (reach === "public") return addressesOf(name);
  return /^(.+\.)?localhost$/i.test(name) ? LOOPBACK : askSystem(name);
};

/** Opens a connection for a protocol that `fetch` does not take. */
export type Connect = (
  options: Bun.TCPSocketConnectOptions | Bun.UnixSocketOptions,
) => Promise<unknown>;

/** The way to other servers. */
export interface Network {
  readonly fetch: Fetch;
  readonly connect: Connect;
  /** `null` for a stand-in, which takes names as they are. */
  readonly lookUp: LookUp | null;
}

export const NETWORK = {
  connect: (options) => ("unix" in options ? Bun.connect(options) : Bun.connect(options)),
  fetch: (url, init) => (isNear(new URL(url)) ? fetchDirectly(url, init) : fetch(url, init)),
  lookUp,
} satisfies Network;

/** Real names have few; the others are never needed. */
const MOST_ADDRESSES = 4;
/** A machine whose IPv6 leads nowhere may notice that only when the time for a call is over. */
const FAMILIES = ["ipv4", "ipv6"];
/** The host of a URL without brackets, and without the dot that may end a name. */
const bareHostOf = (url: URL): string => hostOf(url).replace(/\.$/, "");

/** Whether an address is one of this machine or of its network. */
function isNear(url: URL): boolean {
  const address = parseIp(bareHostOf(url));
  return address !== undefined && !isPublic(address);
}

/**
 * Without the proxy that `HTTP_PROXY` may name: it cannot reach this machine's players, and their passwords are
 * none of its business. An empty `proxy` does not keep Bun from it, but `no_proxy` does, which it reads
 * during the call.
 */
export const fetchDirectly: Fetch = (url, init) => {
  const { no_proxy: before } = process.env;
  process.env["no_proxy"] = "*";
  try {
    return fetch(url, init);
  } finally {
    if (before === undefined) delete process.env["no_proxy"];
    else process.env["no_proxy"] = before;
  }
};

/**
 * Whether a host may be public by its text alone: a public address, or a name of which only its
 * addresses can decide. The URL parser has already turned decimal and hexadecimal spellings of
 * addresses into dotted ones.
 */
export function mayBePublic(url: URL): boolean {
  const host = bareHostOf(url);
  const address = parseIp(host);
  if (address) return isPublic(address);
  return host.includes(".") && !/\.(localhost|local|internal|home\.arpa)$/i.test(host);
}

/**
 * Whether everybody may know a picture's address: anybody can load it, and it holds no secret. A
 * parameter may be one: `p` is a password for servers that speak Subsonic's protocol.
 */
export const isShareable = (url: URL): boolean =>
  url.protocol === "https:" &&
  mayBePublic(url) &&
  !url.username &&
  !url.password &&
  url.search === "" &&
  url.hash === "";

/** Where to connect for a URL, so that its name is not resolved again after it was judged. */
export interface Destination {
  /** The same URL, with an address instead of a name. */
  readonly url: URL;
  /** The name that the server there goes by, if it is not in the URL. */
  readonly name?: { readonly hostHeader: string; readonly tls: { readonly serverName: string } };
}

/** Where a URL may be called, in the order in which the addresses are to be tried. */
export async function destinationsOf(
  url: URL,
  lookUp: LookUp,
  reach: Reach,
): Promise<readonly Destination[]> {
  const host = bareHostOf(url);
  const addresses = await reachableAddressesOf(host, lookUp, reach);
  if (parseIp(host)) return addresses.map(() => ({ url }));
  const name = { hostHeader: url.host, tls: { serverName: host } };
  return addresses.map((address) => {
    const at = new URL(url);
    at.hostname = address.kind() === "ipv6" ? `[${address}]` : String(address);
    return { url: at, name };
  });
}

/** The addresses at which a host may be called, in the order in which they are to be tried. */
export async function reachableAddressesOf(
  host: string,
  lookUp: LookUp,
  reach: Reach,
): Promise<readonly IpAddress[]> {
  const mayReach = (address: IpAddress) =>
    reach === "public" ? isPublic(address) : !isNeverCalled(address);
  const direct = parseIp(host);
  if (direct) return [direct].filter(mayReach);
  return (await lookUp(host, reach))
    .flatMap((text) => parseIp(text) ?? [])
    .filter(mayReach)
    .toSorted((one, other) => FAMILIES.indexOf(one.kind()) - FAMILIES.indexOf(other.kind()))
    .slice(0, MOST_ADDRESSES);
}

/** The headers of a request that is sent there. */
export function headersFor({ name }: Destination, given?: UpstreamHeaders): Headers {
  const headers = new Headers(given);
  if (name) headers.set("Host", name.hostHeader);
  // A small compressed body can become very large before its bytes can be counted.
  headers.set("Accept-Encoding", "identity");
  return headers;
}
