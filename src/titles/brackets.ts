import { orElse } from "./text.ts";

/** A bracket in a text, in UTF-16 units: `end` is behind the closing sign. */
export interface Bracket {
  readonly start: number;
  readonly end: number;
  readonly inside: string;
}

const PAIRS = new Map([
  ["(", ")"],
  ["[", "]"],
  ["【", "】"],
  ["（", "）"],
]);
const CLOSING = new Set(PAIRS.values());

/** A text with more is no title, and is left alone. */
const MOST_BRACKETS = 16;

/** The outermost brackets of a text, in their order. A sign without its partner is none. */
export function bracketsIn(text: string): Bracket[] {
  const open: { readonly at: number; readonly close: string }[] = [];
  const found: Bracket[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    const close = PAIRS.get(sign);
    if (close !== undefined) open.push({ at, close });
    else if (CLOSING.has(sign) && open.at(-1)?.close === sign) {
      const start = open.pop()?.at ?? 0;
      while ((found.at(-1)?.start ?? -1) > start) found.pop();
      found.push({ start, end: at + 1, inside: text.slice(start + 1, at) });
    }
  }
  return found.length > MOST_BRACKETS ? [] : found;
}

/**
 * The text with each outermost bracket's content replaced; `null` removes a bracket. A removal that
 * would leave nothing is not done.
 */
export function replaceBrackets(
  text: string,
  replace: (inside: string, bracket: Bracket) => string | null,
): string {
  let changed = text;
  // From the end, so that the places before stay right.
  for (const bracket of bracketsIn(text).toReversed()) {
    const { start, end, inside } = bracket;
    const content = replace(inside, bracket);
    if (content === inside) continue;
    const [before, after] = [changed.slice(0, start), changed.slice(end)];
    const middle = content === null ? " " : text[start] + content + text[end - 1];
    changed = orElse(normalizeSpaces(before + middle + after), changed);
  }
  return changed;
}

const normalizeSpaces = (text: string): string => text.replace(/\s+/gu, " ").trim();

/** Where a text stands outside of all brackets for the first time; -1 for nowhere. */
export function indexOutside(text: string, wanted: string): number {
  let at = text.indexOf(wanted);
  for (const { start, end } of at === -1 ? [] : bracketsIn(text)) {
    if (at <= start) break;
    if (at < end) at = text.indexOf(wanted, end - 1);
    if (at === -1) break;
  }
  return at;
}
