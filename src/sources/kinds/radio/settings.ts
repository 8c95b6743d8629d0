import type { Upstream } from "../../../upstream/index.ts";
import { mayBePublic } from "../../../upstream/public-hosts.ts";
import { parseHttpUrl } from "../../entered-server.ts";

export const RADIO = { id: "radio", name: "Radio" } as const;

export interface RadioDeps {
  /** Hosts that the owner has listed. */
  readonly playerHosts: readonly string[];
  /** The way to public servers, by plain http too if that is wanted, and to those at these origins. */
  upstreamOf(origins: readonly string[], allowsHttp: boolean): Upstream;
}

export const mayBeEnteredByAll = (url: URL): boolean =>
  url.protocol === "https:" && mayBePublic(url);

/** A stream's address, which may have a query. */
export function parseStreamUrl(text: string): string | undefined {
  const url = parseHttpUrl(text);
  return url?.hash === "" ? url.href : undefined;
}
