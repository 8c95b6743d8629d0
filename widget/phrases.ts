/** Where a part of a text stands in it, as indices of UTF-16 code units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const OPENS = /^\p{Ps}/u;
/** Letters of scripts without case, some of which put no spaces between words. Hiragana mostly belongs to the word before it. */
const BEGINS_UNSPACED = /^(?!\p{sc=Hira})\p{Lo}/u;
const IS_SIGN = /[、。，．！？：；・､｡\p{Pe}]/u;
const IS_PARTICLE = /^\p{sc=Hira}$/u;

/** The parts of a title that are read in one: words with their signs. All of it but its spaces, in order. */
export function phrasesIn(text: string): Span[] {
  const words = new Intl.Segmenter(undefined, { granularity: "word" });
  const phrases: Span[] = [];
  for (const { segment, index, isWordLike } of words.segment(text)) {
    if (segment.trim() === "") continue;
    const before = phrases.at(-1);
    const to = index + segment.length;
    if (!before || before.to < index || mayBegin(segment, text.charAt(index - 1), isWordLike)) {
      phrases.push({ from: index, to });
    } else phrases[phrases.length - 1] = { from: before.from, to };
  }
  return phrases;
}

/** Whether a phrase may begin with this, without a space before it. @param last what stands before it */
function mayBegin(segment: string, last: string, isWord: boolean | undefined): boolean {
  if (OPENS.test(last)) return false;
  if (OPENS.test(segment)) return true;
  if (!isWord || IS_PARTICLE.test(segment)) return false;
  return BEGINS_UNSPACED.test(segment) || IS_SIGN.test(last);
}
