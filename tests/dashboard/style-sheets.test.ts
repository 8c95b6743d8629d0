import { expect, test } from "bun:test";
import { dirname, join } from "node:path";

const root = join(import.meta.dir, "../../src");

/** The classes that a style sheet names, and those that a rule outside of any other begins with. */
interface Sheet {
  readonly folder: string;
  readonly named: ReadonlySet<string>;
  readonly everywhere: ReadonlySet<string>;
}

const classesIn = (text: string, pattern: RegExp): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(pattern), ([, name = ""]) => name));

async function readSheet(path: string): Promise<Sheet> {
  const text = (await Bun.file(join(root, path)).text()).replace(/\/\*[^]*?\*\//g, "");
  const selectors = Array.from(text.matchAll(/([^{};]*)\{/g), ([, selector]) => selector).join();
  return {
    folder: dirname(path).replace(/\/page\b.*/, ""),
    named: classesIn(selectors, /\.([a-z][\w-]*)/g),
    everywhere: classesIn(text, /^\.([a-z][\w-]*)/gm),
  };
}

const paths = [...new Bun.Glob("**/*.css").scanSync(root)].filter((path) =>
  /^dashboard\/|\/page\//.test(path),
);
const sheets = await Promise.all(paths.map(readSheet));
/** The dashboard's own sheets are for all pages. */
const shared = new Set(
  sheets.flatMap(({ folder, everywhere }) => (folder === "dashboard" ? [...everywhere] : [])),
);

test("no folder's style sheet styles the elements of another, whose class has the same name", () => {
  const leaks = sheets.flatMap(({ folder, everywhere }) =>
    sheets
      .filter((other) => folder !== "dashboard" && other.folder !== folder)
      .flatMap(({ named, folder: to }) =>
        [...everywhere]
          .filter((name) => named.has(name) && !shared.has(name))
          .map((name) => `.${name} of ${folder} in ${to}`),
      ),
  );
  expect(leaks).toEqual([]);
  expect(sheets.length).toBeGreaterThan(5);
});
