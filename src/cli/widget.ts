import { KEY_NAME_RULE, readKeyName } from "../accounts/key-name.ts";
import type { User } from "../accounts/users.ts";
import { type Widget, WIDGET_KINDS, type WidgetKind } from "../looks/widgets.ts";
import { knownBaseUrl, outputAddress } from "../addresses.ts";
import type { Config } from "../config.ts";
import { isLanguage, type Language, LANGUAGES } from "../languages.ts";
import { savedOptionsOf } from "../outputs/options.ts";
import { type Command, print, table, UsageError } from "./command.ts";
import { withWorkspace, type Workspace } from "./workspace.ts";

/** `marquee widget list USER`. */
export function listWidgets(userName: string): Command {
  return (config, asJson, io) =>
    withUser(config, userName, async (workspace, user) => {
      const widgets = await workspace.accounts.widgets.allOf(user);
      const listed = await Promise.all(
        widgets.map(async (widget) => ({
          id: widget.id,
          name: widget.name,
          kind: widget.kind,
          ...(await addressed(config, workspace, user, widget)),
        })),
      );
      const documents = listed.map(({ widget_token: _, ...document }) => document);
      print(
        io,
        asJson,
        documents,
        table([
          ["ID", "NAME", "KIND", "ADDRESS"],
          ...listed.map(({ id, name, kind, widget_url }) => [String(id), name, kind, widget_url]),
        ]),
      );
    });
}

/** `marquee widget add USER --name N [--kind KIND]`. */
export function addWidget(userName: string, typedName: string, kindText: string): Command {
  const name = readKeyName(typedName);
  if (name === undefined) throw new UsageError(`--name must be ${KEY_NAME_RULE}.`);
  const kind = parseKind(kindText);
  return (config, asJson, io) =>
    withUser(config, userName, async (workspace, user) => {
      const widget = await workspace.accounts.widgets.add(user, { name, kind });
      const address = await addressed(config, workspace, user, widget);
      print(io, asJson, [{ id: widget.id, ...address }], [address.widget_url]);
    });
}

/** `marquee widget remove USER ID`. */
export function removeWidget(userName: string, typedId: string): Command {
  const id = readWidgetId(typedId, userName);
  return (config, asJson, io) =>
    withUser(config, userName, async ({ accounts }, user) => {
      const { name } = await accounts.widgets.byId(user, id);
      await accounts.widgets.remove(user, id);
      print(io, asJson, [{ id, name }], [`${name} is gone: its address no longer works.`]);
    });
}

/** `marquee widget set USER ID key=value …`. */
export function setWidgetOptions(
  userName: string,
  typedId: string,
  assignments: readonly string[],
): Command {
  const id = readWidgetId(typedId, userName);
  return (config, asJson, io) =>
    withUser(config, userName, async ({ accounts }, user) => {
      const widget = await accounts.widgets.byId(user, id);
      const changes = readAssignments(assignments, widget.kind);
      const { css, size } = widget;
      const options = withChanges(widget.options, changes);
      const saved = await accounts.widgets.save(
        user,
        id,
        { options, css, size },
        { basedOn: widget.revision },
      );
      const lines = Object.entries(saved.options).map(([name, value]) => `${name}=${value}`);
      print(
        io,
        asJson,
        [{ id, name: saved.name, revision: saved.revision, options: saved.options }],
        lines.length > 0
          ? lines
          : [`${saved.name} has no options of its own: all are the defaults.`],
      );
    });
}

/** `marquee widget url USER [ID]`. */
export function showWidgetUrl(
  userName: string,
  typedId: string | undefined,
  language: string | undefined,
): Command {
  return showAddress(userName, typedId, language, async () => {}, []);
}

/** `marquee widget rotate USER [ID]`. */
export function rotateWidget(
  userName: string,
  typedId: string | undefined,
  language: string | undefined,
): Command {
  return showAddress(
    userName,
    typedId,
    language,
    async ({ accounts }, user, { id }) => void (await accounts.widgets.rotate(user, id)),
    ["The old address no longer works. Put this one in its place:"],
  );
}

function showAddress(
  userName: string,
  typedId: string | undefined,
  languageText: string | undefined,
  prepare: (workspace: Workspace, user: User, widget: Widget) => Promise<void>,
  preface: readonly string[],
): Command {
  const language = languageText === undefined ? undefined : parseLanguage(languageText);
  const id = typedId === undefined ? undefined : readWidgetId(typedId, userName);
  return (config, asJson, io) =>
    withUser(config, userName, async (workspace, user) => {
      const { widgets } = workspace.accounts;
      const widget = await (id === undefined ? widgets.first(user) : widgets.byId(user, id));
      await prepare(workspace, user, widget);
      const address = await addressed(config, workspace, user, widget, language);
      print(io, asJson, [address], [...preface, address.widget_url]);
    });
}

const withUser = (
  config: Config,
  userName: string,
  run: (workspace: Workspace, user: User) => Promise<void>,
): Promise<void> =>
  withWorkspace(config, async (workspace) =>
    run(workspace, await workspace.accounts.users.named(userName)),
  );

/** @param language the address's; without it the widget's own, else English */
async function addressed(
  config: Config,
  { accounts }: Workspace,
  user: User,
  widget: Widget,
  language: Language = widget.language ?? "en",
) {
  const token = await accounts.widgets.tokenOf(user, widget.id);
  const url = outputAddress(await knownBaseUrl(config, accounts), language, widget.kind, token);
  return { widget_token: token, widget_url: url };
}

function readWidgetId(typed: string, userName: string): number {
  if (/^[1-9]\d{0,14}$/.test(typed)) return Number(typed);
  throw new UsageError(
    `${JSON.stringify(typed)} is no widget's id. "marquee widget list ${userName}" shows them.`,
  );
}

/** Option names with their texts; an empty text forgets an option. */
type Changes = ReadonlyMap<string, string>;

function readAssignments(assignments: readonly string[], kind: WidgetKind): Changes {
  const known = savedOptionsOf[kind];
  const changes = new Map<string, string>();
  const mistakes: string[] = [];
  for (const assignment of assignments) {
    const [name = "", ...rest] = assignment.split("=");
    const value = rest.join("=");
    const [, option] = known.find(([one]) => one === name) ?? [];
    if (rest.length === 0)
      mistakes.push(`${JSON.stringify(assignment)} lacks a =: write key=value.`);
    else if (!option) {
      const names = known.map(([one]) => one).join(", ");
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
