import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Macros that read the documentation's files. They run when the program is compiled or loaded. */

/** Every page's Markdown, by language and name such as `fr/widget` or `fr/sources/vlc`. */
export function bundledDocuments(): Record<string, string> {
  return Object.fromEntries(
    filesIn(".md").map((file) => [
      file.replace(/\.md$/, ""),
      readFileSync(join(import.meta.dir, file), "utf8"),
    ]),
  );
}

/** Every picture in base64, by file name. */
export function bundledPictures(): Record<string, string> {
  return Object.fromEntries(
    filesIn(".webp").map((file) => [
      file.replace(/^pictures\//, ""),
      readFileSync(join(import.meta.dir, file)).toString("base64"),
    ]),
  );
}

/** The files below this folder whose name ends so, with slashes on every system. */
function filesIn(ending: string): string[] {
  return readdirSync(import.meta.dir, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(ending))
    .toSorted();
}
