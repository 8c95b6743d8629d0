import type { Command as CommanderCommand } from "commander";
import type { AnyAction, Input, Texts } from "../actions/action.ts";
import { ACTIONS } from "../actions/index.ts";
import { fileBeginning } from "../file-beginning.ts";
import { carryOut } from "../control/carry-out.ts";
import { type Execution, type Io, UsageError } from "../control/execution.ts";
import { optionOf } from "../sources/source.ts";
import { addSettings, type CommanderCli, settle, SHARED_SETTINGS } from "./commander.ts";
import { isArgument, wordOf } from "./input-words.ts";
import { untilReaderLeaves } from "./output.ts";
import { performAction } from "./perform-action.ts";

/** The commands of actions: inputs become arguments and options. */

/**
 * Declares the command of each action, in the order of the list.
 * @param onExit gets the exit code of a command that was carried out
 */
export function declareActions(
  { command }: CommanderCli,
  io: Io,
  onExit: (code: number) => void,
): void {
  for (const action of ACTIONS) {
    const { name, help, inputs } = action;
    const extras = action.command ?? {};
    const target = command(name, help, extras.examples);
    if (extras.usage !== undefined) target.usage(extras.usage);
    if (action.who === "self") target.argument("<user>");
    for (const [input, definition] of Object.entries(inputs)) {
      if (definition.as !== "hidden") declareInput(target, input, definition);
    }
    if (extras.help) target.addHelpText("after", extras.help);
    addSettings(target, [...SHARED_SETTINGS, ...(extras.settings ?? [])]);
    // What can be shown again may be cut off by its reader.
    const output = "table" in action ? untilReaderLeaves(io) : io;
    target.action(async (...given: unknown[]) => {
      const texts = textsOf(action, given.slice(0, -2), target.opts());
      const run = (execution: Execution, read: Texts) => performAction(action, read, execution);
      onExit(await carryOut({ command: name, texts, extras, run }, settle(target, io), output));
    });
  }
}

function declareInput(target: CommanderCommand, name: string, input: Input<unknown>): void {
  const { help = "", fallback, placeholder = name, several, type, secret } = input;
  if (isArgument(input)) {
    const shown = placeholder + (several ? "..." : "");
    target.argument(fallback === undefined ? `<${shown}>` : `[${shown}]`, help);
    return;
  }
  const isFlag = type?.kind === "switch" && fallback === false;
  const option = wordOf(name, input);
  const usage = isFlag ? option : `${option} <${placeholder}>`;
  if (fallback === undefined) target.requiredOption(usage, help);
  else target.option(usage, help);
  if (secret && !option.endsWith("-file"))
    target.option(`${option}-file <file>`, "the same, from a file");
}

/** The longest secret that a file may hold, in bytes. */
const LONGEST_SECRET = 64 * 1024;

/** So a secret does not stand in the list of processes. */
function readSecretFile(option: string, path: string): string {
  const bytes = fileBeginning(path, LONGEST_SECRET);
  if (bytes) return new TextDecoder().decode(bytes).trimEnd();
  throw new UsageError(
    `${option}-file ${JSON.stringify(path)} must be a file this program can read.`,
  );
}

/** What Commander was given, by the names of inputs: arguments in their order, and options. */
function textsOf(
  { who, inputs }: AnyAction,
  given: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
): Texts {
  const arguments_ = [...given];
  const texts: Record<string, string | readonly string[]> = {};
  const take = (name: string, value: unknown) => {
    if (typeof value === "string" || Array.isArray(value)) texts[name] = value;
    else if (value === true) texts[name] = "1";
  };
  if (who === "self") take("user", arguments_.shift());
  for (const [name, input] of Object.entries(inputs)) {
    if (input.as === "hidden") continue;
    take(name, isArgument(input) ? arguments_.shift() : options[optionOf(name)]);
    const file = options[`${optionOf(name)}File`];
    if (input.secret && typeof file === "string") {
      take(name, readSecretFile(wordOf(name, input), file));
    }
  }
  return texts;
}
