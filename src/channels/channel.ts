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

/** A polled source's last playback is good for so long without another poll. */
const FRESH_MS = 4_000;

type Subscriber = (reading: Reading) => void;

/** What a subscriber is called for: changes of what others are shown, or of all that is heard. */
export type Scope = "shown" | "heard";

/** One user's music: watched while it runs, and what is true of it now. */
export interface Channel {
  readonly running: boolean;
  /** Whether anybody subscribes. */
  readonly watched: boolean;
  /** The connection that is watched; `undefined` when there is none. */
  readonly connectionId: number | undefined;
  /** Whether the source has to be asked before its last playback can be passed on. */
  readonly stale: boolean;
  /** What was heard, hidden or not; `undefined` until something was. */
  readonly rawPlayback: Playback | null | undefined;
  /** Resolves once there is a reading. */
  firstReading(): Promise<void>;
  /** Resolves with the next report, be it the same as before. */
  nextReading(): Promise<void>;
  /** What can be said now; `undefined` until something was heard or has failed. */
  read(): Reading | undefined;
  /** Brings the source's next poll forward, if it is one that polls. */
  ask(): void;
  /** Calls back with the reading there is, then with each new one. The result ends it. */
  subscribe(subscriber: Subscriber, scope: Scope): () => void;
  /** Tells the subscribers when the reading has changed, be it by time or by the user's rules. */
  notify(): void;
  start(): void;
  stop(): void;
}

export function createChannel(deps: ChannelDeps): Channel {
  const { clock, log, watcher, rules } = deps;
  /** Each with what was delivered to it last, as text: the same is delivered once. */
  const subscribers = new Map<Subscriber, { readonly scope: Scope; delivered?: string }>();
  const demand = createDemand(() => subscribers.size > 0);
  let run: AbortController | undefined;
  let state: ChannelState = NOTHING_KNOWN;
  let firstReading = Promise.withResolvers<void>();
  let nextReading = Promise.withResolvers<void>();
  let cancelNotify: (() => void) | undefined;

  const now = (): Now => ({ monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() });
  const read = () => readingAt(state, rules(), now());

  const isPaused = () => {
    const { pausedUntil } = rules();
    return pausedUntil !== null && clock.wallMs() < pausedUntil;
  };

  /** All that a subscriber would see of a reading. */
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
        // The others, and the watching, go on.
        log.error("a reading could not be delivered", { reason: describeError(error) });
      }
    }
  };

  /** Some readings end by time alone. */
  const planNotify = () => {
    cancelNotify?.();
    const current = now();
    const atMs = nextChangeAt(state, rules(), current);
    cancelNotify =
      atMs === undefined ? undefined : clock.after(Math.ceil(atMs - current.monotonicMs), notify);
  };

  const apply = (report: Report) => {
    state = stateAfter(state, report, clock.monotonicMs());
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
    get stale() {
      if (!watcher.polled || subscribers.size > 0 || state.kind !== "heard") return false;
      return !state.failure && clock.monotonicMs() - state.heardAtMs > FRESH_MS;
    },
    get rawPlayback() {
      return rawPlayback();
    },
    firstReading: () => firstReading.promise,
    nextReading: () => nextReading.promise,
    read,
    ask: () => demand.change("asked"),
    subscribe(subscriber, scope) {
      const reading = read();
      subscribers.set(subscriber, {
        scope,
        ...(reading && { delivered: textOf(reading, scope) }),
      });
      if (subscribers.size === 1) demand.change("changed");
      if (reading) subscriber(reading);
      return () => {
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
      for (const known of subscribers.values()) delete known.delivered;
      firstReading = Promise.withResolvers();
    },
  };
}

type DemandEvent = "asked" | "changed";

/** Tells a source whether anybody follows every change, and when somebody asks. */
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
