import { readKeyName } from "../accounts/key-name.ts";

/** The name, or the next one like it that is free: `Main 2` for a second `Main`. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const [, stem = name] = /^(.+) \d{1,4}$/u.exec(name) ?? [];
  const numbers = Array.from({ length: taken.length + 1 }, (_, index) => ` ${index + 2}`);
  const names = numbers.map((number) => shortened(stem, number) + number);
  return names.find((one) => !taken.includes(one)) ?? name;
}

/** As much of a name as there is room for beside its number. */
function shortened(stem: string, number: string): string {
  const graphemes = [...new Intl.Segmenter().segment(stem)].map(({ segment }) => segment);
  const fits = (length: number) =>
    readKeyName(graphemes.slice(0, length).join("") + number) !== undefined;
  let length = graphemes.length;
  while (length > 1 && !fits(length)) length -= 1;
  return graphemes.slice(0, length).join("").trimEnd();
}
