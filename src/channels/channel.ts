import type { PrivacyRules } from "../accounts/privacy.ts";
import type { Clock } from "../clock.ts";
import { describeError, type Log } from "../log.ts";
import type { Playback } from "../playback.ts";
import type { Demand } from "../sources/source.ts";
import {
  type ChannelState,
  nextChangeAt,
  NOTHING_KNOWN,
  type Now,
  type Reading,
  readingAt,
  type Report,
  stateAfter,
  stateAfterStop,
} from "./reading.ts";
import type { Watcher } from "./watcher.ts";

export interface ChannelDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  readonly watcher: Watcher;
  /** What the user does not want to be shown. */
  rules(): PrivacyRules;
}

/** How long a polled source's last playback counts as current without another poll. */
const FRESH_MS = 4_000;

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

/** Which changes a subscriber gets: of what others are shown, or of all that the source reports. */
export type Scope = "shown" | "heard";

/** One user's music and its current state. The user's source is watched while the channel runs. */
export interface Channel {
  readonly running: boolean;
  /** Whether there is a subscriber. */
  readonly watched: boolean;
  /** The connection that is watched; `undefined` when there is none. */
  readonly connectionId: number | undefined;
  /** The current reading for as long as it holds. */
  readonly current: CurrentReading;
  /** The source's last playback, hidden or not; `undefined` until it has observed anything. */
  readonly rawPlayback: Playback | null | undefined;
  /** Resolves once there is a reading. */
  firstReading(): Promise<void>;
  /** Resolves at the next report, even if nothing has changed. */
  nextReading(): Promise<void>;
  /** The current reading; `undefined` before the first report. */
  read(): Reading | undefined;
  /** The same, but `undefined` also when the source has to be polled again before it is used. */
  peek(): Reading | undefined;
  /** Brings the source's next poll forward, if it is one that polls. */
  ask(): void;
  /** Calls back with the current reading, then with each new one. Call the result to end it. */
  subscribe(subscriber: Subscriber, scope: Scope): () => void;
  /** Delivers the reading to subscribers if time or the user's privacy rules have changed it. */
  notify(): void;
  start(): void;
  stop(): void;
}

export function createChannel(deps: ChannelDeps): Channel {
  const { clock, log, watcher, rules } = deps;
  /** Each with its last delivered reading as text: the same reading is not delivered twice. */
  const subscribers = new Map<Subscriber, { readonly scope: Scope; delivered?: string }>();
  const demand = createDemand(() => subscribers.size > 0);
  let run: AbortController | undefined;
  let state: ChannelState = NOTHING_KNOWN;
  /** Until when an unwatched, polled source's last playback is current; monotonic milliseconds. */
  let freshUntilMs = Infinity;
  const current: { -readonly [Key in keyof CurrentReading]: CurrentReading[Key] } = {
    reading: undefined,
    rules: undefined,
    untilMs: -Infinity,
  };
  let firstReading = Promise.withResolvers<void>();
  let nextReading = Promise.withResolvers<void>();
  let cancelNotify: (() => void) | undefined;

  const now = (): Now => ({ monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() });
  const read = () => readingAt(state, rules(), now());

  const peek = () => {
    const moment = now();
    const outdatedAtMs = subscribers.size > 0 ? Infinity : freshUntilMs;
    if (moment.monotonicMs > outdatedAtMs) return undefined;
    current.rules = rules();
    current.reading = readingAt(state, current.rules, moment);
    // The wait for a retry and the end of a pause by the wall clock are worked out each time.
    const changesByItself =
      current.reading?.kind === "unavailable" || current.rules.pausedUntil !== null;
    current.untilMs = changesByItself
      ? -Infinity
      : Math.min(outdatedAtMs, nextChangeAt(state, current.rules, moment) ?? Infinity);
    return current.reading;
  };

  /** What `peek` answered no longer holds. */
  const forgetCurrent = () => {
    current.untilMs = -Infinity;
  };

  const isPaused = () => {
    const { pausedUntil } = rules();
    return pausedUntil !== null && clock.wallMs() < pausedUntil;
  };

  /** Everything that a subscriber sees of a reading, as text to compare. */
  const textOf = (reading: Reading, scope: Scope): string => {
    const shown = reading.kind === "playback" ? JSON.stringify(reading.playback) : reading.kind;
    return scope === "shown" ? shown : JSON.stringify([shown, rawPlayback(), isPaused()]);
  };

  const rawPlayback = () => (state.kind === "heard" ? state.playback : undefined);

  const notify = () => {
    planNotify();
    const reading = read();
    if (!reading) return;
    const texts: Partial<Record<Scope, string>> = {};
    for (const [subscriber, known] of subscribers) {
      const text = (texts[known.scope] ??= textOf(reading, known.scope));
      if (text === known.delivered) continue;
      known.delivered = text;
      try {
        subscriber(reading);
      } catch (error) {
        // The other subscribers still get it, and the source is still watched.
        log.error("a reading could not be delivered", { reason: describeError(error) });
      }
    }
  };

  /** Plans the next `notify`: some readings change by time alone. */
  const planNotify = () => {
    cancelNotify?.();
    const current = now();
    const atMs = nextChangeAt(state, rules(), current);
    cancelNotify =
      atMs === undefined ? undefined : clock.after(Math.ceil(atMs - current.monotonicMs), notify);
  };

  const apply = (report: Report) => {
    const nowMs = clock.monotonicMs();
    state = stateAfter(state, report, nowMs);
    freshUntilMs = watcher.polled && report.kind === "heard" ? nowMs + FRESH_MS : Infinity;
    forgetCurrent();
    firstReading.resolve();
    nextReading.resolve();
    nextReading = Promise.withResolvers();
    notify();
  };

  const watch = async (signal: AbortSignal) => {
    for await (const report of watcher.watch({ demand, signal })) {
      if (signal.aborted) return;
      apply(report);
    }
  };

  return {
    get running() {
      return run !== undefined;
    },
    get watched() {
      return subscribers.size > 0;
    },
    get connectionId() {
      return run && watcher.connectionId;
    },
    get rawPlayback() {
      return rawPlayback();
    },
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
      if (subscribers.size === 1) demand.change("changed");
      if (reading) subscriber(reading);
      return () => {
        forgetCurrent();
        if (subscribers.delete(subscriber) && subscribers.size === 0) demand.change("changed");
      };
    },
    notify,
    start() {
      if (run) return;
      run = new AbortController();
      void watch(run.signal);
    },
    stop() {
      run?.abort();
      run = undefined;
      cancelNotify?.();
      cancelNotify = undefined;
      state = stateAfterStop(state);
      freshUntilMs = Infinity;
      forgetCurrent();
      for (const known of subscribers.values()) delete known.delivered;
      firstReading = Promise.withResolvers();
    },
  };
}

type DemandEvent = "asked" | "changed";

/** Shows a source whether there are subscribers, and when a request wants the current state. */
function createDemand(watched: () => boolean): Demand & { change(event: DemandEvent): void } {
  const waiting = new Set<(event: DemandEvent) => void>();
  return {
    get watched() {
      return watched();
    },
    nextChange: (signal) =>
      new Promise((resolve) => {
        const finish = (event: DemandEvent) => {
          waiting.delete(finish);
          signal.removeEventListener("abort", end);
          resolve(event);
        };
        const end = () => finish("changed");
        if (signal.aborted) return end();
        waiting.add(finish);
        signal.addEventListener("abort", end);
      }),
    change(event) {
      for (const finish of [...waiting]) finish(event);
    },
  };
}
