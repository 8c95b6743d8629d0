/** A part of a page, as an entry of the search index. */
export interface SearchEntry {
  readonly page: string;
  readonly heading: string;
  readonly address: string;
  readonly text: string;
  /** Other words for the same, which the page does not show. */
  readonly keywords: string;
}

/** An entry with the sentence of it that has most of the words. */
export interface FoundEntry extends SearchEntry {
  readonly sentence: readonly FoundText[];
}

/** A piece of a sentence, and whether it is one of the words that were searched for. */
export interface FoundText {
  readonly text: string;
  readonly isFound: boolean;
}

const MOST_RESULTS = 12;
const HEADING_POINTS = 10;
/** Of a longer sentence, the part around the first word that was found is shown. */
const LONGEST_SENTENCE = 160;
const SHOWN_BEFORE = 60;

/** The entries that have all these words, those that have them in heading or keywords first. */
export function search(entries: readonly SearchEntry[], text: string): FoundEntry[] {
  const words = simple(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, points: score(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, MOST_RESULTS)
    .map(({ entry }) => ({ ...entry, sentence: sentenceOf(entry.text, words) }));
}

function score({ heading, text, keywords }: SearchEntry, words: readonly string[]): number {
  const title = simple(`${heading} ${keywords}`);
  const body = simple(text);
  if (!words.every((word) => title.includes(word) || body.includes(word))) return 0;
  return 1 + words.filter((word) => title.includes(word)).length * HEADING_POINTS;
}

function sentenceOf(text: string, words: readonly string[]): FoundText[] {
  let best = "";
  let most = -1;
  for (const sentence of text.split(/\n|(?<=[.!?])\s+(?=[\p{Lu}¿¡«“„])/u)) {
    const body = simple(sentence);
    const found = words.filter((word) => body.includes(word)).length;
    if (found > most) [best, most] = [sentence.trim(), found];
  }
  // Words stand at even places, the spaces between them at odd ones.
  const pieces = best.split(/(\s+)/).map((piece) => ({
    text: piece,
    isFound: words.some((word) => simple(piece).includes(word)),
  }));
  return shortened(pieces);
}

/** The pieces around the first one that was found, with an ellipsis where others are left out. */
function shortened(pieces: readonly FoundText[]): FoundText[] {
  const lengthFrom = (from: number, to: number) =>
    pieces.slice(from, to).reduce((sum, { text }) => sum + text.length, 0);
  const first = Math.max(
    0,
    pieces.findIndex(({ isFound }) => isFound),
  );
  let from = lengthFrom(0, pieces.length) > LONGEST_SENTENCE ? first : 0;
  while (from > 0 && lengthFrom(from - 2, first) <= SHOWN_BEFORE) from -= 2;
  let to = from + 1;
  while (to < pieces.length && lengthFrom(from, to + 2) <= LONGEST_SENTENCE) to += 2;
  const ellipsis = { text: "…", isFound: false };
  return [
    ...(from > 0 ? [ellipsis] : []),
    ...pieces.slice(from, to),
    ...(to < pieces.length ? [ellipsis] : []),
  ];
}

/** Text in lower case, without accents and with plain apostrophes, for comparison. */
const simple = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("’", "'").toLowerCase();
