import { decodedAs } from "../decode-text.ts";
import { fileBeginning } from "../file-beginning.ts";
import { Refused } from "../i18n/refused.ts";

/**
 * The text of `@FILE`, as a browser would send it.
 * @param longest in bytes
 * @throws {Refused} when it names no such file
 */
export function textOfFile(given: string, field: string, longest: number): string {
  const bytes = given.startsWith("@") ? fileBeginning(given.slice(1), longest + 1) : undefined;
  const text = bytes && bytes.length <= longest ? decodedAs("utf-8", bytes) : undefined;
  if (text !== undefined) return text.replaceAll("\r\n", "\n");
  throw new Refused("entered.textFile", { most: String(longest) }, { field, isMisuse: true });
}
