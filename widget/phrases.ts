/** Where a part of a text stands in it, as indices of UTF-16 code units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Scripts whose words follow each other without spaces. */
const UNSPACED =
  "\\p{sc=Han}\\p{sc=Kana}\\p{sc=Hira}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmr}\\p{sc=Mymr}";
const CLOSING_BRACKETS = "」』）】〉》｣";
const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
const ENDS_UNSPACED = new RegExp(`[${UNSPACED}ー]$`, "u");
const ENDS_BY_SIGN = new RegExp(`[、。，．！？：；・､｡${CLOSING_BRACKETS}]$`, "u");
const ENDS_BY_BRACKET = new RegExp(`[${CLOSING_BRACKETS}]$`, "u");
const BEGINS_BY_BRACKET = /^[「『（【〈《｢]/u;
/** Hiragana mostly belongs to the word before it, and a particle always does. */
const BEGINS_HIRAGANA = /^\p{sc=Hira}/u;
const IS_PARTICLE = /^\p{sc=Hira}$/u;
const BEGINS_WORD = /^[\p{L}\p{N}\p{Ps}\p{Pi}]/u;
const OPENS = /[\p{Ps}\p{Pi}]$/u;
/** No line begins with these: https://www.w3.org/TR/jlreq/#characters_not_starting_a_line */
const NEVER_FIRST =
  /^[\p{Pe}\p{Pf}\p{Pd}\p{Pc}\p{Po}々ゝゞヽヾーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ]/u;
const HAS_CONTENT = /[\p{L}\p{N}\p{S}]/u;

/** Whether what follows a phrase without a space begins another one. */
function startsPhrase(left: string, right: string): boolean {
  if (OPENS.test(left) || NEVER_FIRST.test(right) || !BEGINS_WORD.test(right)) return false;
  if (ENDS_BY_SIGN.test(left)) return !(ENDS_BY_BRACKET.test(left) && IS_PARTICLE.test(right));
  if (BEGINS_BY_BRACKET.test(right)) return true;
  if (BEGINS_HIRAGANA.test(right)) return /[!?]$/.test(left);
  return ENDS_UNSPACED.test(left) || BEGINS_UNSPACED.test(right);
}

/** Whether a line may end between these: signs stay with the word that they belong to. */
const standsApart = (left: string, right: string): boolean =>
  HAS_CONTENT.test(left) && !OPENS.test(left) && !NEVER_FIRST.test(right);

/** From the largest parts to the smallest. Each is a part of one of those before it. */
export const DIVISIONS = [
  // Words with their punctuation. Where a script has no spaces, a word with the endings that follow it.
  division("phrases", "word", startsPhrase),
  division("words", "word", standsApart),
  division("letters", "grapheme", standsApart),
  division("characters", "grapheme", () => true),
];

/**
 * A way to divide a text.
 * @param isNew whether a segment that follows a part without a space begins the next part
 */
function division(
  into: "phrases" | "words" | "letters" | "characters",
  granularity: "word" | "grapheme",
  isNew: (left: string, right: string) => boolean,
) {
  let segmenter: Intl.Segmenter | undefined;
  return {
    into,
    /** All of a text but its spaces, in order. */
    partsOf(text: string) {
      segmenter ??= new Intl.Segmenter(undefined, { granularity });
      const parts: Span[] = [];
      for (const { segment, index } of segmenter.segment(text)) {
        if (segment.trim() === "") continue;
        const before = parts.at(-1);
        const to = index + segment.length;
        if (!before || before.to < index || isNew(text.slice(before.from, before.to), segment)) {
          parts.push({ from: index, to });
        } else parts[parts.length - 1] = { from: before.from, to };
      }
      return parts;
    },
  };
}
