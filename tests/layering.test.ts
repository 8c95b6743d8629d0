import { describe, expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

/** The layers from the ground up: each folder uses only those before its own layer, and itself. */
const LAYERS: readonly (readonly string[])[] = [
  ["src"],
  ["drizzle"],
  ["src/db"],
  ["src/accounts"],
  ["src/sources"],
  ["src/channels"],
  ["widget"],
  ["src/i18n"],
  ["src/docs", "src/artwork"],
  ["src/http"],
  ["src/api"],
  ["src/ingest"],
  ["src/cluster"],
  ["src/outputs"],
  ["src/pages"],
  ["the server"],
  ["src/cli"],
  ["the entry"],
];

/** Files that lie beside the ground, but stand on what is above it. */
const ABOVE_THE_GROUND: Readonly<Record<string, string>> = {
  "src/app.ts": "the server",
  "src/create-server.ts": "the server",
  "src/server.ts": "the server",
  "src/main.ts": "the entry",
};

const root = join(import.meta.dir, "..");

/** The folder of `src`, or the one at the top, that a file belongs to. */
function folderOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  // The version is read from package.json.
  if (folders.length === 0) return "src";
  return ABOVE_THE_GROUND[path] ?? folders.slice(0, folders[0] === "src" ? 2 : 1).join("/");
}

function layerOf(folder: string): number {
  const layer = LAYERS.findIndex((folders) => folders.includes(folder));
  if (layer === -1)
    throw new Error(`${folder} belongs to no layer: add it to the list in this test`);
  return layer;
}

/** The files of ours that a file imports, types included. */
async function importsOf(path: string): Promise<string[]> {
  const text = await Bun.file(join(root, path)).text();
  return [...text.matchAll(/^(?:import|export)\b[^"';]*\bfrom\s+["'](\.[^"']+)["']/gm)].map(
    (match) => normalize(join(dirname(path), match[1] ?? "")),
  );
}

const files = [...new Bun.Glob("{src,widget}/**/*.{ts,tsx}").scanSync(root)]
  .filter((path) => !path.endsWith(".d.ts"))
  .sort();
const imports = new Map(
  await Promise.all(files.map(async (path) => [path, await importsOf(path)] as const)),
);

describe("imports run in one direction", () => {
  for (const [path, targets] of imports) {
    test(`${path} uses only what lies below it`, () => {
      const own = folderOf(path);
      const upward = targets.filter((target) => {
        const folder = folderOf(target);
        return folder !== own && layerOf(folder) >= layerOf(own);
      });
      expect(upward).toEqual([]);
    });
  }

  test("no files use each other in a circle", () => {
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]) => {
      if (trail.includes(path))
        circles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
      if (done.has(path) || trail.includes(path)) return;
      for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
      done.add(path);
    };
    for (const path of files) visit(path, []);
    expect(circles).toEqual([]);
  });

  test("and the importing statements are found at all", () => {
    expect(imports.get("src/app.ts")).toContain("src/channels/hub.ts");
    expect(files.length).toBeGreaterThan(50);
  });
});
