import type { PrivacyRules } from "../accounts/privacy.ts";
import type { Artwork, Playback } from "../playback.ts";
import { ChannelView, type ConnectionReading } from "./channel-view.ts";
import { ConnectionSet, type ConnectionSetDeps } from "./connection-set.ts";
import type { CurrentReading } from "./current-reading.ts";
import { createDemand } from "./demand.ts";
import type { Reading } from "./reading.ts";
import { type Scope, type Subscriber, Subscribers } from "./subscribers.ts";
import type { UnreadableCovers } from "./unreadable-covers.ts";

export interface ChannelDeps extends ConnectionSetDeps {
  readonly userId: number;
  /** What the user does not want to be shown. */
  rules(): PrivacyRules;
  /** The cover that was found elsewhere for a playback without one. */
  foundCover(playback: Playback): Artwork | undefined;
  readonly unreadable: UnreadableCovers;
  /** Is called with each reading, also while nobody subscribes; `undefined` when the channel stops. */
  onReading(reading: Reading | undefined): void;
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
  /** What each connection reports, in the user's order. */
  reports(): ConnectionReading[];
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
  /**
   * Something else than a report may have changed the reading, such as time or the user's privacy rules:
   * subscribers get it if so.
   */
  notify(): void;
  /** Starts and stops the watching of connections that have changed. */
  followConnections(): Promise<void>;
  /** What others are shown without a cover, if the user wants one to be found for it. */
  coverless(): Playback | undefined;
  start(): void;
  stop(): void;
}

export function createChannel(deps: ChannelDeps): Channel {
  const { clock, rules } = deps;
  let running = false;
  /** Since when there are subscribers (monotonic). */
  let watchedSinceMs: number | undefined;
  /** Whether `firstReading` has resolved. */
  let isFirstRead = false;
  let firstReading = Promise.withResolvers<void>();
  let nextReading = Promise.withResolvers<void>();
  let cancelNotify: (() => void) | undefined;

  const view = new ChannelView({
    clock,
    rules,
    foundCover: deps.foundCover,
    unreadable: deps.unreadable,
    connections: () => set.connections,
    watchedSinceMs: () => watchedSinceMs,
  });
  const subscribers = new Subscribers(deps.log, (reading, scope) => view.textOf(reading, scope));
  const demand = createDemand(() => subscribers.size > 0);

  const notify = () => {
    view.current.forget();
    const reading = view.read();
    deps.onReading(reading);
    if (reading && !isFirstRead) {
      isFirstRead = true;
      firstReading.resolve();
    }
    planNotify();
    if (reading) subscribers.deliver(reading);
  };

  /** Plans the next `notify` if somebody waits for it: some readings change by time alone. */
  const planNotify = () => {
    cancelNotify?.();
    cancelNotify = undefined;
    if (subscribers.size === 0 && isFirstRead) return;
    const inMs = view.changesInMs();
    if (inMs !== undefined) cancelNotify = clock.after(inMs, notify);
  };

  /** There is no reading: requests wait for the next one. */
  const awaitFirst = () => {
    if (!isFirstRead) return;
    isFirstRead = false;
    firstReading = Promise.withResolvers();
  };

  const onChange = () => {
    if (!view.merged()) awaitFirst();
    if (clock.monotonicMs() <= view.outdatedAtMs()) {
      nextReading.resolve();
      nextReading = Promise.withResolvers();
    }
    notify();
  };

  const followWatched = (sinceMs: number | undefined) => {
    watchedSinceMs = sinceMs;
    demand.change("changed");
    planNotify();
  };

  const set = new ConnectionSet({ userId: deps.userId, demand, onChange }, deps);

  return {
    get running() {
      return running;
    },
    get watched() {
      return subscribers.size > 0;
    },
    rawPlayback() {
      const reading = view.merged();
      if (reading?.kind === "playback") return reading.playback;
      return reading && null;
    },
    reports: () => view.reports(),
    current: view.current,
    firstReading: () => firstReading.promise,
    nextReading: () => nextReading.promise,
    read: () => view.read(),
    peek: () => view.peek(),
    ask: () => demand.change("asked"),
    subscribe(subscriber, scope) {
      const reading = view.read();
      subscribers.add(subscriber, scope, reading);
      view.current.forget();
      if (subscribers.size === 1) followWatched(clock.monotonicMs());
      if (reading) subscriber(reading);
      return () => {
        view.current.forget();
        if (subscribers.remove(subscriber) && subscribers.size === 0) followWatched(undefined);
      };
    },
    notify,
    followConnections: () => set.followChanges(),
    coverless: () => view.coverless(),
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
      view.current.forget();
      subscribers.forgetDelivered();
      awaitFirst();
    },
  };
}
