import type { Parts } from "../http/parts.ts";
import { Refused } from "../i18n/refused.ts";
import { hostOf, isNeverCalled, parseIp } from "../ip-address.ts";
import { mayBePublic } from "../upstream/public-hosts.ts";

/** Which addresses may be sent songs. What their names resolve to is judged at each call. */
export type HookAddressRules = ReturnType<typeof hookAddressRules>;

/** The rules of a server. */
export function hookAddressRules({
  config,
  baseUrl,
  listeningAddress,
}: Pick<Parts, "config" | "baseUrl" | "listeningAddress">) {
  const { hostname, port, protocol } = new URL(baseUrl);
  const usual = protocol === "https:" ? "443" : "80";
  /** Addresses of this server itself, as `host:port`. */
  const own = [`${hostname}:${port || usual}`, listeningAddress.toLowerCase()];
  return { playerHosts: config.playerHosts, own };
}

/**
 * The address of a hook as it is stored.
 * @throws {Refused} that says what is allowed
 */
export function readHookAddress(text: string, { playerHosts, own }: HookAddressRules): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return refuse("address");
  if (url.username || url.password || url.hash) return refuse("address");
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  if (port !== 80 && port !== 443 && port < 1024) return refuse("port");
  const host = hostOf(url);
  const ip = parseIp(host);
  if (ip && isNeverCalled(ip)) return refuse("address");
  if (isOwn(host, port, own)) return refuse("own");
  if (playerHosts.includes(host)) return url;
  if (!mayBePublic(url)) return refuse("unlisted", host);
  if (url.protocol !== "https:") return refuse("overHttp", host);
  return url;
}

/** Whether the owner would have to list the host of an address. */
export const isUnlisted = (error: unknown): boolean =>
  error instanceof Refused && ["hook.unlisted", "hook.overHttp"].includes(error.reason);

function refuse(why: "address" | "port" | "own" | "unlisted" | "overHttp", host = ""): never {
  // The others are right on another server.
  const isMisuse = why === "address" || why === "port";
  throw new Refused(`hook.${why}`, { host }, { field: "url", isMisuse });
}

function isOwn(host: string, port: number, own: readonly string[]): boolean {
  const isLoopback = host === "localhost" || parseIp(host)?.range() === "loopback";
  const spelled = isLoopback ? "127.0.0.1" : host;
  return own.includes(`${spelled}:${port}`);
}
