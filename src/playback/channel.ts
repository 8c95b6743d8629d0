import type { Clock } from "../clock.ts";
import { describeError, type Log } from "../log.ts";
import { SourceFailure, type WatchContext } from "../sources/source.ts";
import { retryDelayMs } from "./backoff.ts";
import { type Playback, reconcile } from "./playback.ts";

/** What can be said of a user's music at a moment. */
export type Reading =
  | { readonly kind: "playback"; readonly playback: Playback }
  | { readonly kind: "nothing" }
  /** No music is connected, or the upstream wants the user to connect again. */
  | { readonly kind: "unlinked" }
  | { readonly kind: "unavailable"; readonly retryAfterMs: number };

/** A user's connection, ready to be listened to. */
export interface Listening {
  /** `undefined` when the user has connected nothing and hears the demo. */
  readonly connectionId: number | undefined;
  watch(context: WatchContext): AsyncIterable<Playback | null>;
}

export interface ChannelDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** A number from 0 to 1. */
  random(): number;
  /** What the user is connected to, if it can be listened to. */
  listeningOf(userId: number): Promise<Listening | undefined>;
  /** The upstream refuses this connection until the user connects again. */
  onRefused(connectionId: number): Promise<void>;
}

/** A failed source's last word counts this long. */
export const TRUST_AFTER_FAILURE_MS = 30_000;
/** A player paused this long has been left. */
export const LONGEST_PAUSE_MS = 30 * 60_000;

/** Nothing more to hear until the user connects anew, or another attempt, sooner or later. */
type ListeningEnd = "over" | { readonly retryAfterMs?: number };

type Listener = (reading: Reading) => void;

/** One user's music: runs the source while somebody looks, and keeps what it said last. */
export class Channel {
  readonly #userId: number;
  readonly #deps: ChannelDeps;
  readonly #listeners = new Set<Listener>();
  #run: AbortController | undefined;
  #connectionId: number | undefined;
  /** `undefined` until the source has said something. */
  #observed: Playback | null | undefined;
  #unlinked = false;
  /** Whether this attempt to listen has brought a word. */
  #heard = false;
  #failure: { sinceMs: number; nextTryMs: number } | undefined;
  /** Survives the end of a run, so that looking away does not make a pause young again. */
  #pause: { trackId: string; positionMs: number; sinceMs: number } | undefined;
  #settled = Promise.withResolvers<void>();
  /** What the listeners were told last. */
  #told: string | undefined;
  #cancelReview: (() => void) | undefined;

  constructor(userId: number, deps: ChannelDeps) {
    this.#userId = userId;
    this.#deps = deps;
  }

  get running(): boolean {
    return this.#run !== undefined;
  }

  get watched(): boolean {
    return this.#listeners.size > 0;
  }

  /** The connection listened to; `undefined` when there is none. */
  get connectionId(): number | undefined {
    return this.#connectionId;
  }

  /** Resolves once there is a reading. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** What can be said now; `undefined` until the source has been heard or has failed. */
  read(): Reading | undefined {
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#unlinked) return { kind: "unlinked" };
    const failure = this.#failure;
    const untrusted = failure && nowMs - failure.sinceMs >= TRUST_AFTER_FAILURE_MS;
    if (failure && (untrusted || this.#observed === undefined)) {
      return { kind: "unavailable", retryAfterMs: Math.max(0, failure.nextTryMs - nowMs) };
    }
    if (this.#observed === undefined) return undefined;
    const abandoned = this.#pause && nowMs - this.#pause.sinceMs >= LONGEST_PAUSE_MS;
    if (this.#observed === null || abandoned) return { kind: "nothing" };
    return { kind: "playback", playback: this.#observed };
  }

  /** Calls back with the reading there is, then with each new one. The result ends it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    const reading = this.read();
    if (reading) listener(reading);
    return () => void this.#listeners.delete(listener);
  }

  start(): void {
    if (this.#run) return;
    const run = new AbortController();
    this.#run = run;
    void this.#listen(run.signal);
  }

  stop(): void {
    this.#run?.abort();
    this.#run = undefined;
    this.#cancelReview?.();
    this.#connectionId = undefined;
    this.#observed = undefined;
    this.#failure = undefined;
    this.#unlinked = false;
    this.#settled = Promise.withResolvers();
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    for (let failures = 0; !signal.aborted;) {
      this.#heard = false;
      const end = await this.#listenOnce(signal);
      if (end === "over" || signal.aborted) return;
      failures = this.#heard ? 1 : failures + 1;
      const delayMs = end.retryAfterMs ?? retryDelayMs(failures, random());
      const nowMs = clock.monotonicMs();
      this.#failure = { sinceMs: this.#failure?.sinceMs ?? nowMs, nextTryMs: nowMs + delayMs };
      this.#settle();
      await clock.sleep(delayMs, signal);
    }
  }

  /** Listens until the source ends, and answers how it goes on. */
  async #listenOnce(signal: AbortSignal): Promise<ListeningEnd> {
    const { clock, log } = this.#deps;
    try {
      const listening = await this.#deps.listeningOf(this.#userId);
      if (signal.aborted) return "over";
      this.#connectionId = listening?.connectionId;
      if (!listening) return this.#unlink();
      for await (const playback of listening.watch({ signal, clock, log })) {
        if (signal.aborted) return "over";
        this.#hear(playback);
      }
      if (!signal.aborted) log.warn("a source ended by itself", { user: this.#userId });
      return {};
    } catch (error) {
      return signal.aborted ? "over" : this.#failed(error);
    }
  }

  async #failed(error: unknown): Promise<ListeningEnd> {
    const { log } = this.#deps;
    const reason = describeError(error);
    if (!(error instanceof SourceFailure)) {
      if (!this.#failure) log.error("a source broke", { user: this.#userId, reason });
      return {};
    }
    if (error.meaning.kind === "unauthorized") {
      log.warn("music has to be connected again", { user: this.#userId, reason });
      await this.#rememberRefusal();
      return this.#unlink();
    }
    // Once when it starts failing, not for every attempt.
    if (!this.#failure) log.warn("music cannot be heard", { user: this.#userId, reason });
    return error.meaning.kind === "retryLater" ? { retryAfterMs: error.meaning.afterMs } : {};
  }

  async #rememberRefusal(): Promise<void> {
    try {
      if (this.#connectionId !== undefined) await this.#deps.onRefused(this.#connectionId);
    } catch (error) {
      // Without room on the disk it is found out again after a restart.
      this.#deps.log.error("a refusal could not be stored", { reason: describeError(error) });
    }
  }

  #unlink(): ListeningEnd {
    this.#unlinked = true;
    this.#settle();
    return "over";
  }

  #hear(playback: Playback | null): void {
    this.#heard = true;
    if (this.#failure) this.#deps.log.info("music is heard again", { user: this.#userId });
    this.#observed = reconcile(this.#observed, playback);
    this.#failure = undefined;
    this.#notePause(this.#observed);
    this.#settle();
  }

  #notePause(playback: Playback | null): void {
    if (playback?.state !== "paused") {
      this.#pause = undefined;
      return;
    }
    const { track, positionMs } = playback;
    const samePause = this.#pause?.trackId === track.id && this.#pause.positionMs === positionMs;
    if (samePause) return;
    this.#pause = { trackId: track.id, positionMs, sinceMs: this.#deps.clock.monotonicMs() };
  }

  /** Tells who waits and who listens, and plans when the reading changes by time alone. */
  #settle(): void {
    this.#settled.resolve();
    this.#planReview();
    const reading = this.read();
    const telling = reading && tellingOf(reading);
    if (!reading || telling === this.#told) return;
    this.#told = telling;
    for (const listener of this.#listeners) listener(reading);
  }

  #planReview(): void {
    this.#cancelReview?.();
    this.#cancelReview = undefined;
    const nowMs = this.#deps.clock.monotonicMs();
    const turns = [
      this.#failure && this.#failure.sinceMs + TRUST_AFTER_FAILURE_MS,
      this.#pause && this.#pause.sinceMs + LONGEST_PAUSE_MS,
    ].filter((atMs): atMs is number => atMs !== undefined && atMs > nowMs);
    if (turns.length === 0) return;
    const delayMs = Math.ceil(Math.min(...turns) - nowMs);
    this.#cancelReview = this.#deps.clock.after(delayMs, () => this.#settle());
  }
}

/** All that listeners would see of a reading: two alike need telling once. */
function tellingOf(reading: Reading): string {
  return reading.kind === "playback" ? JSON.stringify(reading.playback) : reading.kind;
}
