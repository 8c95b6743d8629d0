import type { Command as CommanderCommand, CommandOptions } from "commander";
import { flagOf, type SettingName, settings } from "../config.ts";
import { redact } from "../log.ts";
import type { Settled } from "../control/carry-out.ts";
import type { Io } from "../control/execution.ts";
import { resolveSettings } from "../control/data-place.ts";
import { untilReaderLeaves } from "./output.ts";

/** Settings that every command accepts. */
export const SHARED_SETTINGS: readonly SettingName[] = ["data", "baseUrl", "secretKey"];

/** First words of commands with two, each with what stands for it in `--help`. */
const GROUPS: Readonly<Record<string, string>> = {
  autostart: "start Marquee when you sign in to this computer",
  user: "add, list and remove users",
  key: "manage a user's API keys",
  titles: "how a user's titles are shown",
  widget: "manage a user's widgets and their addresses",
  look: "give overlays a look: one that comes with Marquee, or a shared one",
  font: "manage a user's fonts",
  cover: "what a user's overlays show where a track has no cover",
  connection: "manage a user's connections",
  app: "the app as which this server links accounts",
  hook: "send a user's songs to other programs",
  chat: "answer !song in a user's Twitch chat",
  privacy: "what others see of a user's music",
  history: "the songs that a user has played",
  account: "a user's own account",
  session: "the browsers that a user is signed in with",
  secret: "replace the key that encrypts stored secrets",
};

export type CommanderCli = ReturnType<typeof createCli>;

/** Declares commands with Commander. */
export function createCli(program: CommanderCommand, io: Io) {
  const declare = (parent: CommanderCommand, name: string, help: string, more?: CommandOptions) =>
    quiet(parent.command(name, more).description(help), io);
  return {
    /** @param words one, or two of which the first stands for a group */
    command(words: string, help: string, examples: readonly string[] = [], more?: CommandOptions) {
      const [first = "", second] = words.split(" ");
      const groupOf = () =>
        program.commands.find((command) => command.name() === first) ??
        declare(program, first, GROUPS[first] ?? "");
      const added =
        second === undefined
          ? declare(program, first, help, more)
          : declare(groupOf(), second, help, more);
      if (examples.length === 0) return added;
      const lines = examples.map((line) => `  ${line}`).join("\n");
      return added.addHelpText("after", `\nExamples:\n${lines}`);
    },
    /** Makes a command do something in this program, whether a server runs or not. */
    runs<Given extends readonly unknown[]>(
      target: CommanderCommand,
      run: (settled: Settled, io: Io, ...given: Given) => Promise<void> | void,
      names = SHARED_SETTINGS,
    ) {
      addSettings(target, names);
      target.action((...given: unknown[]) =>
        run(settle(target, io), io, ...(given.slice(0, -1) as unknown as Given)),
      );
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
          .replace(/'(--[^'=]*)=.*'/s, "'$1'")
          // Commander calls an option unknown that takes no value and was given one.
          .replace(/^unknown option '(--[^']*)'.*$/s, (message, flag) =>
            command.options.some(({ long }) => long === flag)
              ? `option '${flag}' takes no value`
              : message,
          )
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

export function addSettings(command: CommanderCommand, names: readonly SettingName[]): void {
  for (const name of names) {
    const { help, placeholder, fallback, fallbackText } = settings[name];
    const usual = fallbackText ?? String(fallback);
    const flag = placeholder ? `${flagOf(name)} <${placeholder}>` : flagOf(name);
    command.option(flag, `${help} (default: ${usual})`);
  }
  command.option("--json", "print JSON on standard output and nothing else");
}

/** @throws {SettingsError} that lists all mistakes */
export function settle(command: CommanderCommand, io: Io): Settled {
  const flags: Record<string, unknown> = command.opts();
  const resolved = resolveSettings(flags, io.environment);
  return { resolved, config: resolved.config, asJson: flags["json"] === true };
}
