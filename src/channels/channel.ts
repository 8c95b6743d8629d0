import { ChannelView, type ChannelViewDeps } from "./channel-view.ts";
import { ConnectionSet } from "./connection-set.ts";
import { createDemand } from "./demand.ts";
import type { Reading } from "./reading.ts";
import { type Scope, type Subscriber, Subscribers } from "./subscribers.ts";
import type { WatcherDeps } from "./watcher.ts";

export interface ChannelDeps
  extends WatcherDeps, Omit<ChannelViewDeps, "connections" | "watchedSinceMs"> {
  /** Is called with each reading, also while nobody subscribes; `undefined` when the channel stops. */
  onReading(reading: Reading | undefined): void;
}

/** One user's music and its current state. All connections are watched while the channel runs. */
export type Channel = ReturnType<typeof createChannel>;

export function createChannel(deps: ChannelDeps) {
  const { clock } = deps;
  let running = false;
  /** Since when there are subscribers (monotonic). */
  let watchedSinceMs: number | undefined;
  /** What requests wait for, while any do: a reading that may be used. */
  let awaited: PromiseWithResolvers<void> | undefined;
  let cancelNotify: (() => void) | undefined;

  const view = new ChannelView({
    ...deps,
    connections: () => set.connections,
    watchedSinceMs: () => watchedSinceMs,
  });
  const subscribers = new Subscribers(deps.log, (reading, scope) => view.textOf(reading, scope));
  const demand = createDemand(() => subscribers.size > 0);

  /**
   * Something else than a report may have changed the reading, such as time or the user's privacy rules:
   * subscribers get it if so.
   */
  const notify = () => {
    view.current.forget();
    const reading = view.read();
    deps.onReading(reading);
    if (awaited && view.peek()) {
      awaited.resolve();
      awaited = undefined;
    }
    planNotify();
    if (reading) subscribers.deliver(reading);
  };

  /** Plans the next `notify` if somebody waits for it: some readings change by time alone. */
  const planNotify = () => {
    cancelNotify?.();
    cancelNotify = undefined;
    if (subscribers.size === 0 && !awaited) return;
    const inMs = view.changesInMs();
    if (inMs !== undefined) cancelNotify = clock.after(inMs, notify);
  };

  const followWatched = (sinceMs: number | undefined) => {
    watchedSinceMs = sinceMs;
    demand.change("changed");
    planNotify();
  };

  const set = new ConnectionSet({ userId: deps.userId, demand, onChange: notify }, deps);

  return {
    get running() {
      return running;
    },
    /** Whether there is a subscriber. */
    get watched() {
      return subscribers.size > 0;
    },
    /** What can be read of it. */
    view,
    /** Resolves once there is a reading for which no polled source has to be polled again. */
    awaitReading() {
      awaited ??= Promise.withResolvers();
      planNotify();
      return awaited.promise;
    },
    /** Brings the next poll of each polled source forward. */
    ask: () => demand.change("asked"),
    /** Calls back with the current reading, then with each new one. Call the result to end it. */
    subscribe(subscriber: Subscriber, scope: Scope) {
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
    /** Starts and stops the watching of connections that have changed. */
    followConnections() {
      if (running) set.follow();
    },
    start() {
      if (running) return;
      running = true;
      set.follow();
    },
    stop() {
      running = false;
      deps.onReading(undefined);
      set.stop();
      cancelNotify?.();
      cancelNotify = undefined;
      view.current.forget();
      subscribers.forgetDelivered();
    },
  };
}
