import { isSharingPaused, type PrivacyRules } from "../accounts/privacy.ts";
import { describeError } from "../log.ts";
import type { Playback } from "../playback.ts";
import type { Watching, WatchingDeps } from "./connection-set.ts";
import { createDemand } from "./demand.ts";
import { reportedBy, merge, type Moment, outdatedAt } from "./merge.ts";
import { nextChangeAt, type Now, type Reading, readingAt } from "./reading.ts";
import type { WatcherDeps } from "./watcher.ts";

export interface ChannelDeps extends Pick<WatcherDeps, "clock" | "log"> {
  readonly userId: number;
  /** Hears the user's connections: here, or on the node that watches them. */
  watch(deps: WatchingDeps): Watching;
  /** What the user does not want to be shown. */
  rules(): PrivacyRules;
  /** Told of each reading, also while nobody subscribes; `undefined` when the channel stops. */
  onReading(reading: Reading | undefined): void;
}

/**
 * What `peek` has answered. It holds until a monotonic time, or until the channel sets that back
 * because something happened, while the user's privacy rules are the same object.
 */
export interface CurrentReading {
  readonly reading: Reading | undefined;
  readonly rules: PrivacyRules | undefined;
  readonly untilMs: number;
}

type Subscriber = (reading: Reading) => void;

/**
 * Which changes a subscriber gets: of what others are shown, the same for who shows it later and has
 * to know when the user hides it, or of all that sources report.
 */
export type Scope = "shown" | "shown later" | "all";

/** What one connection of a user hears. */
export interface ConnectionReading {
  /** `undefined` when the user has connected nothing and gets the demo. */
  readonly connectionId: number | undefined;
  /** Its playback, hidden or not; `undefined` until it has reported anything. */
  readonly playback: Playback | null | undefined;
  /** Whether it is the one that is shown, unless the user hides it. */
  readonly isShown: boolean;
}

/** One user's music and its current state. All connections are watched while the channel runs. */
export interface Channel {
  readonly running: boolean;
  /** Whether there is a subscriber. */
  readonly watched: boolean;
  /** The current reading for as long as it holds. */
  readonly current: CurrentReading;
  /** The playback that is shown unless the user hides it; `undefined` while too little is known. */
  rawPlayback(): Playback | null | undefined;
  /** What each connection hears, in the user's order. */
  heard(): ConnectionReading[];
  /** Resolves once there is a reading. */
  firstReading(): Promise<void>;
  /** Resolves once no polled answer is outdated any more, even if nothing has changed. */
  nextReading(): Promise<void>;
  /** The current reading; `undefined` before the first report. */
  read(): Reading | undefined;
  /** The same, but `undefined` also when a source has to be polled again before it is used. */
  peek(): Reading | undefined;
  /** Brings the next poll of each polled source forward. */
  ask(): void;
  /** Calls back with the current reading, then with each new one. Call the result to end it. */
  subscribe(subscriber: Subscriber, scope: Scope): () => void;
  /** Delivers the reading to subscribers if time or the user's privacy rules have changed it. */
  notify(): void;
  start(): void;
  stop(): void;
}

export function createChannel(deps: ChannelDeps): Channel {
  const { clock, log, rules } = deps;
  /** Each with its last delivered reading as text: the same reading is not delivered twice. */
  const subscribers = new Map<Subscriber, { readonly scope: Scope; delivered?: string }>();
  const demand = createDemand(() => subscribers.size > 0);
  let running = false;
  /** Since when there are subscribers (monotonic). */
  let watchedSinceMs: number | undefined;
  const current: { -readonly [Key in keyof CurrentReading]: CurrentReading[Key] } = {
    reading: undefined,
    rules: undefined,
    untilMs: -Infinity,
  };
  /** Whether `firstReading` has resolved. */
  let isFirstRead = false;
  let firstReading = Promise.withResolvers<void>();
  let nextReading = Promise.withResolvers<void>();
  let cancelNotify: (() => void) | undefined;

  /** Since when somebody follows every change, here or on another node (monotonic). */
  const watchedAnywhereSinceMs = () => watchedSinceMs ?? set.watchedSinceMs;

  const now = (): Now => ({
    monotonicMs: clock.monotonicMs(),
    wallMs: clock.wallMs(),
    watchedSinceMs: watchedAnywhereSinceMs(),
  });
  const read = () => readingAt(set.connections, rules(), now());

  /** When an unwatched, polled source has to be polled again; monotonic milliseconds. */
  const outdatedAtMs = () =>
    watchedAnywhereSinceMs() === undefined && set.connections
      ? outdatedAt(set.connections, clock.monotonicMs())
      : Infinity;

  const peek = () => {
    const moment = now();
    const untilMs = outdatedAtMs();
    if (moment.monotonicMs > untilMs) return undefined;
    current.rules = rules();
    current.reading = readingAt(set.connections, current.rules, moment);
    // The wait for a retry and the end of a pause by the wall clock are worked out each time.
    const changesByItself =
      current.reading?.kind === "unavailable" || current.rules.pausedUntil !== null;
    current.untilMs = changesByItself
      ? -Infinity
      : Math.min(untilMs, nextChangeAt(set.connections, current.rules, moment) ?? Infinity);
    return current.reading;
  };

  /** What `peek` answered no longer holds. */
  const forgetCurrent = () => {
    current.untilMs = -Infinity;
  };

  const isPaused = () => isSharingPaused(rules(), clock.wallMs());

  const momentNow = (): Moment => ({
    nowMs: clock.monotonicMs(),
    watchedSinceMs: watchedAnywhereSinceMs(),
  });

  /** The merged reading, hidden or not. */
  const merged = () => set.connections && merge(set.connections, momentNow());

  const heard = (): ConnectionReading[] => {
    const moment = momentNow();
    const reading = merged();
    const shownId = reading?.kind === "playback" ? { id: reading.connectionId } : undefined;
    return (set.connections ?? []).map((connection) => ({
      connectionId: connection.connectionId,
      playback: reportedBy(connection, moment),
      isShown: shownId !== undefined && shownId.id === connection.connectionId,
    }));
  };

  /** Everything that a subscriber sees of a reading, as text to compare. */
  const textOf = (reading: Reading, scope: Scope): string => {
    const shown = reading.kind === "playback" ? JSON.stringify(reading.playback) : reading.kind;
    if (scope === "shown") return shown;
    if (scope === "all") return JSON.stringify([shown, heard(), isPaused()]);
    return reading.kind === "nothing" ? `${shown} ${reading.hides ?? ""}` : shown;
  };

  const notify = () => {
    const reading = read();
    deps.onReading(reading);
    if (reading && !isFirstRead) {
      isFirstRead = true;
      firstReading.resolve();
    }
    planNotify();
    if (!reading) return;
    const texts: Partial<Record<Scope, string>> = {};
    for (const [subscriber, known] of subscribers) {
      const text = (texts[known.scope] ??= textOf(reading, known.scope));
      if (text === known.delivered) continue;
      known.delivered = text;
      try {
        subscriber(reading);
      } catch (error) {
        // The other subscribers still get it, and the sources are still watched.
        log.error("a reading could not be delivered", { reason: describeError(error) });
      }
    }
  };

  /** Plans the next `notify` if somebody waits for it: some readings change by time alone. */
  const planNotify = () => {
    cancelNotify?.();
    cancelNotify = undefined;
    if (subscribers.size === 0 && isFirstRead) return;
    const current = now();
    const atMs = nextChangeAt(set.connections, rules(), current);
    if (atMs === undefined) return;
    cancelNotify = clock.after(Math.ceil(atMs - current.monotonicMs), notify);
  };

  /** There is no reading: requests wait for the next one. */
  const awaitFirst = () => {
    if (!isFirstRead) return;
    isFirstRead = false;
    firstReading = Promise.withResolvers();
  };

  const onChange = () => {
    forgetCurrent();
    if (!merged()) awaitFirst();
    if (clock.monotonicMs() <= outdatedAtMs()) {
      nextReading.resolve();
      nextReading = Promise.withResolvers();
    }
    notify();
  };

  const set = deps.watch({ userId: deps.userId, demand, onChange });

  return {
    get running() {
      return running;
    },
    get watched() {
      return subscribers.size > 0;
    },
    rawPlayback() {
      const reading = merged();
      if (reading?.kind === "playback") return reading.playback;
      return reading && null;
    },
    heard,
    current,
    firstReading: () => firstReading.promise,
    nextReading: () => nextReading.promise,
    read,
    peek,
    ask: () => demand.change("asked"),
    subscribe(subscriber, scope) {
      const reading = read();
      subscribers.set(subscriber, {
        scope,
        ...(reading && { delivered: textOf(reading, scope) }),
      });
      forgetCurrent();
      if (subscribers.size === 1) {
        watchedSinceMs = clock.monotonicMs();
        demand.change("changed");
        planNotify();
      }
      if (reading) subscriber(reading);
      return () => {
        forgetCurrent();
        if (!subscribers.delete(subscriber) || subscribers.size > 0) return;
        watchedSinceMs = undefined;
        demand.change("changed");
        planNotify();
      };
    },
    notify,
    start() {
      if (running) return;
      running = true;
      void set.follow();
    },
    stop() {
      running = false;
      deps.onReading(undefined);
      set.stop();
      cancelNotify?.();
      cancelNotify = undefined;
      forgetCurrent();
      for (const known of subscribers.values()) delete known.delivered;
      awaitFirst();
    },
  };
}
