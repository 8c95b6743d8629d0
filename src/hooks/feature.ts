import { attemptEach } from "../attempt-each.ts";
import type { Reading } from "../channels/reading.ts";
import type { Feature } from "../http/plugin.ts";
import { nextTurn } from "../next-turn.ts";
import type { Artwork } from "../playback.ts";
import type { Hook } from "./store.ts";
import { hookAddressRules } from "./address.ts";
import { createSender } from "./sender.ts";
import { createSongEvents, type SongEvent } from "./song-events.ts";
import { createHookDelivery, type HookDelivery, type Try } from "./delivery.ts";
import { createTestSending, type SendTest } from "./test-sending.ts";
import type { Parts } from "../http/parts.ts";

export interface HooksDeps extends Parts {
  artworkUrl(artwork: Artwork, userId: number): string;
}

/** A hook that events are sent to. */
interface Followed {
  readonly delivery: HookDelivery;
  stop(): void;
}

export interface HooksFeature extends Feature {
  /** The last tries of a hook, the newest first. */
  triesOf(hook: Hook): readonly Try[];
  readonly test: SendTest;
}

/** Reports songs to other programs. Nothing of a user without hooks is followed. */
export function createHooksFeature(deps: HooksDeps): HooksFeature {
  const { accounts, hub, clock } = deps;
  const { hooks } = accounts;
  const send = createSender({ ...deps, rules: hookAddressRules(deps) });
  /** By the users' ids, then by those of hooks. */
  const followed = new Map<number, ReadonlyMap<number, Followed>>();

  const followHook = (hook: Hook): Followed => {
    const delivery = createHookDelivery(hook, { clock, hooks, send });
    const emit = (event: SongEvent) => {
      if (!hook.events.includes(event.type)) {
        // The start of a song that is over is no news.
        if (event.type === "song.ended") delivery.drop();
        return;
      }
      const id = `msg_${crypto.randomUUID().replaceAll("-", "")}`;
      delivery.deliver({ ...event, id, at: clock.wallMs() });
    };
    const songs = createSongEvents(clock, emit);
    const note = (reading: Reading) => {
      if (reading.kind === "nothing" && reading.hides) delivery.drop();
      songs.note(reading);
    };
    const leave = hub.subscribe(hook.userId, note, "shown later");
    return {
      delivery,
      stop() {
        leave();
        songs.stop();
        delivery.stop();
      },
    };
  };

  /** A hook that goes on is left alone, with the song that it was sent and what waits for it. */
  const follow = (userId: number): void => {
    const all = hooks.allOf(userId);
    const active = all.flatMap((hook) => (hook.off === null ? [hook] : []));
    const before = followed.get(userId) ?? new Map<number, Followed>();
    const now = new Map(
      active.map((hook) => [hook.id, before.get(hook.id) ?? followHook(hook)] as const),
    );
    for (const [id, one] of before) if (!now.has(id)) one.stop();
    if (now.size > 0) followed.set(userId, now);
    else followed.delete(userId);
  };

  const followAll = async () => {
    const users = new Set([...hooks.users(), ...followed.keys()]);
    await attemptEach(users, async (userId) => {
      follow(userId);
      // Others are answered in between.
      await nextTurn();
    });
  };

  return {
    triesOf: ({ id, userId }) => followed.get(userId)?.get(id)?.delivery.tries() ?? [],
    test: createTestSending({ clock, hooks, send }),
    start: followAll,
    async follow({ userId, concerns }) {
      if (!concerns("users", "hooks")) return;
      if (userId === undefined) await followAll();
      else if (concerns("hooks") || followed.has(userId)) follow(userId);
    },
    stop() {
      for (const ofUser of followed.values()) for (const one of ofUser.values()) one.stop();
      followed.clear();
    },
  };
}
