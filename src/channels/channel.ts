import type { ReportedStatus, FailureReason } from "../accounts/connection-status.ts";
import { hidesTrack, type PrivacyRules } from "../accounts/privacy.ts";
import type { Clock } from "../clock.ts";
import { describeError, type Log } from "../log.ts";
import { type Demand, SourceFailure, type WatchContext } from "../sources/source.ts";
import { retryDelayMs } from "./backoff.ts";
import { boundPlayback } from "./bounds.ts";
import { type Playback, reconcile } from "../playback.ts";
import { CALM_MS, createStatusReporter, type StatusReporter } from "./status-reporter.ts";

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
  /** Whether what it said last grows old, because nothing tells it of changes. */
  readonly polls: boolean;
  watch(context: ListeningContext): AsyncIterable<Playback | null>;
}

export type ListeningContext = Omit<WatchContext, "connection">;

export interface ChannelDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** A number from 0 to 1. */
  random(): number;
  /** What the user is connected to, if it can be listened to. */
  listeningOf(userId: number): Promise<Listening | undefined>;
  /** The upstream refuses this connection until the user connects again. */
  onRefused(connectionId: number): Promise<void>;
  /** What the user does not want to be shown. */
  privacyOf(userId: number): PrivacyRules;
  /** How the connection does has changed. */
  onStatus(connectionId: number, status: ReportedStatus): Promise<void>;
}

/** A failed source's last word counts this long. */
export const TRUST_AFTER_FAILURE_MS = 30_000;
/** A player paused this long has been left. */
export const LONGEST_PAUSE_MS = 30 * 60_000;

/** What a source that is asked now and then said last is good for so long. */
const FRESH_MS = 4_000;

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
  /** What the rules say of a playback, so that it is not worked out for every answer. */
  #hidden: { playback: Playback; rules: PrivacyRules; hidden: boolean } | undefined;
  #polls = false;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #unlinked = false;
  /** Survives the end of a run, so that looking away does not make old trouble new. */
  #status: StatusReporter<ObservedStatus>;
  #statusOf: number | undefined;
  /** When this attempt to listen brought its first word. */
  #heardSinceMs: number | undefined;
  #failure: { sinceMs: number; nextTryMs: number } | undefined;
  /** Survives the end of a run, so that looking away does not make a pause young again. */
  #pause: { trackId: string; positionMs: number; sinceMs: number } | undefined;
  #settled = Promise.withResolvers<void>();
  #nextWord = Promise.withResolvers<void>();
  readonly #waiting = new Set<(event: "asked" | "changed") => void>();
  /** What the listeners were told last. */
  #told: string | undefined;
  #cancelReview: (() => void) | undefined;

  constructor(userId: number, deps: ChannelDeps) {
    this.#userId = userId;
    this.#deps = deps;
    this.#status = this.#reportStatusOf(undefined);
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
  get firstReading(): Promise<void> {
    return this.#settled.promise;
  }

  /** Resolves with the next word of the source, be it the same as before. */
  get nextReading(): Promise<void> {
    return this.#nextWord.promise;
  }

  /** Whether the source has to be asked before its last word can be passed on. */
  get stale(): boolean {
    if (!this.#polls || this.watched || this.#failure || this.#unlinked) return false;
    return this.#deps.clock.monotonicMs() - this.#heardAtMs > FRESH_MS;
  }

  /** Brings the source's next look forward, if it is one that looks. */
  ask(): void {
    this.#draw("asked");
  }

  /** What was heard, hidden or not; `undefined` until something was. */
  get rawPlayback(): Playback | null | undefined {
    return this.#observed;
  }

  /**
   * What can be said now, within the user's wishes; `undefined` until the source has been heard or
   * has failed.
   */
  read(): Reading | undefined {
    const rules = this.#deps.privacyOf(this.#userId);
    if (rules.pausedUntil !== null && this.#deps.clock.wallMs() < rules.pausedUntil) {
      return { kind: "nothing" };
    }
    const reading = this.#readAll();
    return reading?.kind === "playback" && this.#isHidden(reading.playback, rules)
      ? { kind: "nothing" }
      : reading;
  }

  #isHidden(playback: Playback, rules: PrivacyRules): boolean {
    const known = this.#hidden;
    if (known?.playback === playback && known.rules === rules) return known.hidden;
    const hidden = hidesTrack(rules, playback);
    this.#hidden = { playback, rules, hidden };
    return hidden;
  }

  #readAll(): Reading | undefined {
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
    if (this.#listeners.size === 1) this.#draw("changed");
    const reading = this.read();
    if (reading) {
      this.#told ??= tellingOf(reading);
      listener(reading);
    }
    return () => {
      if (this.#listeners.delete(listener) && !this.watched) this.#draw("changed");
    };
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
    this.#status.pause();
    this.#connectionId = undefined;
    this.#heardAtMs = Number.NEGATIVE_INFINITY;
    this.#observed = undefined;
    this.#failure = undefined;
    this.#unlinked = false;
    this.#told = undefined;
    this.#settled = Promise.withResolvers();
  }

  /** Tells the source what has become of the demand. */
  #draw(event: "asked" | "changed"): void {
    for (const tell of [...this.#waiting]) tell(event);
  }

  #demand(): Demand {
    const waiting = this.#waiting;
    const watched = () => this.watched;
    return {
      get watched() {
        return watched();
      },
      nextChange: (signal) =>
        new Promise((resolve) => {
          const finish = (event: "asked" | "changed") => {
            waiting.delete(finish);
            signal.removeEventListener("abort", end);
            resolve(event);
          };
          const end = () => finish("changed");
          if (signal.aborted) return end();
          waiting.add(finish);
          signal.addEventListener("abort", end);
        }),
    };
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    for (let failures = 0; !signal.aborted;) {
      this.#heardSinceMs = undefined;
      const end = await this.#listenOnce(signal);
      if (end === "over" || signal.aborted) return;
      const nowMs = clock.monotonicMs();
      // A player that closes after each word is not to be asked at once for ever.
      const wasCalm = this.#heardSinceMs !== undefined && nowMs - this.#heardSinceMs >= CALM_MS;
      failures = wasCalm ? 1 : failures + 1;
      const delayMs = end.retryAfterMs ?? retryDelayMs(failures, random());
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
      this.#follow(listening.connectionId);
      this.#polls = listening.polls;
      const demand = this.#demand();
      for await (const playback of listening.watch({ signal, clock, log, demand })) {
        if (signal.aborted) return "over";
        this.#hear(playback && boundPlayback(playback));
      }
      return signal.aborted ? "over" : this.#ended();
    } catch (error) {
      return signal.aborted ? "over" : this.#failed(error);
    }
  }

  #ended(): ListeningEnd {
    this.#status.observe({
      kind: "ended",
      health: { state: "retrying", reason: "unreachable" },
      log: () => this.#deps.log.warn("a source ended by itself", { user: this.#userId }),
    });
    return {};
  }

  async #failed(error: unknown): Promise<ListeningEnd> {
    const { log, clock } = this.#deps;
    const user = this.#userId;
    const text = describeError(error);
    if (!(error instanceof SourceFailure)) {
      this.#status.observe({
        kind: "broken",
        health: { state: "retrying", reason: "unreachable" },
        log: () => log.error("a source broke", { user, reason: text }),
      });
      return {};
    }
    const { meaning } = error;
    if (meaning.kind === "unauthorized") {
      log.warn("music has to be connected again", { user, reason: text });
      await this.#rememberRefusal();
      return this.#unlink();
    }
    const { afterMs = undefined, reason = "unreachable" } =
      meaning.kind === "retryLater" ? meaning : {};
    const seconds = afterMs === undefined ? undefined : Math.ceil(afterMs / 1000);
    this.#status.observe({
      kind: reason,
      health:
        reason === "limited" && afterMs !== undefined
          ? { state: "limited", until: clock.wallMs() + afterMs }
          : { state: "retrying", reason },
      log: () => log.warn("music cannot be heard", { user, reason: text, seconds }),
    });
    return afterMs === undefined ? {} : { retryAfterMs: afterMs };
  }

  /** A connection's status is its own: another one begins without any. */
  #follow(connectionId: number | undefined): void {
    if (connectionId === this.#statusOf) return;
    this.#status.pause();
    this.#statusOf = connectionId;
    this.#status = this.#reportStatusOf(connectionId);
  }

  /** Tells the log and whoever keeps the connection's health. */
  #reportStatusOf(connectionId: number | undefined): StatusReporter<ObservedStatus> {
    return createStatusReporter({
      clock: this.#deps.clock,
      isSame: isSameStatus,
      report: (status, last, lastedMs) => {
        // Being well is news only after trouble, and a longer pause is none.
        if (status.kind !== (last?.kind ?? "ok")) status.log();
        if (connectionId !== undefined) void this.#storeHealth(connectionId, status, lastedMs);
      },
    });
  }

  async #storeHealth(
    connectionId: number,
    { health }: ObservedStatus,
    lastedMs: number,
  ): Promise<void> {
    try {
      const since = Math.round(this.#deps.clock.wallMs() - lastedMs);
      await this.#deps.onStatus(connectionId, { ...health, since });
    } catch (error) {
      this.#deps.log.error("a connection's status could not be stored yet", {
        reason: describeError(error),
      });
    }
  }

  async #rememberRefusal(): Promise<void> {
    try {
      if (this.#connectionId !== undefined) await this.#deps.onRefused(this.#connectionId);
    } catch (error) {
      // A restart before it is stored finds it out again.
      this.#deps.log.error("a refusal could not be stored yet", { reason: describeError(error) });
    }
  }

  #unlink(): ListeningEnd {
    this.#unlinked = true;
    this.#status.pause();
    this.#settle();
    return "over";
  }

  #hear(playback: Playback | null): void {
    const { clock, log } = this.#deps;
    this.#heardAtMs = clock.monotonicMs();
    this.#heardSinceMs ??= this.#heardAtMs;
    this.#status.observe({
      kind: "ok",
      health: { state: "ok" },
      log: () => log.info("music is heard again", { user: this.#userId }),
    });
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
    this.#nextWord.resolve();
    this.#nextWord = Promise.withResolvers();
    this.notify();
  }

  /** Tells the listeners when what can be said has changed, be it by time or by the user's wishes. */
  notify(): void {
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
    const { clock, privacyOf } = this.#deps;
    const nowMs = clock.monotonicMs();
    const { pausedUntil } = privacyOf(this.#userId);
    const turns = [
      this.#failure && this.#failure.sinceMs + TRUST_AFTER_FAILURE_MS,
      this.#pause && this.#pause.sinceMs + LONGEST_PAUSE_MS,
      pausedUntil === null ? undefined : nowMs + pausedUntil - clock.wallMs(),
    ].filter((atMs): atMs is number => atMs !== undefined && atMs > nowMs);
    if (turns.length === 0) return;
    const delayMs = Math.ceil(Math.min(...turns) - nowMs);
    this.#cancelReview = this.#deps.clock.after(delayMs, () => this.notify());
  }
}

/** How a connection does, before it is known since when. */
type StatusChange =
  | { readonly state: "ok" }
  | { readonly state: "retrying"; readonly reason: FailureReason }
  | { readonly state: "limited"; readonly until: number };

interface ObservedStatus {
  readonly kind: "ok" | "broken" | "ended" | FailureReason;
  readonly health: StatusChange;
  /** Tells the log, should it be news. */
  log(): void;
}

/** Two ends of one pause that differ by less are the same end, measured less exactly. */
const SAME_END_MS = 5_000;

function isSameStatus({ kind, health: last }: ObservedStatus, next: ObservedStatus): boolean {
  if (last.state === "limited" && next.health.state === "limited") {
    return Math.abs(last.until - next.health.until) < SAME_END_MS;
  }
  return kind === next.kind;
}

/** All that listeners would see of a reading: two alike need telling once. */
function tellingOf(reading: Reading): string {
  return reading.kind === "playback" ? JSON.stringify(reading.playback) : reading.kind;
}
