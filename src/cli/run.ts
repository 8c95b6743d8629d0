import { flagOf, settingNames, settings } from "../config.ts";
import { isFromSource } from "../own-program.ts";
import { isStartedByClick, showError } from "./background.ts";
import { EXIT, type Io } from "../control/execution.ts";
import { resolveSettings } from "../control/data-place.ts";
import { explain } from "./explain.ts";
import { serveOrOpen } from "./open.ts";
import { serve } from "./serve.ts";

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
    const { message, code } = explain(error);
    for (const line of message.split("\n")) io.error(`marquee: ${line}`);
    if (await isOpenedByClick(arguments_, io)) await showError(message);
    return code;
  }
}

/**
 * Whether a person has started Marquee who sees no terminal. Other commands than the ones of an icon
 * are a program's, which would wait until somebody closes the message.
 */
async function isOpenedByClick(arguments_: readonly string[], io: Io): Promise<boolean> {
  const [word] = arguments_;
  const opens = word === "open";
  const isStart = opens || (word !== "serve" && flagsOfServe(arguments_) !== undefined);
  if (!isStart || arguments_.includes("--json") || isFromSource()) return false;
  return isStartedByClick(opens, io.environment);
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
