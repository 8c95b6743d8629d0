/** A name for comparisons: without case, accents and what is not seen. Upper case first turns ß into SS; ς becomes σ. */
export function toComparable(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .trim();
}
