import {
  choice,
  savedOptionList,
  toggle,
  type WidgetOption,
  text as textOption,
} from "../../widget/options.ts";
import type { OptionTable } from "../looks/draft.ts";
import type { WidgetKind } from "../looks/new-widget.ts";
import { isMistake, parseTemplate, PLACEHOLDERS } from "./template.ts";

/** In UTF-16 units. */
export const LONGEST_TEMPLATE = 300;

/** What a widget of kind `text` may have saved. An empty template is the default in its language. */
export const textOptions = {
  template: template(),
  pausedTemplate: template(),
  idleTemplate: template(),
  url: toggle(false),
};

/** What a widget of kind `card` may have saved. */
export const cardOptions = {
  mode: choice(["auto", "dark", "light"]),
  progress: toggle(true),
  source: toggle(true),
};

/** The options that a widget of each kind may have saved. */
export const savedOptionsOf: Readonly<Record<WidgetKind, OptionTable>> = {
  overlay: savedOptionList,
  text: Object.entries(textOptions),
  card: Object.entries(cardOptions),
};

type Table = Readonly<Record<string, WidgetOption<unknown>>>;
type ValuesOf<Options extends Table> = {
  readonly [Name in keyof Options]: Options[Name] extends WidgetOption<infer Value> ? Value : never;
};

export type TextOptions = ValuesOf<typeof textOptions>;
export type CardOptions = ValuesOf<typeof cardOptions>;

/** What is saved; what is not, or is not understood, is the default. */
export function readTextOptions(saved: Readonly<Record<string, string>>): TextOptions {
  const { template, pausedTemplate, idleTemplate, url } = textOptions;
  return {
    template: valueOf(template, saved["template"]),
    pausedTemplate: valueOf(pausedTemplate, saved["pausedTemplate"]),
    idleTemplate: valueOf(idleTemplate, saved["idleTemplate"]),
    url: valueOf(url, saved["url"]),
  };
}

/** The address's query counts more than what is saved. */
export function readCardOptions(
  saved: Readonly<Record<string, string>>,
  query: URLSearchParams,
): CardOptions {
  const { mode, progress, source } = cardOptions;
  return {
    mode: valueOf(mode, query.get("mode"), saved["mode"]),
    progress: valueOf(progress, query.get("progress"), saved["progress"]),
    source: valueOf(source, query.get("source"), saved["source"]),
  };
}

/** The value of the first text that is allowed, else the default. */
function valueOf<Value>(
  option: WidgetOption<Value>,
  ...texts: readonly (string | null | undefined)[]
): Value {
  for (const text of texts) {
    const value = typeof text === "string" ? option.parse(text) : undefined;
    if (value !== undefined) return value;
  }
  return option.fallback;
}

function template(): WidgetOption<string> {
  const short = textOption(LONGEST_TEMPLATE);
  const names = PLACEHOLDERS.map((name) => `{${name}}`).join(", ");
  return {
    ...short,
    allowed: `at most ${LONGEST_TEMPLATE} characters, with ${names} as its placeholders, square brackets around what may vanish, and {{ }} [[ ]] for the characters themselves`,
    parse: (text) => (isMistake(parseTemplate(text)) ? undefined : short.parse(text)),
  };
}
