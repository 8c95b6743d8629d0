import type { Command as CommanderCommand } from "commander";
import { type Config, flagOf, type ResolvedConfig, type SettingName, settings } from "../config.ts";
import { redact } from "../log.ts";
import type { Settled } from "../control/carry-out.ts";
import type { Io } from "../control/execution.ts";
import { resolveSettings } from "../control/data-place.ts";
import { untilReaderLeaves } from "./output.ts";

/** A command that works in this program, whether a server runs or not. */
export type OwnCommand = (
  config: Config,
  asJson: boolean,
  io: Io,
  resolved: ResolvedConfig,
) => Promise<void>;

/** Declares commands with Commander. */
export interface CommanderCli {
  command(name: string, help: string, examples?: readonly string[]): CommanderCommand;
  /** Declares a word before other words; the result declares what follows it. */
  group(
    name: string,
    help: string,
  ): (usage: string, description: string, examples?: readonly string[]) => CommanderCommand;
  /**
   * Makes a command run what `prepare` returns for its arguments in this program.
   * @param own settings that it takes besides those of all commands
   */
  runs(
    target: CommanderCommand,
    prepare: (...given: never[]) => OwnCommand,
    own?: readonly SettingName[],
  ): void;
}

/** Settings that every command accepts; `serve` and `config` accept all settings. */
export const SHARED_SETTINGS: readonly SettingName[] = ["data", "baseUrl", "secretKey"];

export function createCli(program: CommanderCommand, io: Io): CommanderCli {
  return {
    command(name, help, examples = []) {
      const added = quiet(program.command(name).description(help), io);
      return addExamples(added, examples);
    },
    group(name, help) {
      const parent =
        program.commands.find((command) => command.name() === name) ??
        quiet(program.command(name).description(help), io);
      return (usage, description, examples = []) =>
        addExamples(quiet(parent.command(usage).description(description), io), examples);
    },
    runs(target, prepare, own = []) {
      addSettings(target, [...SHARED_SETTINGS, ...own]);
      target.action(async (...given: unknown[]) => {
        const { resolved, config, asJson } = settle(target, io);
        await prepare(...(given.slice(0, -1) as never[]))(config, asJson, io, resolved);
      });
    },
  };
}

/** Sends Commander's output through `io`, and keeps Commander from ending the process. */
export function quiet(command: CommanderCommand, io: Io): CommanderCommand {
  return command
    .exitOverride()
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => untilReaderLeaves(io).out(text.trimEnd()),
      writeErr(text) {
        // Its second line suggests what may have been meant.
        const words = text
          .trim()
          .replace(/^error: /, "")
          // A word too many, or a misspelt option's value, may be of a password.
          .replace(/ but got (\d+): .*$/s, " but got $1")
          .replace(/'(--[^'=]*)=[^']*'/, "'$1'")
          .replaceAll(/\s*\n\s*/g, " ");
        const end = /[.)]$/.test(words) ? "" : ".";
        io.error(`marquee: ${redact(words)}${end} ${seeHelpOf(command)}`);
      },
    });
}

/** Where the right usage is shown, as a sentence. */
export const seeHelpOf = (command: CommanderCommand): string =>
  `See "${wordsOf(command).join(" ")} --help".`;

/** A command's own words, the program's name first. */
export const wordsOf = (command: CommanderCommand): string[] => [
  ...(command.parent ? wordsOf(command.parent) : []),
  command.name(),
];

export function addExamples(
  command: CommanderCommand,
  examples: readonly string[],
): CommanderCommand {
  if (examples.length === 0) return command;
  return command.addHelpText(
    "after",
    `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`,
  );
}

export function addSettings(command: CommanderCommand, names: readonly SettingName[]): void {
  for (const name of names) {
    const { help, placeholder, fallback, fallbackText, allowed } = settings[name];
    const usual = fallbackText ?? String(fallback);
    const choices = /^one of /.test(allowed) ? ` Allowed: ${allowed.slice("one of ".length)}.` : "";
    const flag = placeholder ? `${flagOf(name)} <${placeholder}>` : flagOf(name);
    command.option(flag, `${help}${choices} (default: ${usual})`);
  }
  command.option("--json", "print JSON on standard output and nothing else");
}

/** @throws {SettingsError} that lists all mistakes */
export function settle(command: CommanderCommand, io: Io): Settled {
  const flags: Record<string, unknown> = command.opts();
  const resolved = resolveSettings(flags, io.environment);
  return { resolved, config: resolved.config, asJson: flags["json"] === true };
}
