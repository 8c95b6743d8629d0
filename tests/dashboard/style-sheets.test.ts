import { expect, test } from "bun:test";
import { dirname, join } from "node:path";

const dashboard = join(import.meta.dir, "../../src/dashboard");

/** The classes that a style sheet names, and those that a rule outside of any other begins with. */
interface Sheet {
  readonly folder: string;
  readonly named: ReadonlySet<string>;
  readonly everywhere: ReadonlySet<string>;
}

const classesIn = (text: string, pattern: RegExp): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(pattern), ([, name = ""]) => name));

async function readSheet(path: string): Promise<Sheet> {
  const text = (await Bun.file(join(dashboard, path)).text()).replace(/\/\*[^]*?\*\//g, "");
  const selectors = Array.from(text.matchAll(/([^{};]*)\{/g), ([, selector]) => selector).join();
  return {
    folder: dirname(path),
    named: classesIn(selectors, /\.([a-z][\w-]*)/g),
    everywhere: classesIn(text, /^\.([a-z][\w-]*)/gm),
  };
}

const sheets = await Promise.all([...new Bun.Glob("**/*.css").scanSync(dashboard)].map(readSheet));
/** The sheets beside the folders are for all of them. */
const shared = new Set(
  sheets.flatMap(({ folder, everywhere }) => (folder === "." ? [...everywhere] : [])),
);

test("no folder's style sheet styles the elements of another, whose class has the same name", () => {
  const leaks = sheets.flatMap(({ folder, everywhere }) =>
    sheets
      .filter((other) => folder !== "." && other.folder !== folder)
      .flatMap(({ named, folder: to }) =>
        [...everywhere]
          .filter((name) => named.has(name) && !shared.has(name))
          .map((name) => `.${name} of ${folder} in ${to}`),
      ),
  );
  expect(leaks).toEqual([]);
  expect(sheets.length).toBeGreaterThan(5);
});
