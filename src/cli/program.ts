import { Command as CommanderCommand, CommanderError, Option } from "commander";
import {
  type Config,
  flagOf,
  resolveConfig,
  type ResolvedConfig,
  type SettingName,
  settingNames,
  settings,
} from "../config.ts";
import { redact } from "../log.ts";
import { VERSION_LINE } from "../version.ts";
import { backUp } from "./backup.ts";
import { connectUser, describeSources, disconnectUser } from "./connect.ts";
import { listConnections, orderConnections, rotateConnection } from "./connection.ts";
import { type Command, EXIT, type Io, UsageError } from "./command.ts";
import { describeCommands } from "./describe-commands.ts";
import { checkHealth } from "./healthcheck.ts";
import { addKey, listKeys, revokeKey, rotateKey } from "./key.ts";
import { printSignInLink } from "./login.ts";
import { migrateTo } from "./migrate.ts";
import { rotateSecret } from "./secret.ts";
import { serve } from "./serve.ts";
import { showConfig } from "./show-config.ts";
import { addUsers, listUsers, removeUser } from "./user.ts";
import {
  addWidget,
  listWidgets,
  removeWidget,
  rotateWidget,
  setWidgetOptions,
  showWidgetUrl,
} from "./widget.ts";

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

/** Settings that every command accepts; `serve` and `config` accept all settings. */
const SHARED_SETTINGS: readonly SettingName[] = ["data", "database", "baseUrl", "secretKey"];

/** Every command with its options. It parses the command line, and the documentation must match. */
export function createProgram(io: Io): CommanderCommand {
  const program = quiet(new CommanderCommand("marquee"), io)
    .description("What is playing, for your stream: a JSON API and an overlay for OBS.")
    .version(VERSION_LINE, "--version", "print the version")
    .showSuggestionAfterError()
    .addHelpText("after", EXAMPLES);

  const command = (name: string, help: string, examples: readonly string[] = []) => {
    const added = quiet(program.command(name).description(help), io);
    return addExamples(added, examples);
  };
  const group = (name: string, help: string) => {
    const parent = quiet(program.command(name).description(help), io);
    return (usage: string, description: string, examples: readonly string[] = []) =>
      addExamples(quiet(parent.command(usage).description(description), io), examples);
  };
  /** Makes a command run what `prepare` returns for its arguments, with the settings in force. */
  const runs = (target: CommanderCommand, prepare: (...given: never[]) => Command) => {
    addSettings(target, SHARED_SETTINGS);
    target.action(async (...given: unknown[]) => {
      // Commander passes the arguments, then the options, then the command itself.
      const { config, asJson } = settle(target, io);
      await prepare(...(given.slice(0, -1) as never[]))(config, asJson, io);
    });
  };

  const serving = program
    .command("serve", { isDefault: true })
    .description("run the server (what marquee does without a command)");
  addExamples(quiet(serving, io), [
    "marquee serve --port 8080",
    "marquee serve --host 0.0.0.0 --base-url https://music.example.org",
  ]);
  addSettings(serving, settingNames);
  serving.action(async () => {
    const { resolved, asJson } = settle(serving, io);
    await serve(resolved, asJson, io, async () => describeProgram());
  });

  const user = group("user", "add, list and remove users");
  runs(
    user("add", "add users, all or none, and print their credentials once", [
      "marquee user add ada",
      "marquee user add ada grace --source demo",
    ])
      .argument("<names...>", "user names: a-z, 0-9, _ and -")
      .option("--source <source>", "connect them to a source that needs no settings, such as demo"),
    (names: string[], options: { source?: string }) => addUsers(names, options.source),
  );
  runs(user("list", "list all users"), () => listUsers());
  runs(
    user("remove", "remove a user with all their keys, widgets and connections").argument("<name>"),
    (name: string) => removeUser(name),
  );

  const key = group("key", "manage a user's API keys");
  runs(
    key("add", "make another key", ["marquee key add ada --name 'chat bot'"])
      .argument("<user>")
      .option("--name <name>", "what the key is for", "key"),
    (name: string, options: { name: string }) => addKey(name, options.name),
  );
  runs(key("list", "list a user's keys").argument("<user>"), (name: string) => listKeys(name));
  runs(
    key("revoke", "revoke a key; it stops working right away")
      .argument("<user>")
      .argument("<key-id>"),
    (name: string, keyId: string) => revokeKey(name, keyId),
  );
  runs(
    key("rotate", "replace a key", ["marquee key rotate ada --grace 1h"])
      .argument("<user>")
      .argument("[key-id]", "needed when the user has several keys")
      .option("--grace <time>", "how long the old key keeps working: 0s to 24h", "0s"),
    (name: string, keyId: string | undefined, options: { grace: string }) =>
      rotateKey(name, keyId, options.grace),
  );

  const widget = group("widget", "manage a user's widgets and their addresses");
  const language = () => new Option("--lang <language>", "en, fr, es, pt or de (default: en)");
  const widgetOrFirst = ["[id]", "the widget; if left out, the first one"] as const;
  runs(widget("list", "list a user's widgets").argument("<user>"), (name: string) =>
    listWidgets(name),
  );
  runs(
    widget("add", "make another widget and print its address", [
      "marquee widget add ada --name 'Starting soon'",
    ])
      .argument("<user>")
      .requiredOption("--name <name>", "what the widget is for")
      .option("--kind <kind>", "overlay, text or card", "overlay"),
    (name: string, options: { name: string; kind: string }) =>
      addWidget(name, options.name, options.kind),
  );
  runs(
    widget("remove", "remove a widget; its address stops working right away")
      .argument("<user>")
      .argument("<id>"),
    (name: string, id: string) => removeWidget(name, id),
  );
  runs(
    widget("set", "save options of a widget; it changes on every open page", [
      "marquee widget set ada 1 theme=vinyl accent=ff8800",
      "marquee widget set ada 1 accent=",
      "marquee widget set ada 1 css=@overlay.css",
    ])
      .argument("<user>")
      .argument("<id>")
      .argument(
        "<key=value...>",
        "options as in an address, and css=@FILE for an overlay's CSS; an empty value resets one",
      ),
    (name: string, id: string, assignments: string[]) => setWidgetOptions(name, id, assignments),
  );
  runs(
    widget("url", "print the address for the browser source", ["marquee widget url ada --lang fr"])
      .argument("<user>")
      .argument(...widgetOrFirst)
      .addOption(language()),
    (name: string, id: string | undefined, options: { lang?: string }) =>
      showWidgetUrl(name, id, options.lang),
  );
  runs(
    widget("rotate", "replace the address; the old one stops working right away")
      .argument("<user>")
      .argument(...widgetOrFirst)
      .addOption(language()),
    (name: string, id: string | undefined, options: { lang?: string }) =>
      rotateWidget(name, id, options.lang),
  );

  runs(
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
  );
  runs(
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

  const connection = group("connection", "manage a user's connections");
  runs(
    connection("list", "list a user's connections in order")
      .argument("<user>")
      .option(
        "--show-secrets",
        "also show the address or secret for programs that send to Marquee",
      ),
    (name: string, options: { showSecrets?: true }) =>
      listConnections(name, options.showSecrets === true),
  );
  runs(
    connection("order", "put connections first: if several are playing, the first is shown", [
      "marquee connection order ada 5 3",
    ])
      .argument("<user>")
      .argument("<ids...>", "in the order you want; the others follow"),
    (name: string, ids: string[]) => orderConnections(name, ids),
  );
  runs(
    connection("rotate", "replace a connection's secret; the old one stops working right away")
      .argument("<user>")
      .argument("<id>"),
    (name: string, id: string) => rotateConnection(name, id),
  );

  runs(
    command("login", "print a link that signs a browser in to the dashboard", [
      "marquee login ada",
    ]).argument("<user>"),
    (name: string) => printSignInLink(name),
  );

  runs(
    command("backup", "copy the database while the server runs", [
      "marquee backup ./marquee-2026-11-21.db",
    ]).argument("<file>", "a file that does not exist yet"),
    (file: string) => backUp(file),
  );

  runs(
    command("migrate", "copy everything to an empty PostgreSQL database", [
      "marquee migrate --to postgres://marquee:password@db.example.org/marquee",
    ]).option("--to <url>", "the database; if left out, the one that --database names"),
    (options: { to?: string }) => migrateTo(options.to),
  );

  const secret = group("secret", "replace the key that encrypts stored secrets");
  runs(
    secret("rotate", "encrypt everything with a new key, while the server runs", [
      "marquee secret rotate",
      "MARQUEE_SECRET_KEY_FILE=./new.key marquee secret rotate --old-key-file ./old.key",
    ]).option("--old-key-file <file>", "the old key, if a setting gives the new one"),
    (options: { oldKeyFile?: string }) => rotateSecret(options.oldKeyFile),
  );

  const config = command("config", "show the settings in force and where each comes from");
  addSettings(config, settingNames);
  config.action(() => {
    const { resolved, asJson } = settle(config, io);
    for (const warning of resolved.warnings) io.error(warning);
    showConfig(resolved, asJson, io);
  });

  const healthcheck = quiet(program.command("healthcheck", { hidden: true }), io).description(
    "ask the server on this machine whether it is alive (for containers)",
  );
  addSettings(healthcheck, ["host", "port"]);
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

/** Sends Commander's output through `io`, and keeps Commander from ending the process. */
function quiet(command: CommanderCommand, io: Io): CommanderCommand {
  return command
    .exitOverride()
    .helpOption("--help", "show this help")
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.error(redact(text.trimEnd())),
    });
}

function addExamples(command: CommanderCommand, examples: readonly string[]): CommanderCommand {
  if (examples.length === 0) return command;
  return command.addHelpText(
    "after",
    `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`,
  );
}

function addSettings(command: CommanderCommand, names: readonly SettingName[]): void {
  for (const name of names) {
    const { help, placeholder, fallback, fallbackText, allowed } = settings[name];
    const usual = fallbackText ?? String(fallback);
    const choices = /^one of /.test(allowed) ? ` Allowed: ${allowed.slice("one of ".length)}.` : "";
    const flag = placeholder ? `${flagOf(name)} <${placeholder}>` : flagOf(name);
    command.option(flag, `${help}${choices} (default: ${usual})`);
  }
  command.option("--json", "print JSON on standard output and nothing else");
}

interface Settled {
  readonly resolved: ResolvedConfig;
  readonly config: Config;
  readonly asJson: boolean;
}

/** @throws {SettingsError} that lists all mistakes */
function settle(command: CommanderCommand, io: Io): Settled {
  const flags: Record<string, unknown> = command.opts();
  const resolved = resolveConfig(flags, io.environment);
  return { resolved, config: resolved.config, asJson: flags["json"] === true };
}
