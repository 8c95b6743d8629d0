/** Where a part of a text stands in it, as indices of UTF-16 code units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A way to divide a text: into phrases that should stay whole, then smaller parts. */
export type Division = (text: string) => readonly Span[];

/** From the largest parts to the smallest. */
export const DIVISIONS: readonly Division[] = [phrasesOf, parts("word"), parts("grapheme")];

function parts(granularity: "word" | "grapheme"): Division {
  let segmenter: Intl.Segmenter | undefined;
  return (text) => {
    segmenter ??= new Intl.Segmenter(undefined, { granularity });
    return [...segmenter.segment(text)]
      .filter(({ segment }) => segment.trim() !== "")
      .map(({ index, segment }) => ({ from: index, to: index + segment.length }));
  };
}

/** Scripts whose words follow each other without spaces. */
const UNSPACED =
  "\\p{sc=Han}\\p{sc=Kana}\\p{sc=Hira}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmr}\\p{sc=Mymr}";
const ENDS_UNSPACED = new RegExp(`[${UNSPACED}ー、。，．！？：；」』）】〉》]$`, "u");
/** Hiragana mostly belongs to the word before it. */
const BEGINS_PHRASE = new RegExp(`^(?!\\p{sc=Hira})[${UNSPACED}\\p{L}\\p{N}「『（【〈《]`, "u");
const OPENS = /[\p{Ps}\p{Pi}]$/u;

/**
 * The parts between which a line may be divided: words with their punctuation. Where a script has no
 * spaces, a part is a word with the endings that follow it.
 */
function phrasesOf(text: string): readonly Span[] {
  const phrases: Span[] = [];
  for (const word of words(text)) {
    const before = phrases.at(-1);
    const isNew = !before || before.to < word.from || startsPhrase(text, before, word);
    if (isNew) phrases.push(word);
    else phrases[phrases.length - 1] = { from: before.from, to: word.to };
  }
  return phrases;
}

const words = parts("word");

/** Whether a word that follows another without a space begins a new phrase. */
function startsPhrase(text: string, before: Span, word: Span): boolean {
  const left = text.slice(before.from, before.to);
  const right = text.slice(word.from, word.to);
  return (
    BEGINS_PHRASE.test(right) &&
    !OPENS.test(left) &&
    (ENDS_UNSPACED.test(left) || new RegExp(`^[${UNSPACED}]`, "u").test(right))
  );
}
