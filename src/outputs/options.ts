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

type Texts = Readonly<Record<string, string>>;

/** What is saved; what is not, or is not understood, is the default. */
export const readTextOptions = (saved: Texts): TextOptions => readOptions(textOptions, saved);

/** The address's query counts more than what is saved. */
export const readCardOptions = (saved: Texts, query: URLSearchParams): CardOptions =>
  readOptions(cardOptions, Object.fromEntries([...query].toReversed()), saved);

/** Of each option the value of the first text that is allowed, else the default. */
function readOptions<Options extends Table>(options: Options, ...given: readonly Texts[]) {
  const values = Object.entries(options).map(([name, { fallback, parse }]) => {
    const texts = given.flatMap((one) => (Object.hasOwn(one, name) ? (one[name] ?? []) : []));
    const [value = fallback] = texts
      .map((text) => parse(text))
      .filter((parsed) => parsed !== undefined);
    return [name, value];
  });
  return Object.fromEntries(values) as ValuesOf<Options>;
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
