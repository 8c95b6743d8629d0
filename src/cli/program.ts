import { Command as CommanderCommand, CommanderError } from "commander";
import { flagOf, settingNames } from "../config.ts";
import { VERSION_LINE } from "../version.ts";
import { declareAutostart } from "./autostart/command.ts";
import { declareBackup } from "./backup.ts";
import {
  addExamples,
  addSettings,
  type Cli,
  createCli,
  quiet,
  settle,
  SHARED_SETTINGS,
} from "./cli.ts";
import { EXIT, type Io, UsageError } from "./command.ts";
import { declareChat } from "./chat.ts";
import { declareConnect } from "./connect.ts";
import { declareConnection } from "./connection.ts";
import { describeCommands } from "./describe-commands.ts";
import { examine } from "./doctor.ts";
import { checkHealth } from "./healthcheck.ts";
import { declareHook } from "./hook.ts";
import { declareKey } from "./key.ts";
import { declareLogin } from "./login.ts";
import { declareMigrate } from "./migrate.ts";
import { declareSecret } from "./secret.ts";
import { serveOrOpen } from "./open.ts";
import { serve } from "./serve.ts";
import { showConfig } from "./show-config.ts";
import { declareStop } from "./stop.ts";
import { declareUpdate } from "./update/command.ts";
import { declareUser } from "./user.ts";
import { declareWidget } from "./widget.ts";

/** In the order of `--help`. */
const COMMANDS: readonly ((cli: Cli) => void)[] = [
  declareStop,
  declareAutostart,
  declareUser,
  declareKey,
  declareWidget,
  declareConnect,
  declareConnection,
  declareHook,
  declareChat,
  declareLogin,
  declareBackup,
  declareUpdate,
  declareMigrate,
  declareSecret,
];

/**
 * Runs a command line (without the program's own name). Resolves with the exit code when help was
 * asked for or the usage was wrong, which is then printed; rejects with what the command throws.
 */
export async function runCommand(arguments_: readonly string[], io: Io): Promise<number> {
  const program = createProgram(io);
  try {
    const ordered = moveOptionsBack(program, arguments_);
    refuseUnknownCommand(program, ordered);
    await program.parseAsync([...ordered], { from: "user" });
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has already printed the message. Asking for help or the version is no error.
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

/** Every command with its options. It parses the command line, and the documentation must match. */
export function createProgram(io: Io): CommanderCommand {
  const program = quiet(new CommanderCommand("marquee"), io)
    .description("What is playing, for your stream: a JSON API and an overlay for OBS.")
    .version(VERSION_LINE, "--version", "print the version")
    .showSuggestionAfterError()
    .addHelpText("after", EXAMPLES);

  const cli = createCli(program, io);
  const { command } = cli;
  const serving = program
    .command("serve", { isDefault: true })
    .description("run the server (what marquee does without a command, if none runs)");
  addExamples(quiet(serving, io), [
    "marquee serve --port 8080",
    "marquee serve --host 0.0.0.0 --base-url https://music.example.org",
  ]);
  addSettings(serving, settingNames);
  serving.action(async () => {
    const { resolved, asJson } = settle(serving, io);
    await serve(resolved, asJson, io, async () => describeProgram());
  });

  const opening = command("open", "open your dashboard, and start Marquee if it is not running");
  addSettings(opening, settingNames);
  opening.action(async () => {
    const { resolved, asJson } = settle(opening, io);
    await serveOrOpen(resolved, asJson, io, async () => describeProgram(), "always");
  });

  for (const declare of COMMANDS) declare(cli);

  const config = command("config", "show the settings in force and where each comes from");
  addSettings(config, settingNames);
  config.action(() => {
    const { resolved, asJson } = settle(config, io);
    for (const warning of resolved.warnings) io.error(warning);
    showConfig(resolved, asJson, io);
  });

  const doctor = command(
    "doctor",
    "print a report for people who help you, without secrets or songs",
    ["marquee doctor"],
  ).option("--songs", "also what the players found on this computer are playing");
  addSettings(doctor, SHARED_SETTINGS);
  doctor.action(async () => {
    const { resolved, asJson } = settle(doctor, io);
    await examine(resolved, { asJson, songs: doctor.opts()["songs"] === true }, io);
  });

  const healthcheck = quiet(program.command("healthcheck", { hidden: true }), io).description(
    "ask the server on this machine whether it is alive (for containers)",
  );
  addSettings(healthcheck, ["data", "host", "port"]);
  healthcheck.action(() => checkHealth(settle(healthcheck, io).config));
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

/** Options may also come before the command's words; Commander expects them after. */
function moveOptionsBack(
  program: CommanderCommand,
  arguments_: readonly string[],
): readonly string[] {
  const words: string[] = [];
  const options: string[] = [];
  let command: CommanderCommand = program;
  for (let at = 0; at < arguments_.length; at++) {
    const word = arguments_[at] ?? "";
    if (!word.startsWith("-")) {
      const next = command.commands.find((one) => one.name() === word);
      if (!next)
        return words.length === 0 ? arguments_ : [...words, ...arguments_.slice(at), ...options];
      words.push(word);
      command = next;
      if (next.commands.length === 0) return [...words, ...arguments_.slice(at + 1), ...options];
      continue;
    }
    options.push(word);
    const takesValue = SHARED_SETTINGS.some((name) => flagOf(name) === word);
    if (takesValue) options.push(arguments_[++at] ?? "");
  }
  return arguments_;
}

/** Without this, Commander treats a mistyped command as an argument of the default command. */
function refuseUnknownCommand(program: CommanderCommand, arguments_: readonly string[]): void {
  const [first = "-"] = arguments_;
  if (first.startsWith("-") || program.commands.some((command) => command.name() === first)) return;
  const known = program.commands.map((command) => command.name()).join(", ");
  throw new UsageError(`There is no command ${JSON.stringify(first)}. There are: ${known}.`);
}
