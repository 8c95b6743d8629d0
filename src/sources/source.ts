import type { SettingName } from "../config.ts";
import type { FailureReason } from "../music/connection-status.ts";
import type { UpstreamApp } from "../accounts/upstreams.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Playback } from "../playback.ts";
import type { FoundPlayer, Search } from "./here/found.ts";
import type { Field, ValueOf } from "../field.ts";
import { readText, WrongInput } from "../i18n/entered.ts";

/** The options that sources have. `connect` takes each, and its form has a field for each. */
export const OPTION_NAMES = [
  "address",
  "url",
  "user",
  "password",
  "token",
  "entity",
  "player",
  "station",
  "mount",
  "path",
  "pattern",
  "encoding",
  "delay",
] as const;
export type OptionName = (typeof OPTION_NAMES)[number];

/** A setting of a source, as a command-line option and as a form field. */
export interface SourceOption extends Field<string | number> {
  readonly placeholder: string;
  readonly help: string;
}

export type SourceOptions = Readonly<Partial<Record<OptionName, SourceOption>>>;

/** What a source's options give. */
export type OptionValues<Options> = { readonly [Name in keyof Options]: ValueOf<Options[Name]> };

/** The name of an option's field in a form, and of its input of `connect`. */
export const optionField = <Name extends string>(name: Name) => `option-${name}` as const;

/** Whether a field is for an option of a source. */
export const isOptionField = (field: string): boolean => field.startsWith(optionField(""));

/** The name of the option that a field is for; of any other field, its own name. */
export const optionOf = (field: string): string =>
  isOptionField(field) ? field.slice(optionField("").length) : field;

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
  /** Work that stores settings which cannot be had again: a stop of the server waits for it. */
  expectSettings<Result>(work: Promise<Result>): Promise<Result>;
}

/** Stands for a connection where nothing is stored: for the demo, and for a first try. */
export const UNSTORED: StoredConnection = {
  id: 0,
  storeSettings: async () => {},
  expectSettings: (work) => work,
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

/** What the upstream reports of an account. */
export interface SourceAccount {
  /** The same each time the account is linked; absent where the upstream has no accounts. */
  readonly id?: string | null;
  readonly displayName?: string | null;
  readonly product?: string | null;
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
type Place = "computer" | "service" | "server" | "browser" | "anywhere" | "here";

/** What sources may report besides a song's names. */
export type Reported = "position" | "pause" | "cover" | "volume";

/**
 * Whom this server calls for a source: a service with its URL, the server that a user enters, or the
 * servers with covers that a player, a service or a program names.
 */
export type Called = { readonly service: string } | "entered" | "covers";

/** What people compare when they choose a source, and what leaves this machine for it. */
export interface SourceFacts {
  readonly runs: Place;
  /**
   * The name that an overlay may show: that of a service for music that viewers know; absent for a
   * program, a protocol or a server, which say nothing to them.
   */
  readonly viewersKnow?: string;
  /** What it always reports where there is something to report. */
  readonly reports?: readonly Reported[];
  readonly reportsSometimes?: readonly Reported[];
  /** The longest time after which a change is usually seen, in milliseconds; absent for at once. */
  readonly delayMs?: number;
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
  readonly options: SourceOptions;
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
   * @returns `null` where nobody may push now
   */
  readonly inboxAddress?: (baseUrl: string, secret: string) => string | null;
  /**
   * Looks for its players on the machine that this server runs on, with one short request each.
   * Rejects when none is there.
   */
  readonly findHere?: (search: Search) => Promise<readonly FoundPlayer[]>;
  /**
   * Checks settings that were entered or stored, and opens the source with them. An option that is
   * left empty counts as not given.
   * @throws {Refused}
   */
  open(settings: unknown): OpenSource;
}

/** What a source says: see {@link OpenSource.watch}. */
export type Said = Playback | null | undefined;

/** A source with valid settings. */
export interface OpenSource {
  /** The settings to store: checked and complete. */
  readonly settings: unknown;
  readonly account: SourceAccount;
  /** Where this server connects to, for sources whose users enter an address. */
  readonly address?: SourceAddress;
  /**
   * Yields the playback as soon as it is known and then on each change; `null` when nothing
   * plays, and `undefined` at first while nothing can be said yet although nothing has failed.
   * Ends when the signal aborts.
   * @throws {SourceFailure}
   */
  watch(context: WatchContext): AsyncIterable<Said>;
}

/** A source as its own file defines it. */
export interface SourceDefinition<Options extends SourceOptions, Settings> extends Omit<
  Source,
  "options" | "open"
> {
  readonly options: Options;
  /**
   * Makes the settings, where they are not just what the options give.
   * @throws {Refused}
   */
  parseSettings?(given: unknown): Settings;
  /** Absent where there are no accounts, nor names for them. */
  account?(settings: NoInfer<Settings>): SourceAccount;
  addressOf?(settings: NoInfer<Settings>): SourceAddress | undefined;
  watch(settings: NoInfer<Settings>, context: WatchContext): AsyncIterable<Said>;
}

/** Makes a source from its definition. Other code sees its settings only as `unknown`. */
export function defineSource<const Options extends SourceOptions, Settings = OptionValues<Options>>(
  definition: SourceDefinition<Options, Settings>,
): Source {
  const { parseSettings, account, addressOf, watch, ...described } = definition;
  const parse = parseSettings ?? ((given) => readOptions(described.options, given) as Settings);
  return {
    ...described,
    open(given) {
      const settings = parse(given);
      const address = addressOf?.(settings);
      return {
        settings,
        account: account?.(settings) ?? {},
        ...(address && { address }),
        watch: (context) => watch(settings, context),
      };
    },
  };
}

/**
 * The values of options that were entered or stored.
 * @throws {Refused} for the first that is not allowed
 */
export function readOptions<const Options extends SourceOptions>(
  options: Options,
  given: unknown,
): OptionValues<Options> {
  const texts = new Map<string, unknown>(Object.entries(given ?? {}));
  const values = Object.entries(options).map(([name, option]) => [
    name,
    readOption(optionField(name), option, texts.get(name)),
  ]);
  return Object.fromEntries(values) as OptionValues<Options>;
}

function readOption(field: string, option: SourceOption, given: unknown): string | number {
  const refuse = (): never => {
    throw new WrongInput(field, { ...option, ...refusalOf(option) });
  };
  const text = typeof given === "number" ? String(given) : given;
  if (text === undefined || text === "") return option.fallback ?? refuse();
  if (typeof text !== "string") return refuse();
  const value = readText(
    field,
    { ...option, parse: (typed) => option.parse(typed) ?? refuse() },
    text,
  );
  // A number is stored only where that is what the option gives.
  return typeof given === "number" && value !== given ? refuse() : value;
}

/** What may be entered for an option, as an example: its placeholder, unless that is only a word. */
export const exampleOf = ({ placeholder, secret }: SourceOption): string | undefined =>
  /[^a-z]/.test(placeholder) && !secret ? placeholder : undefined;

/** What a page says of an option that is not allowed. */
function refusalOf(option: SourceOption) {
  const example = exampleOf(option);
  return example === undefined
    ? ({ refusal: "connection.settings" } as const)
    : ({ refusal: "connection.option", refusalValues: { example } } as const);
}

/** Linking an account in the browser (OAuth 2.0 authorization code with PKCE). */
export interface OAuthLinking {
  /** The path below the base URL to which the upstream redirects the browser. */
  readonly callbackPath: string;
  /** Where the operator registers this server with the upstream. */
  readonly registrationUrl: string;
  /** The app as which this server is registered; `undefined` until the operator has entered it. */
  app(): UpstreamApp | undefined;
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
  | { kind: "retryLater"; afterMs: number; reason: PauseReason }
  | { kind: "unavailable"; reason?: UnavailableReason };

/** Why an upstream cannot be read where more is known than that it cannot be reached. */
type UnavailableReason =
  "unexpected" | "offAir" | "fileMissing" | "databaseLocked" | "databaseUnknown";

/** Why an upstream is to be asked later. */
export type PauseReason = Exclude<FailureReason, UnavailableReason>;

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

export const retryLater = (afterMs: number, reason: PauseReason, message: string) =>
  new SourceFailure({ kind: "retryLater", afterMs, reason }, message);

export const unavailable = (message: string, options?: ErrorOptions): SourceFailure =>
  new SourceFailure({ kind: "unavailable" }, message, options);

/** A file of this machine is not there, or may not be read. */
export const fileMissing = (message: string): SourceFailure =>
  new SourceFailure({ kind: "unavailable", reason: "fileMissing" }, message);

/** Somebody answers, but not as the upstream does: its address may be another one, or what was entered with it. */
export const unexpected = (message: string): SourceFailure =>
  new SourceFailure({ kind: "unavailable", reason: "unexpected" }, message);
