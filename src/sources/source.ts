import type { SettingName } from "../config.ts";
import type { FailureReason } from "../music/connection-status.ts";
import type { UpstreamApp } from "../accounts/upstreams.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Playback } from "../playback.ts";
import type { FoundPlayer, Search } from "./here/found.ts";
import { mistakeIn, saidOf, type TextMistake } from "../text-limits.ts";

/** A setting of a source, as a command-line option and as a form field. */
export interface SourceOption {
  readonly name: string;
  readonly placeholder: string;
  readonly help: string;
  readonly fallback?: string;
  readonly secret?: true;
  /** In UTF-16 units; by default as any text that is entered. */
  readonly longest?: number;
}

/** How much a watched source's playback is wanted: by subscribers, or by single requests. */
export interface Demand {
  /** Whether there are subscribers, who want every change; otherwise only requests ask. */
  readonly watched: boolean;
  /** Resolves with `asked` at the next request, or `changed` when `watched` changes or on abort. */
  nextChange(signal: AbortSignal): Promise<"asked" | "changed">;
}

/** The stored connection that is watched. */
export interface StoredConnection {
  /** Never reused: a different id means a different connection. */
  readonly id: number;
  /**
   * Stores settings in place of those that are stored, such as a rotated token; resolves when it is
   * safe. Does nothing if the connection is gone.
   */
  storeSettings(settings: unknown): Promise<void>;
}

/** Stands for a connection where nothing is stored: for the demo, and for a first try. */
export const UNSTORED: StoredConnection = {
  id: 0,
  storeSettings: async () => {},
};

export interface WatchContext {
  /** Ends the watching. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** For sources that poll their upstream. */
  readonly demand: Demand;
  readonly connection: StoredConnection;
}

/** What the upstream reports of an account; `null` for what it does not report. */
export interface SourceAccount {
  /** The same each time the account is linked; absent where the upstream has no accounts. */
  readonly id?: string | null;
  readonly displayName: string | null;
  readonly product: string | null;
  /** When the upstream's consent ends and the user has to link again (Unix ms). */
  readonly linkedUntil?: number;
}

/**
 * The address of one server: another port of the same host may belong to another user, and by another
 * scheme others may read what is sent to it.
 */
export interface SourceAddress {
  /** Such as `https`. */
  readonly scheme: string;
  /** A host name in lower case, an IP address, or the path of a socket. */
  readonly host: string;
  /** `null` for a socket's path. */
  readonly port: number | null;
}

/**
 * How a source learns of changes: it polls its upstream, so its last answer becomes outdated; the
 * upstream sends changes over an open connection; or programs push them to this server. A pushed
 * source never fails, and itself ends what has played for too long.
 */
export type Delivery = "polled" | "streamed" | "pushed";

/**
 * Where the program or the service runs that a source follows: on somebody's computer, as a service on
 * the web, as a server of one's own, in a browser, anywhere, or in this server itself.
 */
export type Place = "computer" | "service" | "server" | "browser" | "anywhere" | "here";

/** Whether a source reports something: always where there is something to report, sometimes, never. */
export type Reports = "yes" | "some" | "no";

/**
 * Whom this server calls for a source: a service with its URL, the server that a user enters, or the
 * servers with covers that a player, a service or a program names.
 */
export type Called = { readonly service: string } | "entered" | "covers";

/** What people compare when they choose a source, and what leaves this machine for it. */
export interface SourceFacts {
  readonly runs: Place;
  readonly position: Reports;
  readonly pause: Reports;
  readonly cover: Reports;
  readonly volume: Reports;
  /** The longest time after which a change is usually seen, in milliseconds; 0 for at once. */
  readonly delayMs: number;
  /** Empty for a source that calls nobody. */
  readonly calls: readonly Called[];
}

/** A kind of player or service. Only the source's own files know its upstream. */
export interface Source {
  readonly id: string;
  /** The display name, such as `MPD`. */
  readonly name: string;
  readonly delivery: Delivery;
  readonly facts: SourceFacts;
  /**
   * For polled sources with a steady interval: the longest time between two polls while somebody
   * watches, in milliseconds. After three times that without an answer the last one has expired.
   */
  readonly pollsEveryMs?: number;
  readonly options: readonly SourceOption[];
  /** For sources of the machine that this server runs on: only its owner may connect them. */
  readonly ownerOnly?: true;
  /** For sources of one system: where this server has to run, as Bun names it. */
  readonly onlyOn?: NodeJS.Platform;
  /** The setting with this server's key of the service, for sources that need one. */
  readonly keySetting?: SettingName;
  /** How an account is linked in the browser, for sources that need one. */
  readonly oauth?: OAuthLinking;
  /**
   * The address to paste into the program that pushes, for sources that are pushed.
   * @param baseUrl the server's, without a slash at the end
   * @param secret the connection's, which the address contains unless it is entered beside it
   */
  readonly inboxAddress?: (baseUrl: string, secret: string) => string;
  /**
   * Looks for its players on the machine that this server runs on, with one short request each.
   * Rejects when none is there.
   */
  readonly findHere?: (search: Search) => Promise<readonly FoundPlayer[]>;
  /**
   * Checks settings that were entered or stored, and opens the source with them.
   * @throws {SourceSettingsError} naming every mistake
   */
  open(settings: unknown): OpenSource;
}

/** A source with valid settings. */
export interface OpenSource {
  /** The settings to store: checked and complete. */
  readonly settings: unknown;
  readonly account: SourceAccount;
  /** Where this server connects to, for sources whose users enter an address. */
  readonly address?: SourceAddress;
  /**
   * Yields the playback as soon as it is known and then on each change; `null` when nothing
   * plays. Ends when the signal aborts.
   * @throws {SourceFailure}
   */
  watch(context: WatchContext): AsyncIterable<Playback | null>;
}

/** A source as its own file defines it, with its own settings type. */
export interface SourceDefinition<Settings> extends Omit<Source, "open"> {
  /** @throws {SourceSettingsError} naming every mistake */
  parseSettings(input: unknown): Settings;
  account(settings: Settings): SourceAccount;
  addressOf?(settings: Settings): SourceAddress | undefined;
  watch(settings: Settings, context: WatchContext): AsyncIterable<Playback | null>;
}

/** Makes a source from its definition. Other code sees its settings only as `unknown`. */
export function defineSource<Settings>(definition: SourceDefinition<Settings>): Source {
  const { parseSettings, account, addressOf, watch, ...described } = definition;
  return {
    ...described,
    open(given) {
      refuseUnusableTexts(described.options, given);
      const settings = parseSettings(given);
      const address = addressOf?.(settings);
      return {
        settings,
        account: account(settings),
        ...(address && { address }),
        watch: (context) => watch(settings, context),
      };
    },
  };
}

/** Refuses what no option may be, for all sources. @throws {SourceSettingsError} naming the option */
function refuseUnusableTexts(options: readonly SourceOption[], given: unknown): void {
  const texts: Record<string, unknown> =
    typeof given === "object" && given !== null ? { ...given } : {};
  for (const { name, longest } of options) {
    const { [name]: text } = texts;
    const mistake = typeof text === "string" ? mistakeIn(text, longest) : undefined;
    if (mistake)
      throw new SourceSettingsError(`The option ${name} ${saidOf(mistake)}.`, name, mistake);
  }
}

/** Linking an account in the browser (OAuth 2.0 authorization code with PKCE). */
export interface OAuthLinking {
  /** The path below the base URL to which the upstream redirects the browser. */
  readonly callbackPath: string;
  /** Where the operator registers this server with the upstream. */
  readonly registrationUrl: string;
  /** The app as which this server is registered; `undefined` until the operator has entered it. */
  app(): Promise<UpstreamApp | undefined>;
  /** Whether the upstream accepts this kind of redirect URI. */
  acceptsRedirect(redirectUri: string): boolean;
  /** Whether the app comes from settings, so that entering another one would have no effect. */
  readonly appIsFixed: boolean;
  /** @throws {LinkFailure} when there is no app yet */
  begin(redirectUri: string): Promise<AuthorizationRequest>;
  /**
   * Turns the query parameters of the upstream's redirect into settings.
   * @throws {LinkFailure}
   */
  finish(attempt: OpenAttempt, answer: URLSearchParams): Promise<unknown>;
}

/** Whether a source can work where this server runs. */
export const worksOn = (platform: NodeJS.Platform, { onlyOn }: Pick<Source, "onlyOn">): boolean =>
  onlyOn === undefined || onlyOn === platform;

/** A source whose accounts are linked in the browser. */
export type LinkedSource = Source & { readonly oauth: OAuthLinking };

export function isLinked(source: Source): source is LinkedSource {
  return source.oauth !== undefined;
}

/** A source to which another program pushes what plays. */
export type PushedSource = Source & Required<Pick<Source, "inboxAddress">>;

export function isPushed(source: Source): source is PushedSource {
  return source.delivery === "pushed" && source.inboxAddress !== undefined;
}

/** An OAuth linking in progress, stored until the browser returns. */
export interface OpenAttempt {
  /** OAuth's `state`: the browser returns with it. Valid for one answer. */
  readonly state: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

/** The start of an OAuth linking. */
export interface AuthorizationRequest extends OpenAttempt {
  /** Where to send the browser. */
  readonly url: string;
}

/** Why an account could not be linked; pages show a text for each. */
export type LinkFailureReason =
  | "appMissing"
  | "denied"
  | "wrongApp"
  | "wrongRedirect"
  | "notOnAppList"
  | "noPremium"
  | "codeExpired"
  | "limited"
  | "unreachable"
  // Not the upstream's: the user has the maximum of connections.
  | "tooMany";

export class LinkFailure extends Error {
  override readonly name = "LinkFailure";
  readonly reason: LinkFailureReason;
  constructor(reason: LinkFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Why a source cannot report what is playing: the upstream refuses our credentials, wants to be
 * asked later, or cannot be reached or understood.
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

export const unauthorized = (message: string): SourceFailure =>
  new SourceFailure({ kind: "unauthorized" }, message);

export const retryLater = (afterMs: number, reason: FailureReason, message: string) =>
  new SourceFailure({ kind: "retryLater", afterMs, reason }, message);

export const unavailable = (message: string, options?: ErrorOptions): SourceFailure =>
  new SourceFailure({ kind: "unavailable" }, message, options);

/** A source's settings are unusable. The message has a sentence a line, naming what is allowed. */
export class SourceSettingsError extends Error {
  override readonly name = "SourceSettingsError";
  /** The option that is wrong, where it is one. */
  readonly option: string | undefined;
  /** What is wrong with its text, whatever the option is. */
  readonly textMistake: TextMistake | undefined;

  constructor(message: string, option?: string, textMistake?: TextMistake) {
    super(message);
    this.option = option;
    this.textMistake = textMistake;
  }
}

/** An option that may not be what it is: `rule` is the end of a sentence that begins with its name. */
export const wrongOption = (option: string, rule: string): SourceSettingsError =>
  new SourceSettingsError(`${option}: ${rule}`, option);
