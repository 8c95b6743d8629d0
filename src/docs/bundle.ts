import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Macros that read the documentation's files. They run when the program is compiled or loaded. */

/** Every page's Markdown, by language and name such as `fr/widget`. */
export function bundledDocuments(): Record<string, string> {
  return Object.fromEntries(
    filesIn("*.md").map((file) => [
      file.replace(/\.md$/, ""),
      readFileSync(join(import.meta.dir, file), "utf8"),
    ]),
  );
}

/** Every picture in base64, by file name. */
export function bundledPictures(): Record<string, string> {
  return Object.fromEntries(
    filesIn("*.webp").map((file) => [
      file.replace(/^pictures\//, ""),
      readFileSync(join(import.meta.dir, file)).toString("base64"),
    ]),
  );
}

function filesIn(ending: string): string[] {
  const folders = readdirSync(import.meta.dir, { withFileTypes: true });
  return folders
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(join(import.meta.dir, name)).map((file) => `${name}/${file}`),
    )
    .filter((file) => file.endsWith(ending.slice(1)))
    .toSorted();
}
