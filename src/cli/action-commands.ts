import type { Call, AnyAction, Input, OwnersCall, Texts } from "../actions/action.ts";
import { ACTIONS } from "../actions/index.ts";
import { perform } from "../actions/run.ts";
import { fileBeginning } from "../file-beginning.ts";
import type { Notice } from "../html/notices.ts";
import { languages } from "../i18n/index.ts";
import { optionField } from "../sources/source.ts";
import type { Carrying, Cli, Syntax } from "./cli.ts";
import { type Command, CommandFailedError, type Execution, table, UsageError } from "./command.ts";

/** The commands of actions: inputs become arguments and options. */

/** What stands between a command's first and second word, for `--help`. */
const GROUPS: Readonly<Record<string, string>> = {
  user: "add, list and remove users",
  key: "manage a user's API keys",
  titles: "how a user's titles are shown",
  widget: "manage a user's widgets and their addresses",
  look: "give overlays a look: one that comes with Marquee, or a shared one",
  font: "manage a user's fonts",
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

/** Declares the command of each action, in the order of the list. */
export function declareActions<Target extends Syntax>(cli: Cli<Target>): void {
  const groups = new Map<string, ReturnType<Cli<Target>["group"]>>();
  for (const action of ACTIONS) {
    const { name, help, who, inputs, command = {} } = action;
    const [first = "", second] = name.split(" ");
    const examples = command.examples ?? [];
    const target =
      second === undefined
        ? cli.command(first, help, examples)
        : groupOf(first)(second, help, examples);
    if (command.usage !== undefined) target.usage(command.usage);
    if (who === "self") target.argument("<user>");
    for (const [input, definition] of Object.entries(inputs)) {
      if (definition.as !== "hidden") declareInput(target, input, definition);
    }
    const { help: helpAfter } = command;
    if (helpAfter) target.addHelpText("after", helpAfter);
    const carries = "table" in action ? cli.shows : cli.carriesOut;
    carries(target, (texts: Texts) => commandOf(action, texts), carryingOf(action));
  }

  function groupOf(name: string) {
    const group = groups.get(name) ?? cli.group(name, GROUPS[name] ?? "");
    groups.set(name, group);
    return group;
  }
}

/** Texts stand in the place of what Commander gives. */
function carryingOf(action: AnyAction): Carrying {
  const { readHere, otherKeys, ...command } = action.command ?? {};
  return {
    ...command,
    readHere(given, config) {
      const texts = textsOf(action, given);
      return [readHere?.(texts, config) ?? texts];
    },
    otherKeys: ([texts]) => otherKeys?.(texts as Texts) ?? [],
  };
}

const isArgument = ({ as, fallback }: Input<unknown>): boolean =>
  (as ?? (fallback === undefined ? "argument" : "option")) === "argument";

/** How an input is written: `--show-secrets` or `<url>`. */
export const wordOf = (name: string, input: Input<unknown>): string =>
  isArgument(input) && !isSourceOption(name)
    ? `<${input.placeholder ?? name}>`
    : `--${optionOf(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** A form calls the options of sources by longer names: it has other fields. */
const isSourceOption = (name: string): boolean => name.startsWith(optionField(""));
const optionOf = (name: string): string =>
  isSourceOption(name) ? name.slice(optionField("").length) : name;

function declareInput(target: Syntax, name: string, input: Input<unknown>): void {
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

/** What Commander was given, by the names of inputs: arguments in their order, then an object of options. */
function textsOf({ who, inputs }: AnyAction, given: readonly unknown[]): Texts {
  const arguments_ = given.slice(0, -1);
  const options = (given.at(-1) ?? {}) as Readonly<Record<string, unknown>>;
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

/** What a command line asks for. */
const commandOf =
  (action: AnyAction, texts: Texts): Command =>
  async (execution) => {
    const ownersCall: OwnersCall = { ...execution, ...callOf(execution) };
    const show = (result: unknown) => {
      const documents = action.documents(result);
      if ("table" in action) return execution.print(documents, table(action.table(result)));
      const notice = action.notice(languages.en, result, "en");
      const lines = action.lines?.(result) ?? linesOf(notice);
      if (notice.tone === "good") return execution.print(documents, lines);
      execution.print(documents, []);
      throw new CommandFailedError(lines.join("\n"));
    };
    if (action.who === "owner") return show(await perform(action, ownersCall, texts));
    const call: Call = {
      ...ownersCall,
      user: execution.accounts.users.named(String(texts["user"])),
    };
    const result = await perform(action, call, texts);
    show(result);
    if (action.wait) show(await action.wait(call, result));
  };

const callOf = ({
  note,
  print,
}: Execution): Pick<OwnersCall, "actor" | "language" | "progress" | "remark"> => ({
  actor: "operator",
  language: "en",
  remark: note,
  progress: (notice, documents) => print(documents, linesOf(notice)),
});

const linesOf = ({ text, shownOnce = [] }: Notice): readonly string[] => [
  text,
  ...shownOnce.flatMap(({ label, value }) => [`${label}:`, `  ${value}`]),
];
