import type { Upstream } from "../../../upstream/index.ts";
import { mayBePublic } from "../../../upstream/public-hosts.ts";
import type { Delayed } from "../../delay.ts";

export const NAME = "Radio";

export interface RadioSettings extends Delayed {
  readonly url: string;
}

export interface RadioDeps {
  /** Hosts that the owner has listed. */
  readonly playerHosts: readonly string[];
  /** The way to public servers, by plain http too if that is wanted, and to those at these origins. */
  upstreamOf(origins: readonly string[], allowsHttp: boolean): Upstream;
}

export const mayBeEnteredByAll = (url: URL): boolean =>
  url.protocol === "https:" && mayBePublic(url);

/** A stream's address, which may have a query. Without a scheme it is an http address. */
export function parseStreamUrl(typed: string): string | undefined {
  const text = typed.trim();
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  const isUsable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.hash === "" &&
    !/\s/.test(text);
  return isUsable && text !== "" ? url.href : undefined;
}
