import type { Upstream } from "../../../upstream/index.ts";
import { mayBePublic } from "../../../upstream/public-hosts.ts";
import type { Delayed } from "../../delay.ts";
import { wrongOption } from "../../source.ts";

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

/** An address, which may have a query. The message does not repeat it: it may hold a secret. */
export function parseStreamUrl(given: unknown): string {
  const text = typeof given === "string" ? given.trim() : "";
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  const isUsable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.hash === "" &&
    !/\s/.test(text);
  if (isUsable && text !== "") return url.href;
  throw wrongOption(
    "url",
    "must be an http or https address such as https://radio.example/live.mp3, without user name and password.",
  );
}
