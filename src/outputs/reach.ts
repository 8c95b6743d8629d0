import { hostOf, parseIp } from "../ip-address.ts";

/** Whether services on the internet can ask a server with this base URL, as far as its address shows. */
export type Reach = "public" | "local" | "not https";

export function reachOf(baseUrl: string): Reach {
  const url = new URL(baseUrl);
  if (isLocal(hostOf(url))) return "local";
  return url.protocol === "https:" ? "public" : "not https";
}

/** A name without a dot, or with one of these endings, means something only at home. */
const LOCAL_ENDING = /(^|\.)(localhost|local|lan|home|internal|home\.arpa|test)$/;

function isLocal(host: string): boolean {
  const address = parseIp(host);
  if (address) return address.range() !== "unicast";
  return !host.includes(".") || LOCAL_ENDING.test(host);
}
