import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Accounts } from "../accounts/accounts.ts";
import { AccountError } from "../accounts/context.ts";
import { KEY_NAME_RULE, readKeyName } from "../accounts/key-name.ts";
import { connectPurpose } from "../accounts/magic-links.ts";
import { systemClock } from "../clock.ts";
import { flagOf, type SettingName, settings, variableOf } from "../config.ts";
import { describeError, redact } from "../log.ts";
import { describedSources } from "../sources/index.ts";
import {
  type Demand,
  isPushed,
  type OAuthLinking,
  type OpenSource,
  type Source,
  SourceFailure,
  SourceSettingsError,
  UNSTORED,
  worksOn,
} from "../sources/source.ts";
import { connectAddress } from "../addresses.ts";
import { type Command, forUser, UsageError } from "./command.ts";
import { connectionDocument, inboxDocument, inboxLines, readConnectionId } from "./connection.ts";
import type { Cli, Syntax } from "./cli.ts";

/** Declares `marquee connect` and `marquee disconnect`. */
export function declareConnect<Target extends Syntax>({ command, carriesOut }: Cli<Target>): void {
  carriesOut(
    command("connect", "connect a user to a source of music, or change the connection", [
      "marquee connect ada mpd --address 192.168.1.20:6600",
      "marquee connect ada mpd --name Kitchen --address 192.168.1.21:6600",
      "marquee connect ada mpd --password-file ./mpd-password",
    ])
      .usage("<user> <source> [--name name] [--option value …] [options]")
      .argument("<user>")
      .argument("<source>")
      .argument("[options...]", "the source's own options")
      .option("--name <name>", "tells connections to the same source apart")
      .allowUnknownOption()
      .addHelpText("after", () => `\n${describeSources()}`),
    (name: string, source: string, given: string[], options: { name?: string }) =>
      connectUser(name, source, given, options.name),
    {
      readHere: ([name, source, given, ...more]) => [
        name,
        source,
        withFilesRead(source, given),
        ...more,
      ],
    },
  );
  carriesOut(
    command("disconnect", "disconnect a user from a source", [
      "marquee disconnect ada 3",
      "marquee disconnect ada --all",
    ])
      .argument("<user>")
      .argument("[id]", "needed when the user has several connections")
      .option("--all", "disconnect all connections"),
    (name: string, id: string | undefined, options: { all?: true }) =>
      disconnectUser(name, id, options.all === true),
  );
}

/** `marquee connect USER SOURCE [--name N] [--option value …]`. */
function connectUser(
  userName: string,
  sourceId: string,
  given: readonly string[],
  typedName: string | undefined,
): Command {
  // An option before the source shifts all words. Show none of them: one may be a password.
  if ([userName, sourceId].some((word) => word.startsWith("-"))) {
    throw new UsageError(
      "A source's options come last: marquee connect USER SOURCE --option value …",
    );
  }
  const sources = describedSources();
  const source = sources.byId(sourceId);
  if (!source) {
    const known = sources.all.map(({ id }) => id).join(", ");
    throw new UsageError(`There is no source ${JSON.stringify(sourceId)}. There are: ${known}.`);
  }
  if (!worksOn(process.platform, source)) {
    throw new UsageError(
      `${source.name} follows the players of the computer that Marquee runs on, and works only on ${systemName(source.onlyOn)}. This is ${systemName(process.platform)}${process.platform === "linux" ? ": use mpris" : ""}.`,
    );
  }
  const name = parseConnectionName(typedName);
  if (source.oauth) return linkInBrowser(userName, source, source.oauth, given, name);
  const open = parseSourceOptions(source, given);
  return forUser(userName, async ({ accounts, sources, config, baseUrl, user, note, print }) => {
    if (source.ownerOnly && user.role !== "owner") {
      throw new UsageError(
        `${source.name} follows the players on this machine, so only the server's owner may connect it.`,
      );
    }
    const { connections } = accounts;
    const connection = await connections.connect(user, source.id, open.settings, name);
    const done = `${user.name} is connected to ${source.name}${name === "" ? "" : ` as ${name}`}.`;
    if (isPushed(source)) {
      const secret = await connections.secretOf(connection.id);
      const inbox = inboxDocument(source, secret, baseUrl);
      const document = { ...connectionDocument(connection), ...inbox };
      return print([document], [done, ...inboxLines(user.name, inbox)]);
    }
    print([connectionDocument(connection)], [done]);
    const { keySetting } = source;
    if (keySetting !== undefined && config[keySetting] === null) {
      return note(lackOfKey(source.name, keySetting));
    }
    // Described sources know no settings, such as the key of an upstream's API.
    const ready = sources.byId(source.id)?.open(open.settings) ?? open;
    const tried = await tryOut(source.name, ready);
    if (tried.kind === "answered") await noteWorking(accounts, connection.id);
    if (tried.kind === "refused") await connections.markRefused(connection.id);
    if (tried.kind === "answered") return;
    note(
      tried.kind === "refused"
        ? `Refused: ${tried.reason}. Marquee won't try again. To connect again, run the same command with the right credentials: it changes this connection.`
        : `Note: ${tried.reason}. The connection is kept, and Marquee keeps trying.`,
    );
  });
}

const lackOfKey = (name: string, setting: SettingName): string =>
  `Note: ${name} needs an API key, which Marquee does not have: start it with ${flagOf(setting)}, or with its file in ${variableOf(setting)}_FILE. ${settings[setting].help} The connection is kept.`;

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = {
  win32: "Windows",
  darwin: "macOS",
  linux: "Linux",
};
const systemName = (platform: NodeJS.Platform = "linux"): string => SYSTEMS[platform] ?? platform;

function parseConnectionName(typed: string | undefined): string {
  if (typed === undefined) return "";
  const name = readKeyName(typed);
  if (name === undefined) throw new UsageError(`--name must be ${KEY_NAME_RULE}.`);
  return name;
}

/** So that the API says at once that the connection works. */
const noteWorking = ({ connections }: Accounts, connectionId: number): Promise<void> =>
  connections.storeStatus(connectionId, { state: "ok", since: systemClock.wallMs() });

/** Prints the address where a user links an account in the browser. */
function linkInBrowser(
  userName: string,
  { id, name }: Source,
  oauth: OAuthLinking,
  given: readonly string[],
  connectionName: string,
): Command {
  if (given.length > 0) {
    throw new UsageError(`${name} is linked in the browser and takes no options here.`);
  }
  return forUser(userName, async ({ accounts, baseUrl, user, note, print }) => {
    const secret = accounts.magicLinks.issue(user, connectPurpose(id, connectionName));
    const url = connectAddress(baseUrl, "en", id, secret);
    const redirectUri = baseUrl + oauth.callbackPath;
    if (!oauth.acceptsRedirect(redirectUri)) {
      note(
        `Note: ${name} accepts only https addresses, or http://127.0.0.1. Set --base-url to such an address, here and for the server.`,
      );
    }
    print(
      [{ username: user.name, source: id, name: connectionName, url, redirect_uri: redirectUri }],
      [
        `Open this in your browser to link ${name} to ${user.name}. It works for half an hour:`,
        `  ${url}`,
        `The redirect URI to register with your ${name} app, exactly as shown:`,
        `  ${redirectUri}`,
      ],
    );
  });
}

/** `marquee disconnect USER [ID] [--all]`. */
function disconnectUser(userName: string, typedId: string | undefined, all: boolean): Command {
  if (all && typedId !== undefined) throw new UsageError("Give either an ID or --all, not both.");
  const id = typedId === undefined ? undefined : readConnectionId(typedId, userName);
  return forUser(userName, async ({ accounts, user, print }) => {
    const { connections } = accounts;
    if (id === undefined && !all && (await connections.allOf(user.id)).length > 1) {
      throw new AccountError(
        `${user.name} has several connections: give the ID of one, or --all. "marquee connection list ${user.name}" shows them.`,
        true,
      );
    }
    const disconnected = await connections.disconnect(user, id ?? "all");
    print(
      [{ username: user.name, disconnected }],
      [
        disconnected
          ? `${user.name} is disconnected.`
          : `${user.name} was not connected to anything.`,
      ],
    );
  });
}

/** The sources and their options, for `--help`. */
function describeSources(): string {
  const lines = describedSources().all.flatMap((source) => [
    `  ${source.id.padEnd(28)} ${source.name}${source.oauth ? ", linked in the browser" : ""}`,
    ...source.options.map(({ name, placeholder, help, fallback }) => {
      const option = `    --${name} <${placeholder}>`;
      return `${option.padEnd(30)} ${help}${fallback ? ` (default: ${fallback})` : ""}`;
    }),
  ]);
  return ["Sources and their options:", ...lines].join("\n");
}

/** @throws {UsageError} that names the mistake and what is allowed */
function parseSourceOptions(source: Source, given: readonly string[]): OpenSource {
  const names = source.options.map(({ name }) => name);
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  try {
    const { values } = parseArgs({ args: [...given], options, strict: true });
    return source.open(values);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof SourceSettingsError) throw new UsageError(redact(reason));
    const all = source.options.flatMap(({ name, secret }) => [
      `--${name}`,
      ...(secret ? [`--${name}${FILE}`] : []),
    ]);
    const options = all.join(", ") || "no options";
    // An extra word is not shown: it may be the rest of a password that contains a space.
    const mistake = /^Unexpected argument/.test(reason)
      ? "A word is not an option or its value (quote values with spaces)"
      : redact(reason.split(". ")[0] ?? reason).replace(/\.+$/, "");
    throw new UsageError(`${mistake}. ${source.name} takes ${options}.`);
  }
}

/** Ends the name of an option whose value is a file: so a secret does not stand in the list of processes. */
const FILE = "-file";

/** The options with the contents of files in the place of their names. */
function withFilesRead(sourceId: unknown, given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  const source = describedSources().byId(String(sourceId));
  const secrets = source?.options.filter(({ secret }) => secret).map(({ name }) => `--${name}`);
  const read: string[] = [];
  const words = given.map(String).values();
  for (const word of words) {
    const [flag = "", ...joined] = word.split("=");
    const option = secrets?.find((secret) => flag === secret + FILE);
    if (option === undefined) read.push(word);
    else {
      const path = joined.length > 0 ? joined.join("=") : (words.next().value ?? "");
      read.push(`${option}=${readSecretFile(flag, path)}`);
    }
  }
  return read;
}

function readSecretFile(option: string, path: string): string {
  try {
    return readFileSync(path, "utf8").trimEnd();
  } catch {
    throw new UsageError(`${option} ${JSON.stringify(path)} must be a file this program can read.`);
  }
}

const TRY_OUT_MS = 3_000;
/** No demand: the first reading is enough. */
const BRIEF: Demand = { watched: false, nextChange: () => new Promise(() => {}) };

type Tried =
  { readonly kind: "answered" } | { readonly kind: "refused" | "failed"; readonly reason: string };

/** Tries the connection briefly, to find a mistyped address or password at once. */
async function tryOut(name: string, open: OpenSource): Promise<Tried> {
  const signal = AbortSignal.timeout(TRY_OUT_MS);
  const quiet = () => {};
  const log = { error: quiet, warn: quiet, info: quiet, debug: quiet, enabled: () => false };
  try {
    const context = { signal, clock: systemClock, log, demand: BRIEF, connection: UNSTORED };
    for await (const _ of open.watch(context)) return { kind: "answered" };
    return {
      kind: "failed",
      reason: `${name} has not answered within ${TRY_OUT_MS / 1000} seconds`,
    };
  } catch (error) {
    if (!(error instanceof SourceFailure)) return { kind: "failed", reason: describeError(error) };
    const kind = error.meaning.kind === "unauthorized" ? "refused" : "failed";
    return { kind, reason: error.message };
  }
}
