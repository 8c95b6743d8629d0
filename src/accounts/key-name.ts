/** Characters as people count them: a letter with its accents, or an emoji, is one. */
export const LONGEST_KEY_NAME = 60;
/** What is stored of such characters, in UTF-16 units: any number of accents may sit on a letter. */
const MOST_UNITS = 300;

/** What a key's name may be, as it ends the sentence "must be …". */
export const KEY_NAME_RULE = `1 to ${LONGEST_KEY_NAME} characters, and no invisible ones`;

/**
 * The name that was typed for a key, without spaces around it; `undefined` when it cannot be used.
 * Names are printed in terminals, so nothing is allowed that those obey or nobody would see.
 */
export function readKeyName(typed: string): string | undefined {
  const name = typed.trim();
  if (name.length > MOST_UNITS || !/^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name)) return undefined;
  return [...new Intl.Segmenter().segment(name)].length <= LONGEST_KEY_NAME ? name : undefined;
}
