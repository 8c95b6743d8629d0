import type { Hub } from "../../channels/hub.ts";
import type { Clock } from "../../clock.ts";
import { createAnnouncements } from "../announcements.ts";
import type { ChatOptions } from "../options.ts";
import type { Notification } from "./eventsub.ts";
import type { Helix } from "./helix.ts";
import type { TwitchSettings } from "./settings.ts";
import { isChannelLive } from "./state-of-channel.ts";
import { type Subscribed, subscribeTo } from "./subscribe.ts";

export interface AnnouncingDeps {
  readonly helix: Helix;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly hub: Pick<Hub, "subscribe">;
}

export interface AnnouncingParts {
  readonly userId: number;
  readonly options: Pick<ChatOptions, "announces" | "announceEveryS">;
  settings(): TwitchSettings;
  announce(): void;
}

/** Follows whether the stream is live, and the user's music while it is, if songs are to be announced. */
export function createAnnouncing(deps: AnnouncingDeps, parts: AnnouncingParts) {
  const { options, settings, userId, announce } = parts;
  const announcements = createAnnouncements({
    clock: deps.clock,
    everyMs: options.announceEveryS * 1_000,
    subscribe: (note) => deps.hub.subscribe(userId, note),
    announce,
  });
  return {
    /** Begins, or goes on, with a new session. */
    async follow(sessionId: string): Promise<Subscribed> {
      if (!options.announces) return { kind: "subscribed" };
      for (const type of ["stream.online", "stream.offline"] as const) {
        const made = await subscribeTo(type, deps.helix, settings(), sessionId);
        // Where Twitch does not allow it, each announcement still asks.
        if (made.kind === "later" || made.kind === "unauthorized") return made;
      }
      announcements.setLive((await isChannelLive(deps.helix, settings())) ?? true);
      return { kind: "subscribed" };
    },
    receive({ type, event }: Notification) {
      if (!options.announces || event["broadcaster_user_id"] !== settings().channelId) return;
      if (type === "stream.online") announcements.setLive(true);
      if (type === "stream.offline") announcements.setLive(false);
    },
    stop: announcements.stop,
  };
}
