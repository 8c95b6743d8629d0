import { choice as oneOf, type Field, type FieldType, toggle as yesOrNo } from "../src/field.ts";

/** The kind of value that an option takes, for documentation and forms. */
export type OptionKind = Exclude<FieldType, { readonly kind: "lines" }>;

/** One option of the overlay's address. */
export interface WidgetOption<Value> extends Field<Value> {
  readonly type: OptionKind;
  /** The value when the address sets none; `null` leaves the choice to theme and mode. */
  readonly fallback: Value;
}

/** Songs that show what an overlay makes of them. */
export const DEMO_SONGS = ["ordinary", "long", "japanese", "arabic", "coverless"] as const;
export type DemoSong = (typeof DEMO_SONGS)[number];

const COLOUR_RULE = "a colour of 3 or 6 hexadecimal digits, without #";

/** An optional colour such as `#ff8800`: without it, the mode decides. */
const colour: WidgetOption<string | null> = {
  type: { kind: "colour", automatic: false },
  fallback: null,
  allowed: COLOUR_RULE,
  parse: parseColour,
};

/** A colour, or `auto` for one taken from the cover. */
const accentColour: WidgetOption<string> = {
  type: { kind: "colour", automatic: true },
  fallback: "auto",
  allowed: `auto, or ${COLOUR_RULE}`,
  parse: (given) => (given === "auto" ? given : parseColour(given)),
};

const font: WidgetOption<string | null> = {
  type: { kind: "font" },
  longest: 120,
  fallback: null,
  allowed: "font names separated by commas, of letters, digits, spaces and hyphens",
  parse: (given) => (/^[\p{L}\p{N} ,-]{1,120}$/u.test(given) ? given : undefined),
};

/** All options of the page's query string; parsing, documentation and editors use this table. */
export const widgetOptions = {
  theme: choice(["card", "compact", "bar", "text", "art", "vinyl", "glass", "ambient"]),
  mode: choice(["dark", "auto", "light"]),
  bg: colour,
  opacity: optionalNumber([0, 100, "%"]),
  color: colour,
  accent: accentColour,
  font,
  size: optionalNumber([8, 64, "px"]),
  radius: optionalNumber([0, 64, "px"]),
  width: optionalNumber([120, 3840, "px"]),
  position: choice(["tl", "tc", "tr", "ml", "mc", "mr", "bl", "bc", "br"]),
  align: choice(["start", "center", "end"]),
  art: toggle(true),
  progress: toggle(true),
  time: toggle(true),
  album: toggle(false),
  label: toggle(true),
  source: toggle(false),
  swap: toggle(false),
  marquee: choice(["pages", "once", "auto", "off", "always"]),
  speed: number(30, [5, 300, "px/s"]),
  hold: optionalNumber([0, 60, "s"]),
  delay: number(0, [0, 30, "s"]),
  enter: choice(["fade", "slide", "none"]),
  exit: choice(["fade", "slide", "none"]),
  paused: choice(["show", "dim", "hide"]),
  idle: choice(["hide", "text"]),
  idleText: text(80),
  hideDelay: number(5_000, [0, 600_000, "ms"]),
  shown: choice(["always", "changes", "asked"]),
  show: number(0, [0, 3_600, "s"]),
  outline: optionalNumber([0, 8, "px"]),
  motion: choice(["auto", "full", "none"]),
  /** Whose music it shows: the user's, the demo's, or one song of the demo. */
  demo: choice(["0", "1", ...DEMO_SONGS]),
};

export type OptionName = keyof typeof widgetOptions;

/** The same options as a list, in the table's order. */
export const optionList = Object.entries(widgetOptions) as readonly (readonly [
  name: OptionName,
  option: WidgetOption<unknown>,
])[];

/** The options that a widget may have saved. `demo` is a matter of one page, such as a preview. */
export const savedOptionList = optionList.filter(([name]) => name !== "demo");

type ValueOf<Option> = Option extends WidgetOption<infer Value> ? Value : never;

export type WidgetOptions = {
  readonly [Name in OptionName]: ValueOf<(typeof widgetOptions)[Name]>;
};

/**
 * Reads the options from a page's query string; what it does not set is as saved, or the default.
 * No query string and nothing saved can break the page. Unknown saved names are ignored.
 */
export function parseWidgetOptions(
  query: URLSearchParams,
  saved: Readonly<Record<string, string>> = {},
) {
  /** A sentence for each wrong value, which is replaced by its default. */
  const warnings: string[] = [];
  const texts = new Map(Object.entries(saved));
  texts.delete("demo");
  const values = optionList.map(([name, option]) => {
    const given = query.get(name);
    const value = given === null ? undefined : option.parse(given);
    if (given !== null && value === undefined) {
      warnings.push(`Widget option "${name}" must be ${option.allowed}; it is ignored.`);
    }
    const text = texts.get(name);
    return [
      name,
      value ?? (text === undefined ? undefined : option.parse(text)) ?? option.fallback,
    ];
  });
  return { options: Object.fromEntries(values) as WidgetOptions, warnings };
}

type Range = readonly [least: number, most: number, unit: string];

export function choice<const Choice extends string>(
  choices: readonly [Choice, ...Choice[]],
): WidgetOption<Choice> {
  return { ...oneOf(choices), fallback: choices[0] };
}

export function toggle(fallback: boolean): WidgetOption<boolean> {
  return { ...yesOrNo, fallback };
}

function number(fallback: number, range: Range): WidgetOption<number> {
  const [least, most, unit] = range;
  return {
    type: { kind: "number", least, most, unit },
    fallback,
    allowed: `a number from ${least} to ${most}`,
    parse(given) {
      const value = /^\d{1,7}(\.\d{1,3})?$/.test(given) ? Number(given) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

/** An optional number: without it, the theme decides. */
function optionalNumber(range: Range): WidgetOption<number | null> {
  return { ...number(range[0], range), fallback: null };
}

function parseColour(given: string): string | undefined {
  return /^([0-9a-f]{3}|[0-9a-f]{6})$/i.test(given) ? `#${given.toLowerCase()}` : undefined;
}

export function text(longest: number): WidgetOption<string> {
  return {
    type: { kind: "text" },
    longest,
    fallback: "",
    allowed: `at most ${longest} characters on one line`,
    parse: (given) => (given.length <= longest && !/\p{Cc}/u.test(given) ? given : undefined),
  };
}
