import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Playback } from "../playback/playback.ts";

/** A setting of a source, as a command-line option and as a form field. */
export interface SourceOption {
  readonly name: string;
  readonly placeholder: string;
  readonly help: string;
  readonly fallback?: string;
  readonly secret?: true;
}

export interface WatchContext {
  /** Ends the watching. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** Somewhere music is heard. One file a source; nothing else knows its upstream. */
export interface Source<Settings> {
  readonly id: string;
  /** As people know it, such as `MPD`. */
  readonly name: string;
  readonly options: readonly SourceOption[];
  /**
   * Checks settings that were entered or stored.
   * @throws {SourceSettingsError} naming every mistake
   */
  parseSettings(input: unknown): Settings;
  /** What the upstream tells of the account; `null` for what it does not. */
  account(settings: Settings): { displayName: string | null; product: string | null };
  /**
   * Yields what is playing whenever it changes, `null` for nothing, the first as soon as it is
   * known; ends when the signal aborts.
   * @throws {SourceFailure}
   */
  watch(settings: Settings, context: WatchContext): AsyncIterable<Playback | null>;
}

/** Any source, for code that does not care which. */
export type AnySource = Source<unknown>;

/**
 * Why a source cannot tell what is playing: it refuses our credentials, wants to be asked later, or
 * cannot be reached or understood.
 */
export type FailureMeaning =
  { kind: "unauthorized" } | { kind: "retryLater"; afterMs: number } | { kind: "unavailable" };

/** The only error that `watch` throws. The message is for the log and holds no secret. */
export class SourceFailure extends Error {
  override readonly name = "SourceFailure";
  readonly meaning: FailureMeaning;
  constructor(meaning: FailureMeaning, message: string, options?: ErrorOptions) {
    super(message, options);
    this.meaning = meaning;
  }
}

/** Settings of a source that cannot be used; a sentence a line, each naming what is allowed. */
export class SourceSettingsError extends Error {
  override readonly name = "SourceSettingsError";
}
