import { Command as CommanderCommand, CommanderError } from "commander";
import { flagOf, settingNames, settings } from "../config.ts";
import { VERSION_LINE } from "../version.ts";
import { declareActions } from "./action-commands.ts";
import { declareAutostart } from "./autostart/command.ts";
import { declareBackup } from "./backup.ts";
import { createCli, quiet, seeHelpOf, wordsOf } from "./commander.ts";
import { EXIT, type Io, UsageError } from "../control/execution.ts";
import { describeCommands } from "./describe-commands.ts";
import { examine } from "./doctor.ts";
import { checkHealth } from "./healthcheck.ts";
import { serveOrOpen } from "./open.ts";
import { serve } from "./serve.ts";
import { showConfig } from "./show-config.ts";
import { declareStop } from "./stop.ts";
import { declareUpdate } from "./update/command.ts";

/**
 * Runs a command line (without the program's own name). Resolves with the exit code when help was
 * asked for or the usage was wrong, which is then printed; rejects with what the command throws.
 */
export async function runCommand(arguments_: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.done;
  const program = createProgram(io, (exit) => (code = exit));
  try {
    await program.parseAsync([...withOptionsLast(program, arguments_)], { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has already printed the message. Asking for help or the version is no error.
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

/**
 * Every command with its options. It parses the command line, and the documentation must match.
 * @param onExit gets the exit code of a command that was carried out
 */
export function createProgram(io: Io, onExit: (code: number) => void = () => {}): CommanderCommand {
  const program = quiet(new CommanderCommand("marquee"), io)
    .description("What is playing, for your stream: a JSON API and an overlay for OBS.")
    .version(VERSION_LINE, "--version", "print the version")
    .showSuggestionAfterError()
    .addHelpText("after", EXAMPLES);

  const cli = createCli(program, io);
  const { command, runs } = cli;
  const commands = async () => describeProgram();
  runs(
    command(
      "serve",
      "run the server (what marquee does without a command, if none runs)",
      [
        "marquee serve --port 8080",
        "marquee serve --host 0.0.0.0 --base-url https://music.example.org",
      ],
      { isDefault: true },
    ),
    ({ resolved, asJson }) => serve(resolved, asJson, io, commands),
    settingNames,
  );
  runs(
    command("open", "open your dashboard, and start Marquee if it is not running"),
    ({ resolved, asJson }) => serveOrOpen(resolved, asJson, io, commands, "always"),
    settingNames,
  );
  declareStop(cli);
  declareAutostart(cli);
  declareActions(cli, io, onExit);
  declareBackup(cli);
  declareUpdate(cli);
  runs(
    command("config", "show the settings in force and where each comes from"),
    showConfig,
    settingNames,
  );
  runs(
    command("doctor", "print a report for people who help you, without secrets or songs", [
      "marquee doctor",
    ]).option("--songs", "also what connections and the players found on this computer play"),
    examine,
  );
  runs(
    command(
      "healthcheck",
      "ask the server on this machine whether it is alive (for containers)",
      [],
      { hidden: true },
    ),
    ({ config }) => checkHealth(config),
    ["data", "host", "port"],
  );
  return program;
}

/** The program's commands, for its documentation. */
export const describeProgram = () =>
  describeCommands(createProgram({ environment: {}, out() {}, error() {} }));

const EXAMPLES = `
Examples:
  marquee                                   start; the first time, this sets everything up
  marquee user add ada --source demo        add a user
  marquee connect ada mpd                   follow the MPD on this machine
  marquee widget url ada --lang fr          the address for OBS, in French

Settings can be flags, environment variables (MARQUEE_PORT for --port) and, for secrets, files
(MARQUEE_SECRET_KEY_FILE). "marquee serve --help" lists them all.`;

/**
 * The same command line with its options last, where Commander expects them; `help WORDS` asks for
 * the help of these words.
 * @throws {UsageError} where the words are no command
 */
function withOptionsLast(
  program: CommanderCommand,
  arguments_: readonly string[],
): readonly string[] {
  const words: string[] = [];
  const options: string[] = [];
  let command = program;
  for (let at = 0; at < arguments_.length; at++) {
    const word = arguments_[at] ?? "";
    if (word.startsWith("-")) {
      options.push(word);
      const takesValue = settingNames.some(
        (name) => flagOf(name) === word && settings[name].placeholder !== undefined,
      );
      if (takesValue) options.push(...arguments_.slice(++at, at + 1));
      continue;
    }
    if (word === "help" && words.length === 0) {
      options.push("--help");
      continue;
    }
    const next = command.commands.find((one) => one.name() === word);
    if (!next) throw unknownCommand(command, word);
    words.push(word);
    command = next;
    if (next.commands.length === 0) return [...words, ...arguments_.slice(at + 1), ...options];
  }
  const isComplete = command === program || options.some((one) => /^(-h|--help)$/.test(one));
  if (!isComplete) throw unknownCommand(command);
  return [...words, ...options];
}

/** Without this, Commander treats a mistyped command as an argument of the default command. */
function unknownCommand(group: CommanderCommand, word?: string): UsageError {
  const known = group
    .createHelp()
    .visibleCommands(group)
    .map((command) => command.name());
  const words = wordsOf(group).slice(1).join(" ");
  const mistake =
    word === undefined
      ? `"marquee ${words}" needs a word more`
      : `There is no command ${JSON.stringify(`${words} ${word}`.trim())}`;
  return new UsageError(`${mistake}. There are: ${known.join(", ")}. ${seeHelpOf(group)}`);
}
