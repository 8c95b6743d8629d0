/** How a value is entered and written. */
export type FieldType =
  | { readonly kind: "text" }
  | { readonly kind: "lines" }
  | { readonly kind: "switch" }
  | { readonly kind: "font" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | {
      readonly kind: "number";
      readonly least: number;
      readonly most: number;
      readonly unit: string;
    }
  | { readonly kind: "colour"; readonly automatic: boolean };

/** One kind of value, for settings, widget options, options of sources and inputs of actions. */
export interface Field<Value> {
  /** By default a text of one line. */
  readonly type?: FieldType;
  /** The value where none is given. A field without one has to be filled in. */
  readonly fallback?: Value;
  /** The allowed values, as the end of the sentence "must be …". */
  readonly allowed: string;
  readonly secret?: true;
  /** The longest text, in UTF-16 units; by default as any text that is entered. */
  readonly longest?: number;
  /** Parses a text; `undefined` when it is not allowed. */
  parse(text: string): Value | undefined;
}

/** The value that a field gives. */
export type ValueOf<F> = F extends { parse(text: string): infer Value }
  ? Exclude<Value, undefined>
  : never;

/** One of a few words. */
export const choice = <const Choice extends string>(choices: readonly Choice[]) => ({
  type: { kind: "choice", choices } as const,
  allowed: `one of ${choices.join(", ")}`,
  parse: (text: string): Choice | undefined => choices.find((one) => one === text),
});

/** Yes or no, as pages send it. */
export const toggle = {
  type: { kind: "switch" },
  allowed: "1 or 0",
  parse: (text: string) => (text === "1" ? true : text === "0" ? false : undefined),
} as const;

/** A whole number from one to another, both included. */
export const wholeNumber = (least: number, most: number) => ({
  allowed: `a whole number from ${least} to ${most}`,
  parse(text: string): number | undefined {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  },
});

/** A text that a pattern matches. */
export const matching = (pattern: RegExp, allowed: string) => ({
  allowed,
  parse: (text: string): string | undefined => (pattern.test(text) ? text : undefined),
});

/** The same, without the spaces around it. */
export const matchingTrimmed = (pattern: RegExp, allowed: string) => {
  const { parse } = matching(pattern, allowed);
  return { allowed, parse: (text: string) => parse(text.trim()) };
};
