import type { Playback } from "../playback.ts";
import { Channel, type ChannelDeps, type Reading } from "./channel.ts";

/** Who watches whom: one channel a user, however many look. */
export interface Hub {
  /**
   * What a user's music is now. On a cold channel it waits for the first word, at most `atMostMs`;
   * `unavailable` when there is none by then. Where the last word has grown old it waits a moment
   * for the next one.
   */
  read(userId: number, atMostMs: number): Promise<Reading>;
  /** The same at once; `undefined` on a cold channel, which it starts, and where `read` would wait. */
  peek(userId: number): Reading | undefined;
  /** Calls back with each reading until the result is called. */
  subscribe(userId: number, listener: (reading: Reading) => void): () => void;
  /** Listens anew wherever the user's connection is another than the one listened to. */
  followConnections(): Promise<void>;
  /** What a user's channel has heard, hidden or not; `undefined` while it is cold. */
  rawPlayback(userId: number): Playback | null | undefined;
  /** Tells what has changed by the users' wishes. */
  notify(): void;
  /** How many channels are listened to. */
  running(): number;
  stop(): void;
}

export interface HubDeps extends ChannelDeps {
  /** The id of the user's connection, if there is one that is not refused. */
  connectionIdOf(userId: number): Promise<number | undefined>;
}

/** How long a channel stays warm after the last look. */
const GRACE_MS = 60_000;

/** Longest wait for a source that has to be asked anew; then its last word has to do. */
const SECOND_WORD_MS = 1_000;

export function createHub(deps: HubDeps): Hub {
  const { clock } = deps;
  const channels = new Map<number, { channel: Channel; lookedAtMs: number }>();

  const look = (userId: number): Channel => {
    let seat = channels.get(userId);
    if (!seat) {
      seat = { channel: new Channel(userId, deps), lookedAtMs: 0 };
      channels.set(userId, seat);
    }
    seat.lookedAtMs = clock.monotonicMs();
    if (!seat.channel.running) {
      seat.channel.start();
      stopWhenIdle(userId, GRACE_MS);
    }
    return seat.channel;
  };

  /** One timer a running channel, set again only when it fires: a look costs no timer. */
  const stopWhenIdle = (userId: number, delayMs: number) => {
    clock.after(delayMs, () => {
      const seat = channels.get(userId);
      if (!seat?.channel.running) return;
      const idleMs = clock.monotonicMs() - seat.lookedAtMs;
      if (seat.channel.watched) stopWhenIdle(userId, GRACE_MS);
      else if (idleMs < GRACE_MS) stopWhenIdle(userId, GRACE_MS - idleMs);
      else seat.channel.stop();
    });
  };

  return {
    peek(userId) {
      const channel = look(userId);
      return channel.stale ? undefined : channel.read();
    },
    async read(userId, atMostMs) {
      const channel = look(userId);
      const { stale } = channel;
      const known = channel.read();
      if (known && !stale) return known;
      const word = stale ? channel.nextReading : channel.firstReading;
      const waitMs = stale ? Math.min(atMostMs, SECOND_WORD_MS) : atMostMs;
      if (stale) channel.ask();
      const waited = new AbortController();
      await Promise.race([word, clock.sleep(waitMs, waited.signal)]);
      waited.abort();
      return channel.read() ?? { kind: "unavailable", retryAfterMs: 1_000 };
    },
    subscribe(userId, listener) {
      const leave = look(userId).subscribe(listener);
      return () => {
        leave();
        const seat = channels.get(userId);
        if (seat) seat.lookedAtMs = clock.monotonicMs();
      };
    },
    async followConnections() {
      for (const [userId, { channel }] of channels) {
        if (!channel.running) continue;
        if ((await deps.connectionIdOf(userId)) === channel.connectionId) continue;
        channel.stop();
        channel.start();
      }
    },
    rawPlayback: (userId) => channels.get(userId)?.channel.rawPlayback,
    notify() {
      for (const { channel } of channels.values()) if (channel.running) channel.notify();
    },
    running: () => [...channels.values()].filter(({ channel }) => channel.running).length,
    stop() {
      for (const { channel } of channels.values()) channel.stop();
    },
  };
}
