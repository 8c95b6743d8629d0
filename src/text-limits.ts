/**
 * How long a text may be that somebody enters in a form, a command or a setting. A page names the
 * same limits in `maxlength`, which limits nobody who sends a form by himself.
 */

/** Of an address, in UTF-16 units. */
export const LONGEST_ADDRESS = 2_048;
/** Of any other text whose field has no limit of its own, in UTF-16 units. */
export const LONGEST_ENTERED_TEXT = 300;

/** Why a text is refused: more than `longest` UTF-16 units, or a character that nobody sees. */
export type TextMistake =
  { readonly kind: "too long"; readonly longest: number } | { readonly kind: "control character" };

/** What is wrong with a text of one line; `undefined` when nothing is. */
export const mistakeIn = (text: string, longest = LONGEST_ENTERED_TEXT): TextMistake | undefined =>
  tooLong(text, longest) ?? (/\p{Cc}/u.test(text) ? { kind: "control character" } : undefined);

/** Whether a text is too long; its reader looks at its characters. */
export const tooLong = (text: string, longest: number): TextMistake | undefined =>
  text.length > longest ? { kind: "too long", longest } : undefined;

/** What ends a line in a text that was typed or pasted. */
export const LINE_BREAK = /\r\n|[\n\v\f\r\x85\u2028\u2029]/;

/** What is wrong with a text of several lines, whose length its reader limits. */
export const mistakeInLines = (text: string): TextMistake | undefined =>
  /[^\P{Cc}\t\n\v\f\r\x85]/u.test(text) ? { kind: "control character" } : undefined;
