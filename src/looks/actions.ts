import { action, type Call, good } from "../actions/action.ts";
import { choice, flag, id, name } from "../actions/inputs.ts";
import { onDemandAddress, outputAddress } from "../addresses.ts";
import { fill, type Words } from "../i18n/index.ts";
import { type Language, LANGUAGES } from "../languages.ts";
import { freeName } from "./free-name.ts";
import { type NewWidget, WIDGET_KINDS } from "./new-widget.ts";
import type { Widget } from "./widgets.ts";

/** Where a widget stands, as programs read it. */
interface PageAddress {
  readonly widget_token: string;
  readonly widget_url: string;
}

/** Where an overlay is shown and hidden on demand. */
interface ShowAddresses {
  readonly show_token: string;
  readonly show_url: string;
  readonly hide_url: string;
}

/** @param language the address's; without it the widget's own, else English */
const addressOf = (
  { baseUrl }: Call,
  { kind, language: own }: Widget,
  token: string,
  language: Language | null = null,
): string => outputAddress(baseUrl, language ?? own ?? "en", kind, token);

function pageAddressOf(call: Call, widget: Widget, language: Language | null = null): PageAddress {
  const token = call.accounts.widgets.tokenOf(call.user, widget.id);
  return { widget_token: token, widget_url: addressOf(call, widget, token, language) };
}

export const showAddressesOf = ({ baseUrl }: Call, token: string): ShowAddresses => ({
  show_token: token,
  show_url: onDemandAddress(baseUrl, "show", token),
  hide_url: onDemandAddress(baseUrl, "hide", token),
});

/** What people read of addresses. */
const rowsOf = (addresses: PageAddress | ShowAddresses): readonly (readonly string[])[] =>
  "show_url" in addresses
    ? [
        ["Show it", addresses.show_url],
        ["Hide it", addresses.hide_url],
      ]
    : [[addresses.widget_url]];

/** The widget of a command that may name one. */
const widgetOrFirst = ({ accounts: { widgets }, user }: Call, id: number | null) =>
  id === null ? widgets.first(user) : widgets.byId(user, id);

/** A name like another, which none of the user's widgets has. */
export const freeNameLike = ({ accounts, user }: Call, name: string): string =>
  freeName(
    name,
    accounts.widgets.allOf(user).map((widget) => widget.name),
  );

/** A widget that was just made. */
export interface MadeWidget {
  readonly widget: Widget;
  readonly address: PageAddress;
}

export async function makeWidget(call: Call, newWidget: NewWidget): Promise<MadeWidget> {
  const widget = await call.accounts.widgets.add(call.user, newWidget);
  return { widget, address: pageAddressOf(call, widget) };
}

/** What is shown of a widget that was made. */
export const showsMade = {
  documents: ({ widget, address }: MadeWidget) => [{ id: widget.id, ...address }],
  notice: (words: Words, { widget: { name } }: MadeWidget) => done(words, "added", { name }),
  lines: ({ address }: MadeWidget) => [address.widget_url],
};

/** The notice that something was done with a widget. */
export const done = (
  { dashboard: { gallery } }: Words,
  what: keyof Words["dashboard"]["gallery"]["done"],
  values: Readonly<Record<string, string>>,
) => good(fill(gallery.done[what], values));

const documentOf = ({ id, name }: Pick<Widget, "id" | "name">) => ({ id, name });

export const addWidget = action({
  name: "widget add",
  help: "add a widget and print its address",
  who: "self",
  inputs: {
    name: { ...name, help: "what the widget is for", as: "option" },
    kind: {
      ...choice(WIDGET_KINDS),
      help: "overlay, text or card (default: overlay)",
      fallback: "overlay",
    },
  },
  command: { examples: ["marquee widget add ada --name 'Starting soon'"] },
  run: makeWidget,
  ...showsMade,
});

export const listWidgets = action({
  name: "widget list",
  help: "list a user's widgets",
  who: "self",
  inputs: {},
  run: (call) => {
    const { user } = call;
    const { widgets } = call.accounts;
    return widgets.allOf(user).map((widget) => {
      const { id, name, kind } = widget;
      const token = widgets.readableTokenOf(user, id);
      const widget_url = token === undefined ? null : addressOf(call, widget, token);
      return { id, name, kind, widget_url };
    });
  },
  documents: (widgets) => widgets,
  table: (widgets) => [
    ["ID", "NAME", "KIND", "ADDRESS"],
    ...widgets.map(({ id, name, kind, widget_url }) => [
      String(id),
      name,
      kind,
      widget_url ?? `damaged: make a new one with "marquee widget rotate"`,
    ]),
  ],
});

export const renameWidget = action({
  name: "widget rename",
  help: "rename a widget; its address stays the same",
  who: "self",
  inputs: { id, name },
  command: { examples: ["marquee widget rename ada 2 'Starting soon'"] },
  async run({ accounts, user }, { id, name }) {
    await accounts.widgets.rename(user, id, name);
    return { id, name };
  },
  documents: (widget) => [documentOf(widget)],
  notice: (words, { name }) => done(words, "renamed", { name }),
});

export const copyWidget = action({
  name: "widget copy",
  help: "add a widget that looks like another, and print its address",
  who: "self",
  inputs: { id },
  async run(call, { id }) {
    const { accounts, user } = call;
    const { name, kind, language, ...look } = accounts.widgets.byId(user, id);
    return makeWidget(call, { name: freeNameLike(call, name), kind, language, look });
  },
  ...showsMade,
});

export const removeWidget = action({
  name: "widget remove",
  help: "remove a widget; its address stops working right away",
  who: "self",
  inputs: { id },
  async run({ accounts: { widgets }, user }, { id }) {
    const widget = widgets.byId(user, id);
    await widgets.remove(user, id);
    return widget;
  },
  documents: (widget) => [documentOf(widget)],
  notice: (words, { id, name }) => ({
    ...done(words, "removed", { name }),
    undo: {
      action: restoreWidget.name,
      texts: { id: String(id) },
      label: words.dashboard.gallery.undo,
    },
  }),
});

export const restoreWidget = action({
  name: "widget restore",
  help: "bring back a widget that was removed within the last minute",
  who: "self",
  inputs: { id },
  run: ({ accounts, user }, { id }) => accounts.widgets.restore(user, id),
  documents: (widget) => [documentOf(widget)],
  notice: (words, { name }) => done(words, "restored", { name }),
});

const addressInputs = {
  id: { ...id, as: "argument", help: "the widget; if left out, the first one", fallback: null },
  lang: {
    ...choice(LANGUAGES),
    help: "en, fr, es, pt or de (default: the widget's, else en)",
    placeholder: "language",
    fallback: null,
  },
} as const;

export const widgetUrl = action({
  name: "widget url",
  help: "print the address for the browser source",
  who: "self",
  inputs: {
    ...addressInputs,
    show: { ...flag, help: "print the addresses that show and hide it on demand instead" },
  },
  command: { examples: ["marquee widget url ada --lang fr"] },
  async run(call, { id, lang, show }) {
    const widget = await widgetOrFirst(call, id);
    return show
      ? showAddressesOf(call, await call.accounts.widgets.showTokenOf(call.user, widget.id))
      : pageAddressOf(call, widget, lang);
  },
  documents: (addresses) => [addresses],
  table: rowsOf,
});

export const rotateWidget = action({
  name: "widget rotate",
  help: "replace the address; the old one stops working right away",
  who: "self",
  inputs: {
    ...addressInputs,
    show: { ...flag, help: "replace the addresses that show and hide it on demand instead" },
  },
  async run(call, { id, lang, show }) {
    const { user, accounts } = call;
    const widget = await widgetOrFirst(call, id);
    if (show) {
      const token = await accounts.widgets.rotateShowToken(user, widget.id);
      return { widget, addresses: showAddressesOf(call, token) };
    }
    await accounts.widgets.rotate(user, widget.id);
    return { widget, addresses: pageAddressOf(call, widget, lang) };
  },
  documents: ({ addresses }) => [addresses],
  notice(words, { widget: { name, kind }, addresses }) {
    if ("show_url" in addresses) return done(words, "showRotated", { name });
    return kind === "overlay"
      ? done(words, "rotated", { name })
      : good(words.outputs[kind].rotated);
  },
  lines: ({ addresses }) => [
    "show_url" in addresses
      ? "The old addresses no longer work."
      : "The old address no longer works. Put this one in its place:",
    ...rowsOf(addresses).map((row) => row.join("  ")),
  ],
});
