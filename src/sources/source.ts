import type { FailureReason } from "../accounts/connection-status.ts";
import type { UpstreamApp } from "../accounts/upstreams.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Playback } from "../playback.ts";

/** A setting of a source, as a command-line option and as a form field. */
export interface SourceOption {
  readonly name: string;
  readonly placeholder: string;
  readonly help: string;
  readonly fallback?: string;
  readonly secret?: true;
}

/** Who looks on while a source is watched. */
export interface Demand {
  /** Whether somebody follows every change; otherwise questions come one at a time. */
  readonly watched: boolean;
  /** Resolves with the next question, or when following begins or ends, or when the signal aborts. */
  nextChange(signal: AbortSignal): Promise<"asked" | "changed">;
}

/** The stored connection that is watched. */
export interface StoredConnection {
  /** Never reused: another id means another connection. */
  readonly id: number;
  /** Stores changed settings, such as a rotated token; resolves when they are safe. */
  keepSettings(settings: unknown): Promise<void>;
}

/** In a connection's place where nothing is stored: the demo, and a first try. */
export const UNSTORED: StoredConnection = { id: 0, keepSettings: async () => {} };

export interface WatchContext {
  /** Ends the watching. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** For sources that have to ask their upstream again and again. */
  readonly demand: Demand;
  readonly connection: StoredConnection;
}

/** What the upstream tells of an account; `null` for what it does not. */
export interface SourceAccount {
  readonly displayName: string | null;
  readonly product: string | null;
  /** When the upstream's consent ends and the user has to link again (Unix ms). */
  readonly linkedUntil?: number;
}

/** One server: another port of the same host may be somebody else's. */
export interface SourceAddress {
  /** A name in lower case or an address, or the path of a socket. */
  readonly host: string;
  /** `null` for a socket's path. */
  readonly port: number | null;
}

/** Somewhere music is heard. One file a source; nothing else knows its upstream. */
export interface Source<Settings> {
  readonly id: string;
  /** As people know it, such as `MPD`. */
  readonly name: string;
  readonly options: readonly SourceOption[];
  /** Whether it asks its upstream again and again, so that what it said last grows old. */
  readonly polls?: true;
  /** How an account is linked in the browser, for sources that need one. */
  readonly oauth?: OAuthLinking<Settings>;
  /**
   * Checks settings that were entered or stored.
   * @throws {SourceSettingsError} naming every mistake
   */
  parseSettings(input: unknown): Settings;
  account(settings: Settings): SourceAccount;
  /** Where settings make this server connect to, for sources that a user may point anywhere. */
  addressOf?(settings: Settings): SourceAddress;
  /**
   * Yields what is playing whenever it changes, `null` for nothing, the first as soon as it is
   * known; ends when the signal aborts.
   * @throws {SourceFailure}
   */
  watch(settings: Settings, context: WatchContext): AsyncIterable<Playback | null>;
}

/** Any source, for code that does not care which. */
export type AnySource = Source<unknown>;

/** Linking an account in the browser (OAuth 2.0 authorization code with PKCE). */
export interface OAuthLinking<Settings> {
  /** Below the base URL; where the upstream sends the browser back to. */
  readonly callbackPath: string;
  /** Where the operator registers this server with the upstream. */
  readonly registrationUrl: string;
  /** Where the browser is sent first, for pages that must allow it. */
  readonly origin: string;
  /** What this server is registered as; `undefined` until the operator has entered it. */
  app(): Promise<UpstreamApp | undefined>;
  /** Whether the upstream takes this redirect URI at all. */
  acceptsRedirect(redirectUri: string): boolean;
  /** Whether the app comes from settings, so that entering another one would have no effect. */
  readonly appIsFixed: boolean;
  /** Names the account that settings belong to, the same each time it is linked. */
  accountId(settings: Settings): string | null;
  /** @throws {LinkFailure} when there is no app yet */
  begin(redirectUri: string): Promise<AuthorizationRequest>;
  /**
   * Turns what the browser came back with into settings.
   * @throws {LinkFailure}
   */
  finish(attempt: OpenAttempt, answer: URLSearchParams): Promise<Settings>;
}

/** Whether a source's accounts are linked in the browser. */
export function isLinked(
  source: AnySource,
): source is AnySource & { oauth: OAuthLinking<unknown> } {
  return source.oauth !== undefined;
}

/** A linking under way, to be remembered until the browser comes back. */
export interface OpenAttempt {
  /** Comes back with the browser; good for one answer. */
  readonly state: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

/** A linking that begins. */
export interface AuthorizationRequest extends OpenAttempt {
  /** Where to send the browser. */
  readonly url: string;
}

/** Why an account could not be linked; pages say it in words. */
export type LinkFailureReason =
  | "appMissing"
  | "denied"
  | "wrongApp"
  | "wrongRedirect"
  | "notOnAppList"
  | "noPremium"
  | "codeExpired"
  | "limited"
  | "unreachable";

export class LinkFailure extends Error {
  override readonly name = "LinkFailure";
  readonly reason: LinkFailureReason;
  constructor(reason: LinkFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Why a source cannot tell what is playing: it refuses our credentials, wants to be asked later, or
 * cannot be reached or understood.
 */
export type FailureMeaning =
  | { kind: "unauthorized" }
  | { kind: "retryLater"; afterMs: number; reason: FailureReason }
  | { kind: "unavailable" };

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
