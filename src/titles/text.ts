/** Texts as people see them. Every function here reads a text a fixed number of times. */

/** One way of writing: composed letters, single spaces, no 🅴 at an edge. */
export function normalize(text: string): string {
  const spaced = text.normalize("NFC").replace(/\s+/gu, " ").trim();
  return orElse(spaced.replace(/^🅴 ?/u, "").replace(/ ?🅴$/u, ""), spaced);
}

/** Whether anything can be seen of a text besides signs. */
export const saysSomething = (text: string): boolean => /[\p{L}\p{N}\p{S}]/u.test(text);

/** A changed text, or the text before where nothing would be left. */
export const orElse = (changed: string, before: string): string =>
  saysSomething(changed) ? changed : before;

/** A name to compare: letters and digits only. */
export const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]/gu, "");

/** Takes what joined two parts off the edges of a part. */
export const trimJoints = (text: string): string =>
  text
    .replace(/^[\s\-–—|~:,]+(?=\s)/u, "")
    .replace(/(?<=\s)[\s\-–—|~:,／/]+$/u, "")
    .trim();

const PICTURE =
  /^(?:(?![©®™])\p{Extended_Pictographic}|\p{RI}|[\u{FE0F}\u{200D}\u{1F3FB}-\u{1F3FF}\s])$/u;

/** Takes emoji off both ends, unless nothing else is there. */
export function withoutEmojiAtEdges(text: string): string {
  const points = [...text];
  const first = points.findIndex((point) => !PICTURE.test(point));
  if (first === -1) return text;
  const last = points.findLastIndex((point) => !PICTURE.test(point));
  return orElse(points.slice(first, last + 1).join(""), text);
}

const QUOTES = new Map([
  ['"', '"'],
  ["“", "”"],
  ["„", "“"],
  ["«", "»"],
  ["'", "'"],
  ["‘", "’"],
  ["「", "」"],
  ["『", "』"],
  ["《", "》"],
]);

/** Takes quotation marks off that stand around a whole title. */
export function withoutQuotes(text: string): string {
  const points = [...text];
  const [first = "", last = ""] = [points[0], points.at(-1)];
  const close = QUOTES.get(first);
  if (points.length < 3 || close === undefined || last !== close) return text;
  const inside = points.slice(1, -1);
  const isOnePair = !inside.includes(first) && !inside.includes(close);
  return isOnePair ? orElse(inside.join("").trim(), text) : text;
}
