import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dir, "../..");

/** The files of ours that a file is loaded with: not types, and not what it imports later. */
async function loadedWith(path: string): Promise<string[]> {
  const transpiler = new Bun.Transpiler({ loader: path.endsWith("x") ? "tsx" : "ts" });
  const found = transpiler.scanImports(await Bun.file(join(root, path)).text());
  return found
    .filter((one) => one.kind === "import-statement" && /^\..*\.tsx?$/.test(one.path))
    .map((one) => normalize(join(dirname(path), one.path)));
}

/** The files of ours that a start loads. */
async function loadedAtStart(): Promise<ReadonlySet<string>> {
  const loaded = new Set(["src/cli/run.ts"]);
  for (const path of loaded) for (const next of await loadedWith(path)) loaded.add(next);
  return loaded;
}

test("a start draws no pages, so it does not load what draws them", async () => {
  const loaded = await loadedAtStart();
  expect(loaded).toContain("src/dashboard/feature.ts");
  expect([...loaded].filter((path) => /\.tsx$|^src\/html\/assets\.ts$/.test(path))).toEqual([]);
});

test("a start carries no action out, so it does not load the list of them", async () => {
  const loaded = await loadedAtStart();
  expect(loaded).toContain("src/cli/explain.ts");
  expect(loaded).not.toContain("src/actions/index.ts");
});

test("a start has no broadcasts to take, so it does not load what reads them", async () => {
  const loaded = await loadedAtStart();
  expect(loaded).toContain("src/ingest/ingest.ts");
  const broadcasts = /^src\/(?:ingest\/broadcast|sources\/streams)\//;
  expect([...loaded].filter((path) => broadcasts.test(path))).toEqual([]);
});
