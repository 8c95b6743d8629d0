import { attemptEach } from "../attempt-each.ts";
import type { Reading } from "../channels/reading.ts";
import type { Feature } from "../http/plugin.ts";
import { createInTurn } from "../in-turn.ts";
import type { Artwork } from "../playback.ts";
import type { User } from "../accounts/users.ts";
import type { Hook } from "../music/hooks.ts";
import { type HookAddressRules, readHookAddress } from "./address.ts";
import { testEvent } from "./message.ts";
import { createSender } from "./sender.ts";
import { createSongEvents, type SongEvent } from "./song-events.ts";
import { createHookDelivery, type HookDelivery, isTaken, type Try } from "./delivery.ts";
import type { Parts } from "../http/parts.ts";

export interface HooksDeps extends Parts {
  artworkUrl(artwork: Artwork, userId: number): string;
}

/** A hook that events are sent to. */
interface Followed {
  readonly delivery: HookDelivery;
  stop(): void;
}

/** No host may be flooded with a user's tests. One lasts no longer than this. */
const TEST_PAUSE_MS = 5_000;

/** Addresses of this server itself, which no hook may call. */
export const ownAddresses = (
  baseUrl: string,
  listeningAddress: string,
): HookAddressRules["own"] => {
  const { hostname, port, protocol } = new URL(baseUrl);
  const usual = protocol === "https:" ? "443" : "80";
  return [`${hostname}:${port || usual}`, listeningAddress.toLowerCase()];
};

/** What the dashboard shows and does of hooks, too. */
export interface HooksFeature extends Feature {
  /**
   * An address as it is stored.
   * @throws {AccountError} for one that may not be called
   */
  addressOf(text: string, user: Pick<User, "name">): string;
  /** The last tries of a hook, the newest first. */
  triesOf(hook: Hook): readonly Try[];
  /**
   * Sends a test; the HTTP status, or `null` where nobody answers. A success switches the hook on.
   * Whoever asks again within five seconds gets the same test's answer, or `too soon` for another
   * hook of the same user.
   */
  test(hook: Hook): Promise<number | null | "too soon">;
}

/** Reports songs to other programs. Nothing of a user without hooks is followed. */
export function createHooksFeature(deps: HooksDeps): HooksFeature {
  const { accounts, hub, clock, config } = deps;
  const { hooks } = accounts;
  const own = ownAddresses(deps.baseUrl, deps.listeningAddress);
  const rules: HookAddressRules = { playerHosts: config.playerHosts, own };
  const send = createSender({ ...deps, rules });
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

  /** What was read first must not count last. */
  const inTurn = createInTurn();
  /** A hook that goes on is left alone, with the song that it was sent and what waits for it. */
  const follow = (userId: number): Promise<void> =>
    inTurn(async () => {
      const all = await hooks.allOf(userId);
      const active = all.flatMap((hook) => (hook.off === null ? [hook] : []));
      const before = followed.get(userId) ?? new Map<number, Followed>();
      const now = new Map(
        active.map((hook) => [hook.id, before.get(hook.id) ?? followHook(hook)] as const),
      );
      for (const [id, one] of before) if (!now.has(id)) one.stop();
      if (now.size > 0) followed.set(userId, now);
      else followed.delete(userId);
    });

  const followAll = async () => {
    const users = new Set([...(await hooks.users()), ...followed.keys()]);
    await attemptEach(users, follow);
  };

  const sendTest = async (hook: Hook): Promise<number | null> => {
    const status = await send(hook, testEvent(clock.wallMs())).catch(() => null);
    if (isTaken(status) && hook.off !== null) await hooks.note(hook.id, { failures: 0, off: null });
    return status;
  };
  /** The tests of the last moment, by the users' ids: a hook that is added anew is no way around. */
  const tests = new Map<number, { hookId: number; status: Promise<number | null> }>();

  return {
    addressOf: (text, user) => readHookAddress(text, user, rules).href,
    triesOf: ({ id, userId }) => followed.get(userId)?.get(id)?.delivery.tries() ?? [],
    async test(hook) {
      const last = tests.get(hook.userId);
      if (last) return last.hookId === hook.id ? last.status : "too soon";
      const status = sendTest(hook);
      tests.set(hook.userId, { hookId: hook.id, status });
      clock.after(TEST_PAUSE_MS, () => tests.delete(hook.userId));
      return status;
    },
    start: followAll,
    async follow({ userId, concerns }) {
      if (!concerns("users", "hooks")) return;
      if (userId === undefined) await followAll();
      else if (concerns("hooks") || followed.has(userId)) await follow(userId);
    },
    stop() {
      for (const ofUser of followed.values()) for (const one of ofUser.values()) one.stop();
      followed.clear();
    },
  };
}
