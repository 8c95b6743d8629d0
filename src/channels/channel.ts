import type { Artwork } from "../playback.ts";
import { ChannelView, type ChannelViewDeps } from "./channel-view.ts";
import { ConnectionSet } from "./connection-set.ts";
import type { KnownConnection } from "./connection-state.ts";
import { ChangingDemand } from "./demand.ts";
import { type CountedSong, LastSongs } from "./last-songs.ts";
import type { Reading } from "./reading.ts";
import { type Scope, type Subscriber, Subscribers } from "./subscribers.ts";
import type { WatcherDeps } from "./watcher.ts";

/** What all channels share. */
export interface ChannelDeps extends WatcherDeps, ChannelViewDeps {
  /** Is called with each song that counts for the history, and again as it goes on. */
  onCounted(userId: number, song: CountedSong): void;
  /** Is called with each cover that others are shown, when its playback is read. */
  onCover(userId: number, artwork: Artwork): void;
}

/**
 * One user's music and its current state. All connections are watched while the channel runs. It is a
 * class, as are its parts, because each user has one: functions of its own would take more memory
 * than its state.
 */
export class Channel {
  readonly userId: number;
  /** What can be read of it. */
  readonly view: ChannelView;
  /** What is played while it runs. */
  readonly lastSongs: LastSongs;
  readonly demand: ChangingDemand;
  /** Since when there are subscribers (monotonic). */
  watchedSinceMs: number | undefined;
  running = false;
  private readonly subscribers: Subscribers;
  private readonly set: ConnectionSet;
  private readonly deps: ChannelDeps;
  /** What requests wait for, while any do: a reading that may be used. */
  private awaited: PromiseWithResolvers<void> | undefined;
  private cancelNotify: (() => void) | undefined;

  constructor(userId: number, deps: ChannelDeps) {
    this.userId = userId;
    this.deps = deps;
    this.lastSongs = new LastSongs(deps.clock, (song) => deps.onCounted(userId, song));
    this.view = new ChannelView(this, deps);
    this.subscribers = new Subscribers(deps.log, this.view);
    this.demand = new ChangingDemand(this.subscribers);
    this.set = new ConnectionSet(this, deps);
  }

  /** In the user's order, with their current states; `undefined` before they are known. */
  get connections(): readonly KnownConnection[] | undefined {
    return this.set.connections;
  }

  /** Whether there is a subscriber. */
  get watched(): boolean {
    return this.demand.watched;
  }

  /** Resolves once there is a reading for which no polled source has to be polled again. */
  awaitReading(): Promise<void> {
    this.awaited ??= Promise.withResolvers();
    this.planNotify();
    return this.awaited.promise;
  }

  /** Brings the next poll of each polled source forward. */
  ask(): void {
    this.demand.change("asked");
  }

  /** Calls back with the current reading, then with each new one. Call the result to end it. */
  subscribe(subscriber: Subscriber, scope: Scope): () => void {
    const { view, subscribers } = this;
    const reading = view.read();
    subscribers.add(subscriber, scope, reading);
    view.current.forget();
    if (subscribers.size === 1) this.followWatched(this.deps.clock.monotonicMs());
    if (reading) subscriber(reading);
    return () => {
      view.current.forget();
      if (subscribers.remove(subscriber) && !this.watched) this.followWatched(undefined);
    };
  }

  /**
   * The reading may be another, by a report or by something else, such as time or the user's privacy
   * rules: subscribers get it if so.
   */
  notify(): void {
    const { view } = this;
    view.current.forget();
    const reading = view.read();
    this.note(reading);
    if (this.awaited && view.peek()) {
      this.awaited.resolve();
      this.awaited = undefined;
    }
    this.planNotify();
    if (reading) this.subscribers.deliver(reading);
  }

  /** Starts and stops the watching of connections that have changed. */
  followConnections(): void {
    if (this.running) this.set.follow();
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    this.set.follow();
  }

  stop(): void {
    this.running = false;
    this.note(undefined);
    this.set.stop();
    this.cancelNotify?.();
    this.cancelNotify = undefined;
    this.view.current.forget();
    this.subscribers.forgetDelivered();
  }

  /** Takes in each reading, also while nobody subscribes; `undefined` when the channel stops. */
  private note(reading: Reading | undefined): void {
    this.lastSongs.note(reading);
    const artworks = reading?.kind === "playback" ? reading.playback.album.artworks : [];
    for (const artwork of artworks) this.deps.onCover(this.userId, artwork);
  }

  /** Plans the next `notify` if somebody waits for it: some readings change by time alone. */
  private planNotify(): void {
    this.cancelNotify?.();
    this.cancelNotify = undefined;
    if (!this.watched && !this.awaited) return;
    const inMs = this.view.changesInMs();
    if (inMs !== undefined) this.cancelNotify = this.deps.clock.after(inMs, () => this.notify());
  }

  private followWatched(sinceMs: number | undefined): void {
    this.watchedSinceMs = sinceMs;
    this.demand.change("changed");
    this.planNotify();
  }
}
