/** Who are guests of a song, and what only looks like them. */

const NUMBERS = new Set("one two three four five six seven eight nine ten twelve".split(" "));
/** Forts that cities are named after; an artist's name would go on. */
const FORTS = new Set(
  `worth lauderdale knox myers wayne collins mcmurray sumter bragg benning hood leavenworth mchenry
  ticonderoga meade dix pierce boyard bliss apache campbell drum polk rucker stewart carson riley sill
  william wellington dodge irwin minor laramie belvoir defiance walton`.split(/\s+/),
);
/** Behind one of these a place is meant: a title does not end with it. */
const BEFORE_A_PLACE = new Set("to from near at of the toward towards outside leaving".split(" "));
/** Behind "featuring" these are no names: it is a verb then. */
const NO_NAMES = new Set(
  `nobody nothing none no everybody everyone everything all somebody someone something some anybody
  anyone anything me you us them him her it my your our their his a an`.split(/\s+/),
);

/** Whether "ft." or "featuring" between these words is no guest's, but a place's, a height's or a verb. */
export function isOtherFt(
  before: readonly string[],
  word: string,
  after: readonly string[],
): boolean {
  const last = before.at(-1) ?? "";
  const [next = ""] = after;
  if (word === "featuring") return NO_NAMES.has(next) || /^an?$/.test(before[0] ?? "");
  if (!word.startsWith("ft")) return false;
  const isHeight = NUMBERS.has(last) || /^\d+$/.test(last);
  const isWhole = after.length === 1 || next.endsWith(",") || /^[([【（|–—-]/.test(after[1] ?? "");
  const isPlace = isWhole && FORTS.has(next.replace(/,$/, ""));
  return isHeight || isPlace || BEFORE_A_PLACE.has(last);
}

/** Guests without brackets: `X ft. Y`; `write` says how they are written. */
export function withGuests(text: string, write: (name: string, guests: string) => string): string {
  const words = text.split(" ");
  const at = words.findIndex(
    (word, index) => index > 0 && /^(?:ft\.?|feat\.?|featuring)$/i.test(word),
  );
  if (at === -1 || at === words.length - 1) return text;
  const lower = words.map((word) => word.toLowerCase());
  if (isOtherFt(lower.slice(0, at), lower[at] ?? "", lower.slice(at + 1))) return text;
  return write(words.slice(0, at).join(" "), words.slice(at + 1).join(" "));
}
