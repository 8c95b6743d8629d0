/** One option of the widget page: what its address, the documentation and an editor say of it. */
export interface WidgetOption<Value> {
  readonly fallback: Value;
  /** What is allowed, as it ends the sentence "must be …". */
  readonly allowed: string;
  /** The value a text stands for, or `undefined` when it is not allowed. */
  parse(text: string): Value | undefined;
}

const oneOf = <Choice extends string>(
  ...choices: readonly [Choice, ...Choice[]]
): WidgetOption<Choice> => ({
  fallback: choices[0],
  allowed: `one of ${choices.join(", ")}`,
  parse: (text) => choices.find((choice) => choice === text),
});

const toggle = (fallback: boolean): WidgetOption<boolean> => ({
  fallback,
  allowed: "1 or 0",
  parse: (text) => (text === "1" ? true : text === "0" ? false : undefined),
});

const number = (fallback: number, least: number, most: number): WidgetOption<number> => ({
  fallback,
  allowed: `a number from ${least} to ${most}`,
  parse: (text) => numberWithin(text, least, most),
});

/** A number that nobody has to set: without it, the stylesheet decides. */
const optionalNumber = (least: number, most: number): WidgetOption<number | null> => ({
  fallback: null,
  allowed: `a number from ${least} to ${most}`,
  parse: (text) => numberWithin(text, least, most),
});

const colour: WidgetOption<string | null> = {
  fallback: null,
  allowed: "a colour of 3 or 6 hexadecimal digits, without #",
  parse: (text) =>
    /^([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text) ? `#${text.toLowerCase()}` : undefined,
};

/** Everything the page's query string may say. */
export const widgetOptions = {
  mode: oneOf("auto", "dark", "light"),
  bg: colour,
  opacity: optionalNumber(0, 100),
  color: colour,
  accent: colour,
  font: {
    fallback: null,
    allowed: "font names separated by commas, of letters, digits, spaces and hyphens",
    parse: (text) => (/^[\p{L}\p{N} ,-]{1,120}$/u.test(text) ? text : undefined),
  } satisfies WidgetOption<string | null> as WidgetOption<string | null>,
  size: optionalNumber(8, 64),
  radius: optionalNumber(0, 64),
  width: optionalNumber(120, 3840),
  position: oneOf("tl", "tc", "tr", "ml", "mc", "mr", "bl", "bc", "br"),
  align: oneOf("start", "center", "end"),
  art: toggle(true),
  progress: toggle(true),
  time: toggle(true),
  album: toggle(false),
  label: toggle(true),
  source: toggle(true),
  swap: toggle(false),
  marquee: oneOf("auto", "off", "always"),
  /** Pixels a second. */
  speed: number(30, 5, 300),
  /** Seconds a long title rests at either end. */
  hold: number(3, 0, 60),
  paused: oneOf("show", "dim", "hide"),
  idle: oneOf("hide", "text"),
  idleText: {
    fallback: "",
    allowed: "at most 80 characters",
    parse: (text) => (text.length <= 80 ? text : undefined),
  } satisfies WidgetOption<string> as WidgetOption<string>,
  /** Milliseconds from the end of the music until the card goes. */
  hideDelay: number(5_000, 0, 600_000),
  /** Pixels of outline around the text. */
  outline: number(0, 0, 8),
  motion: oneOf("auto", "full", "none"),
};

type ValueOf<Option> = Option extends WidgetOption<infer Value> ? Value : never;

export type WidgetOptions = {
  readonly [Name in keyof typeof widgetOptions]: ValueOf<(typeof widgetOptions)[Name]>;
};

export interface ParsedOptions {
  readonly options: WidgetOptions;
  /** A sentence for each wrong value, which is replaced by its default. */
  readonly warnings: readonly string[];
}

/** Reads the options from a page's query string. Nothing in it can break the page. */
export function parseWidgetOptions(query: URLSearchParams): ParsedOptions {
  const warnings: string[] = [];
  const table = Object.entries(widgetOptions) as [string, WidgetOption<unknown>][];
  const values = table.map(([name, option]) => {
    const text = query.get(name);
    if (text === null) return [name, option.fallback];
    const value = option.parse(text);
    if (value !== undefined) return [name, value];
    warnings.push(`Widget option "${name}" must be ${option.allowed}; using the default.`);
    return [name, option.fallback];
  });
  return { options: Object.fromEntries(values) as WidgetOptions, warnings };
}

function numberWithin(text: string, least: number, most: number): number | undefined {
  const value = /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}
