import type { Accounts } from "../accounts/accounts.ts";
import type { Hub } from "../channels/hub.ts";
import type { Clock } from "../clock.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Config } from "../config.ts";
import type { Feature } from "../http/feature.ts";
import { describeError, type Log } from "../log.ts";
import type { Artwork } from "../playback.ts";
import type { Fetch } from "../sources/upstream/index.ts";
import type { HookAddressRules } from "./address.ts";
import { createSender } from "./sender.ts";
import { createSongEvents, type SongEvent } from "./song-events.ts";
import { createTeller, type Teller } from "./teller.ts";

export interface HooksDeps {
  readonly accounts: Accounts;
  readonly hub: Pick<Hub, "subscribe">;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Config;
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** Host and port where programs on this machine reach the server. */
  readonly listeningAddress: string;
  artworkUrl(artwork: Artwork, userId: number): string;
  readonly cluster: Pick<Cluster, "isOurs">;
  /** Replaces the network. */
  readonly fetch?: Fetch | undefined;
}

interface Followed {
  readonly tellers: ReadonlyMap<number, Teller>;
  stop(): void;
}

/** Addresses of this server itself, which no hook may call. */
export const ownAddresses = (
  baseUrl: string,
  listeningAddress: string,
): HookAddressRules["own"] => {
  const { hostname, port, protocol } = new URL(baseUrl);
  const usual = protocol === "https:" ? "443" : "80";
  return [`${hostname}:${port || usual}`, listeningAddress.toLowerCase()];
};

/** Tells other programs of songs. Nothing of a user without hooks is followed. */
export function createHooksFeature(deps: HooksDeps): Feature {
  const { accounts, hub, clock, log, config, cluster } = deps;
  const { hooks } = accounts;
  const own = ownAddresses(deps.baseUrl, deps.listeningAddress);
  const send = createSender({ ...deps, rules: { playerHosts: config.playerHosts, own } });
  const followed = new Map<number, Followed>();

  const unfollow = (userId: number) => {
    followed.get(userId)?.stop();
    followed.delete(userId);
  };

  const follow = async (userId: number): Promise<void> => {
    const all = await hooks.allOf(userId);
    unfollow(userId);
    const active = all.filter(({ off }) => off === null);
    if (active.length === 0) return;
    const tellers = new Map(
      active.map((hook) => [hook.id, createTeller(hook, { clock, hooks, send })] as const),
    );
    const tell = (event: SongEvent) => {
      // Every node hears it, and one of them tells.
      if (!cluster.isOurs(userId)) return;
      const id = `msg_${crypto.randomUUID().replaceAll("-", "")}`;
      const numbered = { ...event, id, at: clock.wallMs() };
      for (const { id: hookId, events } of active) {
        if (events.includes(event.type)) tellers.get(hookId)?.tell(numbered);
      }
    };
    const songs = createSongEvents(clock, tell);
    const leave = hub.subscribe(userId, songs.note);
    followed.set(userId, {
      tellers,
      stop() {
        leave();
        songs.stop();
        for (const teller of tellers.values()) teller.stop();
      },
    });
  };

  const followSafely = (userId: number) =>
    follow(userId).catch((error: unknown) =>
      log.error("a user's hooks cannot be followed", {
        user: userId,
        reason: describeError(error),
      }),
    );

  const followAll = async () => {
    const users = new Set([...(await hooks.users()), ...followed.keys()]);
    for (const userId of users) await followSafely(userId);
  };

  return {
    routes: [],
    start: followAll,
    async follow({ userId, concerns }) {
      if (!concerns("users", "hooks")) return;
      if (userId === undefined) await followAll();
      else if (concerns("hooks") || followed.has(userId)) await followSafely(userId);
    },
    stop() {
      for (const userId of [...followed.keys()]) unfollow(userId);
    },
  };
}
