import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../package.json";
import { SYSTEM_PAGES } from "../src/docs/documents.ts";
import { LANGUAGES } from "../src/languages.ts";

const root = join(import.meta.dir, "..");
const read = (path: string) => Bun.file(join(root, path)).text();
const version = packageJson.packageManager.replace("bun@", "");

describe("the version of Bun", () => {
  /** Pages whose commands are pasted as they stand. Whatever else needs it reads package.json. */
  const PAGES = [
    "CONTRIBUTING.md",
    "README.md",
    ...LANGUAGES.flatMap((language) => [
      ...["quick-start", ...SYSTEM_PAGES].map((name) => `src/docs/${language}/${name}.md`),
      `src/docs/${language}/install.md`,
      `src/docs/${language}/capacity.md`,
    ]),
  ];
  const files = [...new Bun.Glob("**/*").scanSync({ cwd: root, dot: true })].filter(
    (path) => !/^(\.git|node_modules|dist|marquee-data|bun\.lock)(\/|$)|\.(webp|log)$/.test(path),
  );

  test("is the one that runs this", () => {
    expect(Bun.version).toBe(version);
  });

  test.each(PAGES)("is the same in the commands of %s", async (page) => {
    const named = (await read(page)).match(/bun@[\w.]+/g) ?? [];
    expect([...new Set(named)]).toEqual([packageJson.packageManager]);
  });

  test("is written nowhere else", async () => {
    const others = files.filter((path) => !["package.json", ...PAGES].includes(path));
    // Not as numbers that come by chance, such as `1.4.5h` in the path of a drawing.
    const writesIt = new RegExp(`(?<![\\d.])${RegExp.escape(version)}(?!\\w|\\.\\d)`);
    const strays: string[] = [];
    for (const path of others) {
      const text = await read(path);
      if (writesIt.test(text) || /\bbun@\d/.test(text)) strays.push(path);
    }
    expect(others.length).toBeGreaterThan(300);
    expect(strays).toEqual([]);
  });
});

describe("README.md", () => {
  test("has the commands that start, build and test everything, as they are pasted", async () => {
    const commands = [...(await read("README.md")).matchAll(/^npx -y bun@[\d.]+ (.+)$/gm)];
    expect(commands.map(([, command]) => command)).toEqual(["start", "run build", "run test"]);
    expect(packageJson.scripts).toContainKeys(["start", "build", "test"]);
  });
});

describe("CONTRIBUTING.md", () => {
  test("names only scripts, files and folders that there are", async () => {
    const text = await read("CONTRIBUTING.md");
    const scripts = [...text.matchAll(/\bbun run ([\w:]+)/g)].map(([, name]) => name ?? "");
    expect(scripts.length).toBeGreaterThan(5);
    expect(scripts.filter((name) => !Object.hasOwn(packageJson.scripts, name))).toEqual([]);

    const paths = [...text.matchAll(/(?:src|tests|\.ci)\/[\w./-]*\w|\w+\.(?:md|json)\b/g)].map(
      ([path]) => path,
    );
    expect(paths.length).toBeGreaterThan(15);
    expect(paths.filter((path) => !path.includes("NAME") && !existsSync(join(root, path)))).toEqual(
      [],
    );
  });
});

describe("the limit of a test", () => {
  /** A test that is right is far from it on a slow machine: only what hangs reaches it. */
  const LIMIT = "--timeout 120000";

  test("is the same in every command that runs tests", async () => {
    for (const path of ["package.json", ".ci/nightly"]) {
      const limits = (await read(path)).match(/--timeout \d+/g) ?? [];
      expect([path, ...new Set(limits)]).toEqual([path, LIMIT]);
    }
  });
});
