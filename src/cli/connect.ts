import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { connectPurpose } from "../accounts/magic-links.ts";
import { systemClock } from "../clock.ts";
import { describeError, redact } from "../log.ts";
import { describedSources } from "../sources/index.ts";
import {
  type Demand,
  type OAuthLinking,
  type OpenSource,
  type Source,
  SourceFailure,
  SourceSettingsError,
  UNSTORED,
} from "../sources/source.ts";
import { connectAddress, knownBaseUrl } from "../addresses.ts";
import { type Command, print, UsageError } from "./command.ts";
import { withWorkspace } from "./workspace.ts";

/** `marquee connect USER SOURCE [--option value …]`. */
export function connectUser(userName: string, sourceId: string, given: readonly string[]): Command {
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
  if (source.oauth) return linkInBrowser(userName, source, source.oauth, given);
  const open = parseSourceOptions(source, given);
  return (config, asJson, io) =>
    withWorkspace(config, async ({ accounts }) => {
      const user = await accounts.users.named(userName);
      if (source.ownerOnly && user.role !== "owner") {
        throw new UsageError(
          `${source.name} hears this machine, so only its owner may connect it.`,
        );
      }
      await accounts.connections.connect(user, source.id, open.settings);
      print(
        io,
        asJson,
        [{ username: user.name, source: source.id }],
        [`${user.name} is connected to ${source.name}.`],
      );
      const trouble = await tryOut(source.name, open);
      if (trouble) io.error(`Note: ${trouble}. The connection is kept and tried again.`);
    });
}

/** Prints the address where a user links an account in the browser. */
function linkInBrowser(
  userName: string,
  { id, name }: Source,
  oauth: OAuthLinking,
  given: readonly string[],
): Command {
  if (given.length > 0) {
    throw new UsageError(`${name} is linked in the browser and takes no options here.`);
  }
  return (config, asJson, io) =>
    withWorkspace(config, async ({ accounts }) => {
      const user = await accounts.users.named(userName);
      const baseUrl = await knownBaseUrl(config, accounts);
      const secret = await accounts.magicLinks.issue(user, connectPurpose(id));
      const url = connectAddress(baseUrl, "en", id, secret);
      const redirectUri = baseUrl + oauth.callbackPath;
      if (!oauth.acceptsRedirect(redirectUri)) {
        io.error(
          `Note: ${name} takes only https addresses, or http://127.0.0.1. Set --base-url to one of that kind, here and for the server.`,
        );
      }
      print(
        io,
        asJson,
        [{ username: user.name, source: id, url, redirect_uri: redirectUri }],
        [
          `Open this in your browser to link ${name} to ${user.name}. It works for half an hour:`,
          `  ${url}`,
          `The redirect URI to register with your ${name} app, exactly as it stands:`,
          `  ${redirectUri}`,
        ],
      );
    });
}

/** `marquee disconnect USER`. */
export function disconnectUser(userName: string): Command {
  return (config, asJson, io) =>
    withWorkspace(config, async ({ accounts }) => {
      const user = await accounts.users.named(userName);
      const disconnected = await accounts.connections.disconnect(user);
      print(
        io,
        asJson,
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
export function describeSources(): string {
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
  // A secret may also come from a file, so that it does not appear in the process list.
  const secretFiles = source.options
    .filter(({ secret }) => secret)
    .map(({ name }) => `${name}-file`);
  const names = [...source.options.map(({ name }) => name), ...secretFiles];
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  try {
    const { values } = parseArgs({ args: [...given], options, strict: true });
    for (const name of secretFiles) {
      const path = values[name];
      if (typeof path !== "string") continue;
      values[name.replace(/-file$/, "")] = readSecretFile(name, path);
      delete values[name];
    }
    return source.open(values);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof SourceSettingsError) throw new UsageError(redact(reason));
    const options = names.map((name) => `--${name}`).join(", ") || "no options";
    // An extra word is not shown: it may be the rest of a password that contains a space.
    const mistake = /^Unexpected argument/.test(reason)
      ? "A word is not an option or its value (quote values with spaces)"
      : redact(reason.split(". ")[0] ?? reason).replace(/\.+$/, "");
    throw new UsageError(`${mistake}. ${source.name} takes ${options}.`);
  }
}

function readSecretFile(option: string, path: string): string {
  try {
    return readFileSync(path, "utf8").trimEnd();
  } catch {
    throw new UsageError(
      `--${option} ${JSON.stringify(path)} must be a file this program can read.`,
    );
  }
}

const TRY_OUT_MS = 3_000;
/** No demand: the first reading is enough. */
const BRIEF: Demand = { watched: false, nextChange: () => new Promise(() => {}) };

/** Tries the connection briefly, to find a mistyped address at once. Returns the error, if any. */
async function tryOut(name: string, open: OpenSource): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TRY_OUT_MS);
  const quiet = () => {};
  const log = { error: quiet, warn: quiet, info: quiet, debug: quiet, enabled: () => false };
  try {
    const context = { signal, clock: systemClock, log, demand: BRIEF, connection: UNSTORED };
    for await (const _ of open.watch(context)) return undefined;
    return `${name} has not answered within ${TRY_OUT_MS / 1000} seconds`;
  } catch (error) {
    return error instanceof SourceFailure ? error.message : describeError(error);
  }
}
