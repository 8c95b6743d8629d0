import { AccountError } from "../accounts/context.ts";
import { SecretError } from "../vault/secrets.ts";
import { flagOf, settingNames, settings, SettingsError } from "../config.ts";
import { DatabaseError, databaseCode } from "../db/errors.ts";
import { explainDatabaseFailure } from "../db/open.ts";
import { ListenError } from "../server.ts";
import { describeError, redact } from "../log.ts";
import { AutostartError } from "./autostart/autostart.ts";
import { EXIT, type Io, UsageError } from "./command.ts";
import { resolveSettings } from "./data-place.ts";
import { FolderOwnerError } from "./folder-owner.ts";
import { UnhealthyError } from "./healthcheck.ts";
import { OutputError } from "./output.ts";
import { serveOrOpen } from "./open.ts";
import { serve } from "./serve.ts";
import { SignatureError } from "./update/minisign.ts";
import { UpdateError } from "./update/update.ts";
import { AlreadyRunningError, NotRunningError } from "./server-lock.ts";

/**
 * Runs a command line (without the program's own name) and resolves with the exit code. A plain
 * start of the server does without Commander, which would take twelve megabytes of its memory.
 */
export async function run(arguments_: readonly string[], io: Io): Promise<number> {
  try {
    const flags = flagsOfServe(arguments_);
    if (!flags) {
      const { runCommand } = await import("./program.ts");
      return await runCommand(arguments_, io);
    }
    const commands = async () => (await import("./program.ts")).describeProgram();
    const resolved = resolveSettings(flags, io.environment);
    const asJson = flags["json"] === true;
    if (arguments_[0] === "serve") await serve(resolved, asJson, io, commands);
    else await serveOrOpen(resolved, asJson, io, commands, "first");
    return EXIT.done;
  } catch (error) {
    return explain(error, io);
  }
}

/**
 * The flags of `serve` where a command line consists of nothing else; `undefined` for all others,
 * also those with a mistake, which Commander explains.
 */
export function flagsOfServe(
  arguments_: readonly string[],
): Record<string, string | true> | undefined {
  const flags: Record<string, string | true> = {};
  const words = arguments_.slice(arguments_[0] === "serve" ? 1 : 0).values();
  for (const word of words) {
    const [, flag = "", given] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const name = flag === "--json" ? "json" : settingNames.find((one) => flagOf(one) === flag);
    if (name === undefined) return undefined;
    const takesValue = name !== "json" && settings[name].placeholder !== undefined;
    if (!takesValue && given !== undefined) return undefined;
    const next = takesValue && given === undefined ? words.next().value : undefined;
    const value = takesValue ? (given ?? next) : true;
    // Commander has its own opinion on values that look like flags.
    if (value === undefined || next?.startsWith("-")) return undefined;
    flags[name] = value;
  }
  return flags;
}

/** Prints what went wrong in one sentence, and returns the exit code. */
function explain(error: unknown, io: Io): number {
  const say = (message: string) => {
    for (const line of redact(message).split("\n")) io.error(`marquee: ${line}`);
  };
  if (
    error instanceof SettingsError ||
    error instanceof UsageError ||
    (error instanceof AccountError && error.isMisuse)
  ) {
    say(error.message);
    return EXIT.usage;
  }
  if (isExpected(error)) say(error.message);
  else if (databaseCode(error)) say(explainDatabaseFailure(error, "the database").message);
  else say(`Something unexpected went wrong: ${describeError(error)}`);
  return EXIT.failed;
}

function isExpected(error: unknown): error is Error {
  return [
    AccountError,
    AlreadyRunningError,
    AutostartError,
    DatabaseError,
    FolderOwnerError,
    ListenError,
    NotRunningError,
    OutputError,
    SecretError,
    SignatureError,
    UpdateError,
    UnhealthyError,
  ].some((kind) => error instanceof kind);
}
