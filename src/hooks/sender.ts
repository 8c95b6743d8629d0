import { hostOf } from "../ip-address.ts";
import type { Artwork } from "../playback.ts";
import { createUpstream } from "../upstream/index.ts";
import type { Hook } from "./store.ts";
import { type HookAddressRules, readHookAddress } from "./address.ts";
import { messageOf, type NumberedEvent } from "./message.ts";
import type { Parts } from "../http/parts.ts";

export interface SenderDeps extends Pick<Parts, "clock" | "network"> {
  readonly rules: HookAddressRules;
  artworkUrl(artwork: Artwork, userId: number): string;
}

/** Sends an event to a hook, and resolves with the HTTP status. Rejects where nobody answers. */
export type Sender = (hook: Hook, event: NumberedEvent) => Promise<number>;

/**
 * Sends an event to a hook's address, which is judged again by what its name resolves to now.
 * Redirects are not followed, and nothing of the answer is kept.
 */
export function createSender({ clock, rules, artworkUrl, network }: SenderDeps): Sender {
  return async (hook, event) => {
    const url = readHookAddress(hook.url, rules);
    const isListed = rules.playerHosts.includes(hostOf(url));
    const trustedOrigins = isListed ? [url.origin] : [];
    const upstream = createUpstream({ clock, trustedOrigins, network });
    const { headers, body } = messageOf(hook, event, {
      nowMonotonicMs: clock.monotonicMs(),
      nowWallMs: clock.wallMs(),
      artworkUrl: (artwork) => artworkUrl(artwork, hook.userId),
    });
    const { status } = await upstream.fetch(url, {
      method: "POST",
      headers,
      body,
      wantsBody: false,
    });
    return status;
  };
}
