/** A part of a page, as an entry of the search index. */
export interface SearchEntry {
  readonly page: string;
  readonly heading: string;
  readonly address: string;
  readonly text: string;
  /** Other words for the same, which the page does not show. */
  readonly keywords: string;
}

const MOST_RESULTS = 12;
const HEADING_POINTS = 10;

/** The entries that have all these words, those that have them in heading or keywords first. */
export function search(entries: readonly SearchEntry[], text: string): SearchEntry[] {
  const words = simple(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, points: score(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, MOST_RESULTS)
    .map(({ entry }) => entry);
}

function score({ heading, text, keywords }: SearchEntry, words: readonly string[]): number {
  const title = simple(`${heading} ${keywords}`);
  const body = simple(text);
  if (!words.every((word) => title.includes(word) || body.includes(word))) return 0;
  return 1 + words.filter((word) => title.includes(word)).length * HEADING_POINTS;
}

/** Text in lower case, without accents and with plain apostrophes, for comparison. */
const simple = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("’", "'").toLowerCase();
