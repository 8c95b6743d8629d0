/** A name for comparisons: without case and accents. Upper case first turns ß into SS; ς becomes σ. */
export function toComparable(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .trim();
}
