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

/** Who wants to know while a source is watched. */
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
  /** The same each time the account is linked; absent where the upstream has no accounts. */
  readonly id?: string | null;
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

/**
 * How a source learns of changes: by asking its upstream again and again, so that its last answer
 * grows old, or from a connection over which the upstream tells them.
 */
export type Delivery = "polled" | "streamed";

/** A kind of player or service. One file a source; nothing else knows its upstream. */
export interface Source {
  readonly id: string;
  /** As people know it, such as `MPD`. */
  readonly name: string;
  readonly delivery: Delivery;
  readonly options: readonly SourceOption[];
  /** How an account is linked in the browser, for sources that need one. */
  readonly oauth?: OAuthLinking;
  /**
   * Checks settings that were entered or stored, and makes the source ready with them.
   * @throws {SourceSettingsError} naming every mistake
   */
  open(settings: unknown): OpenSource;
}

/** A source with settings that it understands. */
export interface OpenSource {
  /** What is stored of the settings: checked and complete. */
  readonly settings: unknown;
  readonly account: SourceAccount;
  /** Where the settings make this server connect to, for sources that a user may point anywhere. */
  readonly address?: SourceAddress;
  /**
   * Yields what is playing whenever it changes, `null` for nothing, the first as soon as it is
   * known; ends when the signal aborts.
   * @throws {SourceFailure}
   */
  watch(context: WatchContext): AsyncIterable<Playback | null>;
}

/** A source as its file writes it, with settings of its own type. */
interface SourceDefinition<Settings> extends Omit<Source, "open"> {
  /** @throws {SourceSettingsError} naming every mistake */
  parseSettings(input: unknown): Settings;
  account(settings: Settings): SourceAccount;
  addressOf?(settings: Settings): SourceAddress;
  watch(settings: Settings, context: WatchContext): AsyncIterable<Playback | null>;
}

/** Closes over a source's settings, so that nobody else handles what is only `unknown` to them. */
export function defineSource<Settings>(definition: SourceDefinition<Settings>): Source {
  const { parseSettings, account, addressOf, watch, ...described } = definition;
  return {
    ...described,
    open(given) {
      const settings = parseSettings(given);
      return {
        settings,
        account: account(settings),
        ...(addressOf && { address: addressOf(settings) }),
        watch: (context) => watch(settings, context),
      };
    },
  };
}

/** Linking an account in the browser (OAuth 2.0 authorization code with PKCE). */
export interface OAuthLinking {
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
  /** @throws {LinkFailure} when there is no app yet */
  begin(redirectUri: string): Promise<AuthorizationRequest>;
  /**
   * Turns what the browser came back with into settings.
   * @throws {LinkFailure}
   */
  finish(attempt: OpenAttempt, answer: URLSearchParams): Promise<unknown>;
}

/** A source whose accounts are linked in the browser. */
export type LinkedSource = Source & { readonly oauth: OAuthLinking };

export function isLinked(source: Source): source is LinkedSource {
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
