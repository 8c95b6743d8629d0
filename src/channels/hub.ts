import { attemptEach } from "../attempt-each.ts";
import { hidesTrack, isSharingPaused } from "../accounts/privacy.ts";
import { atMost, type Clock } from "../clock.ts";
import { nextTurn } from "../next-turn.ts";
import type { Artwork, Playback } from "../playback.ts";
import { Channel, type ChannelDeps } from "./channel.ts";
import type { ChannelViewDeps, ConnectionReading } from "./channel-view.ts";
import type { CurrentReading } from "./current-reading.ts";
import type { CountedSong, PlayedSong } from "./last-songs.ts";
import type { Reading } from "./reading.ts";
import type { Scope } from "./subscribers.ts";
import { createUnreadableCovers } from "./unreadable-covers.ts";
import type { WatcherDeps } from "./watcher.ts";

/** All channels: one for each user, shared by all requests and subscribers. */
export interface Hub {
  /**
   * The user's current reading. On a channel that was not running it waits for the first reading,
   * at most `atMostMs`, and then answers `unavailable`. When the last answer of a polled source is
   * too old, it waits up to a second for another one.
   */
  read(userId: number, atMostMs: number): Promise<Reading>;
  /** The same without waiting; `undefined` where `read` would wait. Starts the channel. */
  peek(userId: number): Reading | undefined;
  /**
   * The same object for a user at all times: `peek` without a look-up, which does not start the
   * channel.
   */
  currentOf(userId: number): CurrentReading;
  /**
   * Calls back with each reading until the result is called. With another scope than `shown` it also
   * calls back when something changes that others are not shown.
   */
  subscribe(userId: number, subscriber: (reading: Reading) => void, scope?: Scope): () => void;
  /** Starts and stops the watching of connections that have changed, of one user or of all. */
  followConnections(userId?: number): Promise<void>;
  /** The playback that is shown unless the user hides it; `undefined` while too little is known. */
  rawPlayback(userId: number): Playback | null | undefined;
  /** What each connection of a user reports now, in the user's order, while the channel runs. */
  readingsOf(userId: number): readonly ConnectionReading[];
  /**
   * The songs before the current one that were played while the user's channel ran, newest first:
   * none that the user hides, and none at all while the user has paused sharing.
   */
  songsBefore(userId: number): readonly PlayedSong[];
  /** Calls back with the songs that count for a user's history; none that the user hides. */
  onCounted(listener: (userId: number, song: CountedSong) => void): void;
  /** Reports the song that plays now, if it counts by now. */
  countSongs(userId: number): void;
  /** What was played of a user's present song until now counts for nothing. */
  beginAgain(userId: number): void;
  /**
   * The song that a user plays and others are shown without a cover, if the user wants one to be
   * found. `undefined` when it is hidden or paused, or while the channel does not run.
   */
  coverlessOf(userId: number): Playback | undefined;
  /** Calls back with each cover that others are shown, when its playback is read. */
  onCover(listener: (userId: number, artwork: Artwork) => void): void;
  /**
   * A cover of a user's music cannot be shown, so nobody is told of it for a while.
   * @param isPassing whether it may be there a moment later
   */
  coverFailed(userId: number, artwork: Artwork, isPassing: boolean): void;
  /** Stops following a user who is gone, and keeps nothing of what was played. */
  forget(userId: number): void;
  /** Delivers what a user's privacy rules, or those of any user, or a cover that was found have changed. */
  notify(userId?: number): void;
  /** The number of running channels. */
  running(): number;
  stop(): void;
}

export type HubDeps = WatcherDeps & Pick<ChannelViewDeps, "privacyOf" | "foundCover">;

/** How long a channel keeps running after the last request. */
const GRACE_MS = 60_000;
/** Longest wait for a new poll of a polled source; then its last answer is used. */
const NEXT_READING_MS = 1_000;

export function createHub(deps: HubDeps): Hub {
  const { clock } = deps;
  const channels = new Map<number, Channel>();
  const unreadable = createUnreadableCovers(clock);
  const coverListeners: ((userId: number, artwork: Artwork) => void)[] = [];
  const counters: ((userId: number, song: CountedSong) => void)[] = [];
  const shared: ChannelDeps = {
    ...deps,
    unreadable,
    onCounted(userId, counted) {
      if (hidesTrack(deps.privacyOf(userId), counted.song)) return;
      const isShowable = !unreadable.has(counted.artwork);
      const song = isShowable ? counted : { ...counted, artwork: undefined };
      for (const note of counters) note(userId, song);
    },
    onCover(userId, artwork) {
      for (const look of coverListeners) look(userId, artwork);
    },
  };
  const open = (userId: number): Channel => {
    const opened = new Channel(userId, shared);
    channels.set(userId, opened);
    return opened;
  };
  const channelOf = (userId: number): Channel => channels.get(userId) ?? open(userId);

  const runningChannelOf = (userId: number): Channel => {
    const channel = channelOf(userId);
    channel.view.current.usedAtMs = clock.monotonicMs();
    if (!channel.running) {
      channel.start();
      stopWhenIdle(channel, clock);
    }
    return channel;
  };

  /** Some readings change by time alone, which nobody learns while nobody subscribes. */
  const countSongs = (userId: number) => {
    const channel = channels.get(userId);
    if (channel?.running) channel.lastSongs.note(channel.view.read());
  };

  /** The running channels, or one user's if it runs. */
  const runningOf = (userId?: number): [number, Channel][] =>
    (userId === undefined ? [...channels.keys()] : [userId]).flatMap((id) => {
      const channel = channels.get(id);
      return channel?.running ? [[id, channel]] : [];
    });

  return {
    currentOf: (userId) => channelOf(userId).view.current,
    peek(userId) {
      const known = channels.get(userId)?.view.current.at(clock.monotonicMs());
      return known ?? runningChannelOf(userId).view.peek();
    },
    async read(userId, atMostMs) {
      const channel = runningChannelOf(userId);
      const { view } = channel;
      const known = view.peek();
      if (known) return known;
      const isOutdated = view.read() !== undefined;
      const reading = channel.awaitReading();
      if (isOutdated) channel.ask();
      await atMost(clock, isOutdated ? Math.min(atMostMs, NEXT_READING_MS) : atMostMs, reading);
      return view.read() ?? { kind: "unavailable", retryAfterMs: 1_000 };
    },
    subscribe(userId, subscriber, scope = "shown") {
      const leave = channelOf(userId).subscribe(subscriber, scope);
      // Sources begin with somebody who watches.
      runningChannelOf(userId);
      return () => {
        leave();
        const channel = channels.get(userId);
        if (channel) channel.view.current.usedAtMs = clock.monotonicMs();
      };
    },
    followConnections: (userId) =>
      attemptEach(runningOf(userId), async ([, channel]) => {
        // Others are answered in between.
        if (userId === undefined) await nextTurn();
        channel.followConnections();
      }),
    rawPlayback: (userId) => channels.get(userId)?.view.rawPlayback(),
    readingsOf: (userId) => channels.get(userId)?.view.reports() ?? [],
    songsBefore(userId) {
      const channel = channels.get(userId);
      const rules = deps.privacyOf(userId);
      if (!channel || isSharingPaused(rules, clock.wallMs())) return [];
      countSongs(userId);
      return channel.lastSongs.finished.filter(({ song }) => !hidesTrack(rules, song));
    },
    onCounted: (listener) => void counters.push(listener),
    countSongs,
    beginAgain: (userId) => channels.get(userId)?.lastSongs.beginAgain(),
    coverlessOf: (userId) => runningOf(userId)[0]?.[1].view.coverless(),
    onCover: (listener) => void coverListeners.push(listener),
    coverFailed(userId, artwork, isPassing) {
      unreadable.note(artwork, isPassing);
      runningOf(userId)[0]?.[1].notify();
    },
    notify(userId) {
      for (const [, channel] of runningOf(userId)) channel.notify();
    },
    forget(userId) {
      channels.get(userId)?.stop();
      channels.delete(userId);
    },
    running: () => runningOf().length,
    stop() {
      for (const channel of channels.values()) channel.stop();
    },
  };
}

/** One timer for each running channel. It is set again only when it fires, not per request. */
function stopWhenIdle(
  channel: Channel,
  clock: Pick<Clock, "after" | "monotonicMs">,
  delayMs = GRACE_MS,
): void {
  clock.after(delayMs, () => {
    if (!channel.running) return;
    const idleMs = clock.monotonicMs() - channel.view.current.usedAtMs;
    if (channel.watched) stopWhenIdle(channel, clock);
    else if (idleMs < GRACE_MS) stopWhenIdle(channel, clock, GRACE_MS - idleMs);
    else channel.stop();
  });
}
