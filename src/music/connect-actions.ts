import { resolve } from "node:path";
import { connectPurpose } from "../accounts/magic-links.ts";
import type { User } from "../accounts/users.ts";
import { action, type Call, type Input, good, type Texts } from "../actions/action.ts";
import { connectionId, name } from "../actions/inputs.ts";
import { connectAddress } from "../addresses.ts";
import { flagOf, type SettingName, settings, variableOf } from "../config.ts";
import { WrongInput } from "../i18n/entered.ts";
import { fill, languages, type Words } from "../i18n/index.ts";
import { type Reason, Refused } from "../i18n/refused.ts";
import { type ConnectedMusic, labelOf, musicOf } from "../sources/connected-music.ts";
import { describedSources } from "../sources/index.ts";
import {
  isLinked,
  isPushed,
  type LinkedSource,
  OPTION_NAMES,
  type OpenSource,
  optionField,
  type OptionName,
  optionOf,
  type Source,
  worksOn,
} from "../sources/source.ts";
import { type Tried, tryOut } from "../sources/try-out.ts";
import type { Connection, PublicConnectionId } from "./connection-reads.ts";
import { documentOf, inboxLines, readableInboxOf, type ReadInbox } from "./connection-actions.ts";
import { cardId, rowQuery } from "./connection-row.ts";

/** Connecting a user to a source of music. */

const SECRETS: ReadonlySet<OptionName> = new Set(["password", "token"]);

type OptionInput = Omit<Input<string>, "fallback"> & { readonly fallback: null };

/** The options of all sources. What each may be, and how long, is judged by the source that is connected. */
const optionInputs = Object.fromEntries(
  OPTION_NAMES.map((option) => [
    optionField(option),
    {
      help: "of the source, as listed below",
      placeholder: option,
      fallback: null,
      allowed: "a text",
      longest: Number.POSITIVE_INFINITY,
      ...(SECRETS.has(option) && { secret: true as const }),
      parse: (text: string) => text,
    },
  ]),
) as Record<`option-${OptionName}`, OptionInput>;

type Options = Readonly<Record<string, string>>;

/** A connection that was added or changed. */
interface Connected {
  readonly kind: "connected";
  readonly source: Source;
  readonly connection: Connection;
  readonly isChange: boolean;
  readonly inbox: ReadInbox | undefined;
  /** The server that it leads to, where its user has entered one. */
  readonly host: string | undefined;
  /** What came of a first try; `undefined` where there was none. */
  readonly tried: Tried | undefined;
}

/** An account that is linked in the browser, which begins at this address. */
interface ToLink {
  readonly kind: "to link";
  readonly user: User;
  readonly source: LinkedSource;
  readonly name: string;
  readonly url: string;
  readonly redirectUri: string;
}

export const connect = action({
  name: "connect",
  help: "connect a user to a source of music, or change the connection",
  who: "self",
  inputs: {
    source: {
      type: {
        kind: "choice",
        get choices() {
          return describedSources().all.map(({ id }) => id);
        },
      },
      allowed: "a source",
      parse: (text) => text,
    },
    name: { ...name, help: "tells connections to the same source apart", fallback: null },
    id: {
      ...connectionId,
      help: "the connection to change, whatever its name; new: add one, and change none",
      placeholder: "id|new",
      fallback: null,
      allowed: "a connection's ID, or new",
      parse: (text): PublicConnectionId | "new" | undefined =>
        text === "new" ? text : connectionId.parse(text),
    },
    ...optionInputs,
  },
  command: {
    usage: "<user> <source> [--name name] [--option value …]",
    examples: [
      "marquee connect ada mpd --address 192.168.1.20:6600",
      "marquee connect ada mpd --name Kitchen --address 192.168.1.21:6600",
      "marquee connect ada mpd --password-file ./mpd-password",
    ],
    help: () => `\n${describeSources()}`,
    readHere: withWholePath,
  },
  async run(
    call,
    { source: sourceId, name: typedName, id, ...texts },
  ): Promise<Connected | ToLink> {
    const { accounts, user } = call;
    const source = sourceFor(call, sourceId);
    const options = optionsOf(source, texts);
    if (isLinked(source)) return toLink(call, source, typedName ?? "");
    const music = musicOf(user.id, accounts, call.sources);
    const changed = connectionToChange(music, source, id, typedName);
    const name = changed?.connection.name ?? typedName ?? "";
    const open = openWith(source, options, changed);
    refuseHost(call, source, open);
    const { connections } = accounts;
    const connection = await connections.connect(user, source.id, open.settings, name);
    const tried = await tryFirst(call, source, open, connection);
    if (call.actor === "operator") remarkOn(call, source, tried);
    const inbox = isPushed(source) ? await readableInboxOf(call, source, connection.id) : undefined;
    const isChange = changed !== undefined;
    const host = hostOf(open);
    return { kind: "connected", source, connection, isChange, inbox, host, tried };
  },
  documents: (result) =>
    result.kind === "connected"
      ? [{ ...documentOf(result.connection), ...result.inbox }]
      : [
          {
            username: result.user.name,
            source: result.source.id,
            name: result.name,
            url: result.url,
            redirect_uri: result.redirectUri,
          },
        ],
  notice(words, result) {
    const { source } = result;
    if (result.kind === "connected") {
      const { connection, tried } = result;
      return {
        tone: tried === undefined || tried.kind === "answered" ? "good" : "warn",
        text: noticeOf(words, result),
        // Its row is open, with what is to be done next.
        at: rowQuery(connection),
        anchor: cardId(connection),
      };
    }
    const { connect: t } = words;
    return good(fill(t.title, { source: source.name }), {
      shownOnce: [
        { label: fill(t.go, { source: source.name }), value: result.url },
        { label: t.redirectUri, value: result.redirectUri },
      ],
    });
  },
  lines(result) {
    if (result.kind === "connected") {
      const { source, inbox } = result;
      return [storedNotice(languages.en, result), ...(inbox ? inboxLines(source, inbox) : [])];
    }
    const { source, user, url, redirectUri } = result;
    return [
      `Open this in your browser to link ${source.name} to ${user.name}. It works for half an hour:`,
      `  ${url}`,
      `The redirect URI to register with your ${source.name} app, exactly as shown:`,
      `  ${redirectUri}`,
    ];
  },
});

function storedNotice(words: Words, connected: Connected): string {
  const { music: t } = words.dashboard;
  return fill(connected.isChange ? t.saved : t.added, { source: labelOf(connected, words) });
}

/** What is stored, and why nothing comes of it yet. */
function noticeOf(words: Words, connected: Connected): string {
  const { music: t, health } = words.dashboard;
  const { tried, host } = connected;
  const source = labelOf(connected, words);
  if (tried === undefined || tried.kind === "answered") return storedNotice(words, connected);
  if (tried.kind === "refused") return fill(t.addedRefused, { source });
  if (tried.failure === "unreachable") {
    if (host !== undefined) return fill(t.addedUnreachable, { source, host });
    if (connected.source.onlyOn !== undefined) return fill(t.addedOutside, { source });
  }
  const { keySetting } = connected.source;
  const setting = keySetting === undefined ? "" : flagOf(keySetting);
  const why = fill(health.failures[tried.failure], { source, setting });
  return `${storedNotice(words, connected)} ${why}`;
}

/** Where a connection leads, for people: `127.0.0.1:8080`. */
function hostOf({ address }: OpenSource): string | undefined {
  if (!address) return undefined;
  return address.port === null ? address.host : `${address.host}:${address.port}`;
}

/** Whether a user may connect a source: one of this machine itself is for its owner alone. */
export const mayConnect = ({ role }: Pick<User, "role">, source: Source): boolean =>
  (role === "owner" || !source.ownerOnly) && worksOn(process.platform, source);

/** The source with this id, which this user may connect here. @throws {Refused} */
function sourceFor({ sources, user }: Call, id: string): Source {
  const source = sources.byId(id);
  if (!source) {
    const ids = sources.all.map((other) => other.id).join(", ");
    throw misuse("noSource", { source: id, sources: ids });
  }
  if (mayConnect(user, source)) return source;
  if (worksOn(process.platform, source)) throw misuse("ownersComputer", { source: source.name });
  const systems = { system: systemName(source.onlyOn), here: systemName(process.platform) };
  throw misuse("otherSystem", { source: source.name, ...systems });
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = {
  win32: "Windows",
  darwin: "macOS",
  linux: "Linux",
};
const systemName = (platform: NodeJS.Platform = "linux"): string => SYSTEMS[platform] ?? platform;

/** The texts that were given, by the names of options. @throws {Refused} for one that the source does not have */
function optionsOf(source: Source, texts: Readonly<Record<string, string | null>>): Options {
  const given = Object.entries(texts).flatMap(([field, text]) =>
    text === null ? [] : [[optionOf(field), text] as const],
  );
  const own = Object.keys(source.options);
  const other = given.find(([option]) => !own.includes(option));
  if (!other) return Object.fromEntries(given);
  if (own.length === 0) throw misuse("noOptions", { source: source.name });
  const values = { source: source.name, option: other[0], options: own.join(", ") };
  throw misuse("otherOption", values);
}

/** A link that is opened in the browser to link an account. */
function toLink(call: Call, source: LinkedSource, name: string): ToLink {
  const { accounts, user, baseUrl, language } = call;
  const secret = accounts.magicLinks.issue(user, connectPurpose(source.id, name));
  const redirectUri = baseUrl + source.oauth.callbackPath;
  if (!source.oauth.acceptsRedirect(redirectUri)) {
    call.remark(
      `Note: ${source.name} accepts only https addresses, or http://127.0.0.1. Set --base-url to such an address, here and for the server.`,
    );
  }
  const url = connectAddress(baseUrl, language, source.id, secret);
  return { kind: "to link", user, source, name, url, redirectUri };
}

/**
 * The connection that is changed: the one with this id, or this name. A new one needs a name of its own.
 * @param music the user's connections, to all sources
 * @throws {Refused}
 */
function connectionToChange(
  music: readonly ConnectedMusic[],
  source: Source,
  id: PublicConnectionId | "new" | null,
  typedName: string | null,
): ConnectedMusic | undefined {
  const same = music.filter((one) => one.source === source);
  const named = same.find(({ connection }) => connection.name === (typedName ?? ""));
  if (id === null) return named;
  if (id === "new") {
    if (named && typedName === null) throw new WrongInput("name", name);
    if (named) throw new Refused("connection.nameTaken", {}, { field: "name" });
    return undefined;
  }
  const changed = music.find(({ connection }) => connection.publicId === id);
  if (!changed) throw new Refused("connection.unknown");
  if (changed.source !== source) {
    throw new Refused("connection.otherSource", { source: changed.source.name });
  }
  return changed;
}

/**
 * Opens the source with these options, and with the stored secrets where none were given. Secrets are
 * never shown, so a form cannot send them back. They are not sent to another server, even on the same
 * host, nor in another way.
 */
function openWith(
  source: Source,
  options: Options,
  changed: ConnectedMusic | undefined,
): OpenSource {
  if (!changed?.stored.usable) return source.open(options);
  const { settings: stored, address } = changed.stored.open;
  const secrets = Object.entries(storedOptions(source, stored)).filter(
    ([option]) => source.options[option as OptionName]?.secret,
  );
  // Some sources cannot be opened without a secret.
  const open = source.open({ ...Object.fromEntries(secrets), ...options });
  return Bun.deepEquals(open.address, address) ? open : source.open(options);
}

/** What is stored of a source's options, as texts. */
export const storedOptions = (source: Source, settings: unknown): Options =>
  Object.fromEntries(
    Object.entries(settings ?? {}).flatMap(([name, value]) =>
      name in source.options && value !== "" ? [[name, String(value)]] : [],
    ),
  );

/** A member enters only addresses that the owner has allowed. @throws {Refused} */
function refuseHost({ actor, config }: Call, source: Source, { address }: OpenSource): void {
  const host = address?.host.toLowerCase();
  if (actor === "operator" || actor.role === "owner" || host === undefined) return;
  if (config.playerHosts.includes(host)) return;
  const [first = ""] = Object.keys(source.options);
  throw new Refused("connection.host", { host }, { field: optionField(first) });
}

/**
 * Tries a connection for some seconds, so that whoever adds it learns of a mistyped address or password, and
 * stores what came of it: nothing that cannot be reached is shown as connected.
 */
async function tryFirst(
  { accounts: { connections }, user, config, clock, signal }: Call,
  source: Source,
  open: OpenSource,
  connection: Connection,
): Promise<Tried | undefined> {
  if (isPushed(source)) return undefined;
  const { keySetting } = source;
  const tried: Tried =
    keySetting !== undefined && config[keySetting] === null
      ? { kind: "failed", failure: "keyMissing", reason: missingKey(source, keySetting) }
      : await tryOut(source, open, signal);
  if (tried.kind === "refused") {
    await connections.markRefused(connection.id);
    return tried;
  }
  // A running server follows it meanwhile, and knows more than one try does.
  const now = connections.allOf(user.id).find(({ id }) => id === connection.id);
  if (now?.status.state !== "untried") return tried;
  const since = clock.wallMs();
  await connections.storeStatus(
    connection.id,
    tried.kind === "answered"
      ? { state: "ok", since }
      : { state: "retrying", since, reason: tried.failure },
  );
  return tried;
}

const missingKey = ({ name }: Source, keySetting: SettingName): string =>
  `${name} needs an API key, which Marquee does not have: start it with ${flagOf(keySetting)}, or with its file in ${variableOf(keySetting)}_FILE. ${settings[keySetting].help}`;

function remarkOn({ remark }: Call, { keySetting }: Source, tried: Tried | undefined): void {
  if (tried === undefined || tried.kind === "answered") return;
  if (tried.kind === "refused") {
    return remark(
      `Refused: ${tried.reason}. Marquee won't try again. To connect again, run the same command with the right credentials: it changes this connection.`,
    );
  }
  const isKeyMissing = keySetting !== undefined && tried.failure === "keyMissing";
  remark(
    isKeyMissing
      ? `Note: ${tried.reason} The connection is kept.`
      : `Note: ${tried.reason}. The connection is kept, and Marquee keeps trying.`,
  );
}

/** A relative path is one of the folder where the command was called, not of the server's. */
function withWholePath(texts: Texts): Texts {
  const path = texts[optionField("path")];
  if (typeof path !== "string" || path.trim() === "") return texts;
  return { ...texts, [optionField("path")]: resolve(path) };
}

/** The sources and their options, for `--help`. */
function describeSources(): string {
  const lines = describedSources().all.flatMap((source) => [
    `  ${source.id.padEnd(28)} ${source.name}${isLinked(source) ? ", linked in the browser" : ""}`,
    ...Object.entries(source.options).map(([name, { placeholder, help, fallback }]) => {
      const option = `    --${name} <${placeholder}>`;
      return `${option.padEnd(30)} ${help}${fallback ? ` (default: ${fallback})` : ""}`;
    }),
  ]);
  return ["Sources and their options:", ...lines].join("\n");
}

type ConnectionReason =
  Extract<Reason, `connection.${string}`> extends `connection.${infer Name}` ? Name : never;

/** Something was asked for that is wrong whatever is stored. */
const misuse = (name: ConnectionReason, values: Readonly<Record<string, string>>): Refused =>
  new Refused(`connection.${name}`, values, { isMisuse: true });
