/** In graphemes: a letter with its accents, or an emoji, counts as one. */
export const LONGEST_KEY_NAME = 60;
/** The limit in UTF-16 units: a grapheme can have any number of accents. */
const MOST_UNITS = 300;

/** The rule for key names, as the end of a sentence: "must be …". */
export const KEY_NAME_RULE = `1 to ${LONGEST_KEY_NAME} visible characters`;

/**
 * Trims the name that was typed for a key; `undefined` when it cannot be used.
 * Names are printed in terminals, so control and other invisible characters are refused.
 */
export function readKeyName(typed: string): string | undefined {
  const name = typed.trim();
  if (name.length > MOST_UNITS || !/^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name)) return undefined;
  return [...new Intl.Segmenter().segment(name)].length <= LONGEST_KEY_NAME ? name : undefined;
}
