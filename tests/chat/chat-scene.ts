/** A linked account that runs against the stand-in Twitch, on a clock that stands still. */
import type { ChatAccount } from "../../src/chat/store.ts";
import { createQuiet, type Quiet } from "../../src/chat/quiet.ts";
import { runTwitchAccount, type TwitchAccountDeps } from "../../src/chat/twitch/account.ts";
import { createHelix } from "../../src/chat/twitch/helix.ts";
import { createTwitchId } from "../../src/chat/twitch/id.ts";
import { createVoices } from "../../src/chat/twitch/voices.ts";
import type { Reading } from "../../src/channels/reading.ts";
import { createUpstream } from "../../src/upstream/index.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import { GIVE_UP_MS, until } from "../fixtures/clock/waiting.ts";
import { createTestAccounts } from "../fixtures/data/accounts.ts";
import type { FaultMode, FaultName } from "../fixtures/twitch/faults.ts";
import { storeLink } from "../fixtures/twitch/links.ts";
import { startTwitch } from "../fixtures/twitch/twitch.ts";
import { networkOf } from "../fixtures/http/network.ts";

// They are loaded when first needed, which no clock that stands still waits for.
await import("../../src/upstream/socket.ts");

type Scene = Awaited<ReturnType<typeof createChatScene>>;
export type { Scene };

export async function createChatScene(faults: Partial<Record<FaultName, FaultMode>> = {}) {
  const test = await createTestAccounts();
  const { accounts, clock } = test;
  const { chat } = accounts;
  const { user } = await test.add("ada");
  const twitch = startTwitch({ clock, faults });
  const origins = [twitch.idUrl, twitch.apiUrl, twitch.eventsubUrl.replace("ws", "http")];
  const trustedOrigins = origins.map((url) => new URL(url).origin);
  let underWay = 0;
  /** Requests that nobody waits for any more: their answers were withheld until the deadline. */
  let givenUp = 0;
  const upstream = createUpstream({
    ...{ clock, trustedOrigins },
    network: networkOf(async (url, init) => {
      const giveUp = () => void (givenUp = Math.min(givenUp + 1, twitch.withheld()));
      init.signal?.addEventListener("abort", giveUp);
      underWay += 1;
      try {
        return await fetch(url, init);
      } finally {
        underWay -= 1;
        init.signal?.removeEventListener("abort", giveUp);
      }
    }),
  });
  /** Waits until messages of this process to itself have arrived, and requests are answered. */
  const breathe = async () => {
    const giveUpAtMs = performance.now() + GIVE_UP_MS;
    for (;;) {
      for (let turn = 0; turn < 10; turn++) await settle();
      // Nobody answers those that a fault withholds before the clock is advanced.
      if (underWay === 0 || underWay <= twitch.withheld() - givenUp) return;
      if (performance.now() > giveUpAtMs) throw new Error("a request is never answered");
      // Requests are sent by a thread of their own.
      await Bun.sleep(1);
    }
  };
  const id = createTwitchId({ upstream, idUrl: twitch.idUrl });
  const helix = createHelix(upstream, twitch.apiUrl);
  const quiets = new Map<string, Quiet>();
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const shown: number[] = [];
  const followers = new Set<(reading: Reading) => void>();
  const follow = (_: number, note: (reading: Reading) => void) => {
    followers.add(note);
    return () => void followers.delete(note);
  };
  const stops: AbortController[] = [];
  const runs: Promise<void>[] = [];

  const depsOf = (changes: Partial<TwitchAccountDeps> = {}): TwitchAccountDeps => ({
    ...{ clock, upstream, id, helix, chat },
    eventsubUrl: twitch.eventsubUrl,
    log: { warn: note, error: note },
    hub: { subscribe: follow },
    showOverlays(userId) {
      shown.push(userId);
    },
    songLine: async (_, question) => (question === "last song" ? "♪ Before" : "♪ It"),
    voices: createVoices(),
    random: () => 0.5,
    quietOf(channelId) {
      const quiet = quiets.get(channelId) ?? createQuiet();
      quiets.set(channelId, quiet);
      return quiet;
    },
    ...changes,
  });

  /** Stores a link that was made earlier. */
  const link = (login = "ada", options: object = {}): Promise<ChatAccount> =>
    storeLink(twitch, chat, user, { login, channel: "ada", options });

  const run = (account: ChatAccount, changes: Partial<TwitchAccountDeps> = {}) => {
    const stop = new AbortController();
    stops.push(stop);
    const ended = runTwitchAccount(depsOf(changes), account, stop.signal);
    runs.push(ended);
    return { stop, ended };
  };

  const subscriptions = () =>
    twitch.log.filter(
      (entry) =>
        entry.kind === "request" &&
        entry.path === "/helix/eventsub/subscriptions" &&
        entry.status !== null,
    ).length;

  return {
    ...{ ...test, chat, user, twitch, helix, id, logged, depsOf, link, run, subscriptions },
    /** The users whose overlays were shown. */
    shown,
    /** How many follow the user's music. */
    followers: () => followers.size,
    /** Gives those a reading. */
    play(reading: Reading) {
      for (const note of followers) note(reading);
    },
    stateOf: async () => chat.allOf(user.id)[0]?.state,
    /** An account whose chat is being read. */
    async reading(changes: Partial<TwitchAccountDeps> = {}, login = "ada", options: object = {}) {
      const account = await link(login, options);
      const running = run(account, changes);
      await until(async () => chat.allOf(user.id)[0]?.readingSince ?? undefined);
      return { account, ...running };
    },
    /** Lets the network carry what is under way, then advances the clock. */
    async pass(ms: number, stepMs = ms) {
      for (let left = ms; left > 0; left -= stepMs) {
        await breathe();
        await clock.advance(Math.min(stepMs, left));
      }
      await breathe();
    },
    requests: (path: string) =>
      twitch.log.filter((entry) => entry.kind === "request" && entry.path === path),
    frames: () => twitch.log.filter(({ kind }) => kind === "frame"),
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop.abort();
      await settle();
      await twitch.stop();
      // What sleeps for ever is left behind.
      await Promise.race([Promise.all(runs), breathe()]);
      test.store.close();
    },
  };
}
