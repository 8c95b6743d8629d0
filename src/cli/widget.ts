import { KEY_NAME_RULE, readKeyName } from "../accounts/key-name.ts";
import type { User } from "../accounts/users.ts";
import { LONGEST_CSS } from "../looks/look.ts";
import { WIDGET_KINDS, type WidgetKind } from "../looks/new-widget.ts";
import type { Widget } from "../looks/widgets.ts";
import { onDemandAddress, outputAddress } from "../addresses.ts";
import { isLanguage, type Language, LANGUAGES } from "../languages.ts";
import { savedOptionsOf } from "../outputs/options.ts";
import { type Command, type Execution, forUser, readId, table, UsageError } from "./command.ts";
import type { Cli, Syntax } from "./cli.ts";
import { fileBeginning } from "../file-beginning.ts";

/** Declares `marquee widget …`. */
export function declareWidget<Target extends Syntax>({
  group,
  carriesOut,
  shows,
}: Cli<Target>): void {
  const widget = group("widget", "manage a user's widgets and their addresses");
  const language = ["--lang <language>", "en, fr, es, pt or de (default: en)"] as const;
  const widgetOrFirst = ["[id]", "the widget; if left out, the first one"] as const;
  shows(widget("list", "list a user's widgets").argument("<user>"), (name: string) =>
    listWidgets(name),
  );
  carriesOut(
    widget("add", "add a widget and print its address", [
      "marquee widget add ada --name 'Starting soon'",
    ])
      .argument("<user>")
      .requiredOption("--name <name>", "what the widget is for")
      .option("--kind <kind>", "overlay, text or card", "overlay"),
    (name: string, options: { name: string; kind: string }) =>
      addWidget(name, options.name, options.kind),
  );
  carriesOut(
    widget("remove", "remove a widget; its address stops working right away")
      .argument("<user>")
      .argument("<id>"),
    (name: string, id: string) => removeWidget(name, id),
  );
  carriesOut(
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
    {
      readHere: ([name, id, assignments, ...more]) => [name, id, withCssRead(assignments), ...more],
    },
  );
  shows(
    widget("url", "print the address for the browser source", ["marquee widget url ada --lang fr"])
      .argument("<user>")
      .argument(...widgetOrFirst)
      .option(...language)
      .option("--show", "print the addresses that show and hide it on demand instead"),
    (name: string, id: string | undefined, options: { lang?: string; show?: true }) =>
      options.show ? printShowUrls(name, id) : printUrl(name, id, options.lang),
  );
  carriesOut(
    widget("rotate", "replace the address; the old one stops working right away")
      .argument("<user>")
      .argument(...widgetOrFirst)
      .option(...language)
      .option("--show", "replace the addresses that show and hide it on demand instead"),
    (name: string, id: string | undefined, options: { lang?: string; show?: true }) =>
      options.show ? printShowUrls(name, id, true) : printUrl(name, id, options.lang, true),
  );
}

/** `marquee widget list USER`. */
function listWidgets(userName: string): Command {
  return forUser(userName, async ({ accounts, baseUrl, user, print }) => {
    const widgets = accounts.widgets.allOf(user);
    const listed = await Promise.all(
      widgets.map(async (widget) => ({
        id: widget.id,
        name: widget.name,
        kind: widget.kind,
        ...(await addressed(accounts, baseUrl, user, widget)),
      })),
    );
    const documents = listed.map(({ widget_token: _, ...document }) => document);
    print(
      documents,
      table([
        ["ID", "NAME", "KIND", "ADDRESS"],
        ...listed.map(({ id, name, kind, widget_url }) => [String(id), name, kind, widget_url]),
      ]),
    );
  });
}

/** `marquee widget add USER --name N [--kind KIND]`. */
function addWidget(userName: string, typedName: string, kindText: string): Command {
  const name = readKeyName(typedName);
  if (name === undefined) throw new UsageError(`--name must be ${KEY_NAME_RULE}.`);
  const kind = parseKind(kindText);
  return forUser(userName, async ({ accounts, baseUrl, user, print }) => {
    const widget = await accounts.widgets.add(user, { name, kind });
    const address = await addressed(accounts, baseUrl, user, widget);
    print([{ id: widget.id, ...address }], [address.widget_url]);
  });
}

/** `marquee widget remove USER ID`. */
function removeWidget(userName: string, typedId: string): Command {
  const id = readId("widget", typedId, userName);
  return forUser(userName, async ({ accounts, user, print }) => {
    const { name } = await accounts.widgets.byId(user, id);
    await accounts.widgets.remove(user, id);
    print([{ id, name }], [`${name} was removed: its address no longer works.`]);
  });
}

/** `marquee widget set USER ID key=value …`; `css=@FILE` for an overlay's CSS. */
function setWidgetOptions(
  userName: string,
  typedId: string,
  assignments: readonly string[],
): Command {
  const id = readId("widget", typedId, userName);
  const css = assignments.findLast(isCss)?.slice(CSS.length);
  return forUser(userName, async ({ accounts, user, print }) => {
    const widget = await accounts.widgets.byId(user, id);
    const changes = readAssignments(assignments, widget.kind);
    const saved = await accounts.widgets.save(
      user,
      id,
      {
        options: withChanges(widget.options, changes),
        css: css ?? widget.css,
        size: widget.size,
      },
      { basedOn: widget.revision },
    );
    const lines = Object.entries(saved.options).map(([name, value]) => `${name}=${value}`);
    if (saved.css !== "") lines.push(`CSS of ${Buffer.byteLength(saved.css)} bytes`);
    print(
      [{ id, name: saved.name, revision: saved.revision, options: saved.options }],
      lines.length > 0 ? lines : [`${saved.name} has no options of its own: all are the defaults.`],
    );
  });
}

/** `marquee widget url USER [ID]` and, to replace it, `marquee widget rotate USER [ID]`. */
function printUrl(
  userName: string,
  typedId: string | undefined,
  languageText: string | undefined,
  isReplaced = false,
): Command {
  const language = languageText === undefined ? undefined : parseLanguage(languageText);
  const id = typedId === undefined ? undefined : readId("widget", typedId, userName);
  return forUser(userName, async ({ accounts, baseUrl, user, print }) => {
    const { widgets } = accounts;
    const widget = await (id === undefined ? widgets.first(user) : widgets.byId(user, id));
    if (isReplaced) await widgets.rotate(user, widget.id);
    const address = await addressed(accounts, baseUrl, user, widget, language);
    const preface = isReplaced
      ? ["The old address no longer works. Put this one in its place:"]
      : [];
    print([address], [...preface, address.widget_url]);
  });
}

/** `marquee widget url --show` and, to replace them, `marquee widget rotate --show`. */
function printShowUrls(userName: string, typedId: string | undefined, isReplaced = false): Command {
  const id = typedId === undefined ? undefined : readId("widget", typedId, userName);
  return forUser(userName, async ({ accounts, baseUrl, user, print }) => {
    const { widgets } = accounts;
    const token = await (isReplaced
      ? widgets.rotateShowToken(user, id)
      : widgets.showTokenOf(user, id));
    const [show, hide] = [
      onDemandAddress(baseUrl, "show", token),
      onDemandAddress(baseUrl, "hide", token),
    ];
    const lines = [`Show it  ${show}`, `Hide it  ${hide}`];
    const preface = isReplaced ? ["The old addresses no longer work."] : [];
    print([{ show_token: token, show_url: show, hide_url: hide }], [...preface, ...lines]);
  });
}

/** @param language the address's; without it the widget's own, else English */
async function addressed(
  accounts: Execution["accounts"],
  baseUrl: string,
  user: User,
  widget: Widget,
  language: Language = widget.language ?? "en",
) {
  const token = await accounts.widgets.tokenOf(user, widget.id);
  const url = outputAddress(baseUrl, language, widget.kind, token);
  return { widget_token: token, widget_url: url };
}

/** Begins the assignment of an overlay's CSS. */
const CSS = "css=";
const isCss = (assignment: string): boolean => assignment.startsWith(CSS);

/** The assignments with the CSS itself in the place of its file's name. */
const withCssRead = (assignments: unknown): unknown =>
  Array.isArray(assignments)
    ? assignments.map((assignment: unknown) =>
        typeof assignment === "string" && isCss(assignment)
          ? CSS + readCss(assignment.slice(CSS.length))
          : assignment,
      )
    : assignments;

/**
 * The CSS of `@FILE`; nothing clears it.
 * @throws {UsageError} for anything else, and for a file that the editor would not take either
 */
function readCss(value: string): string {
  if (value === "") return "";
  const path = value.slice(1);
  const refuse = (why: string): never => {
    throw new UsageError(`css: ${why}\nNothing was saved.`);
  };
  if (!value.startsWith("@") || path === "") {
    refuse("must be @ and the name of a file, such as css=@overlay.css, or empty to clear it.");
  }
  const name = JSON.stringify(path);
  const bytes = fileBeginning(path, LONGEST_CSS + 1);
  if (!bytes) return refuse(`${name} must be a file this program can read.`);
  if (bytes.length > LONGEST_CSS) {
    refuse(`${name} is longer than ${LONGEST_CSS} bytes. Shorten it.`);
  }
  try {
    // As in the editor, where browsers send other line breaks.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return refuse(`${name} is not UTF-8 text. Save it in that encoding.`);
  }
}

/** Option names with their texts; an empty text forgets an option. */
type Changes = ReadonlyMap<string, string>;

function readAssignments(assignments: readonly string[], kind: WidgetKind): Changes {
  const known = savedOptionsOf[kind];
  const mayHaveCss = kind === "overlay";
  const changes = new Map<string, string>();
  const mistakes: string[] = [];
  for (const assignment of assignments) {
    if (mayHaveCss && isCss(assignment)) continue;
    const [name = "", ...rest] = assignment.split("=");
    const value = rest.join("=");
    const [, option] = known.find(([one]) => one === name) ?? [];
    if (rest.length === 0)
      mistakes.push(`${JSON.stringify(assignment)} has no =: write key=value.`);
    else if (!option) {
      const names = [...known.map(([one]) => one), ...(mayHaveCss ? ["css"] : [])].join(", ");
      mistakes.push(`There is no option ${JSON.stringify(name)}. There are: ${names}.`);
    } else if (value !== "" && option.parse(value) === undefined) {
      mistakes.push(`${name} must be ${option.allowed}.`);
    } else changes.set(name, value);
  }
  if (mistakes.length > 0) throw new UsageError([...mistakes, "Nothing was saved."].join("\n"));
  return changes;
}

function withChanges(options: Readonly<Record<string, string>>, changes: Changes) {
  const changed = Object.entries({ ...options, ...Object.fromEntries(changes) });
  return Object.fromEntries(changed.filter(([, value]) => value !== ""));
}

function parseKind(text: string): WidgetKind {
  const kind = WIDGET_KINDS.find((one) => one === text);
  if (kind) return kind;
  throw new UsageError(
    `--kind ${JSON.stringify(text)}: must be one of ${WIDGET_KINDS.join(", ")}.`,
  );
}

function parseLanguage(text: string): Language {
  if (isLanguage(text)) return text;
  throw new UsageError(`--lang ${JSON.stringify(text)}: must be one of ${LANGUAGES.join(", ")}.`);
}
