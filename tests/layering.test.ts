import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

/** The rooms from the ground up: each uses only those before its own line, and itself. */
const LAYERS: readonly (readonly string[])[] = [
  ["src"],
  ["widget"],
  ["src/i18n"],
  ["src/titles"],
  ["drizzle"],
  ["src/db"],
  ["src/vault"],
  ["src/accounts"],
  ["src/music", "src/looks", "the stores"],
  ["the accounts"],
  ["src/upstream"],
  ["src/sources"],
  ["src/channels"],
  ["src/artwork"],
  ["src/http"],
  ["src/covers"],
  ["src/html"],
  ["src/api"],
  ["src/ingest"],
  ["src/outputs", "src/overlay", "src/hooks"],
  ["src/chat"],
  ["src/home", "src/linking"],
  ["src/sign-in"],
  ["src/docs"],
  ["src/actions"],
  ["the actions"],
  ["the list of actions"],
  ["src/dashboard"],
  ["the pages"],
  ["the list of pages"],
  ["the server"],
  ["src/control"],
  ["src/cli"],
  ["the entry"],
];

/** Files that stand on what is above their folder. */
const ABOVE: Readonly<Record<string, string>> = {
  "src/accounts/accounts.ts": "the accounts",
  "src/actions/index.ts": "the list of actions",
  "src/app.ts": "the server",
  "src/create-server.ts": "the server",
  "src/dashboard/pages.ts": "the list of pages",
  "src/server.ts": "the server",
  "src/features.ts": "the server",
  "src/failures.ts": "the server",
  "src/chat/store.ts": "the stores",
  "src/hooks/store.ts": "the stores",
  "src/lifecycle.ts": "the server",
  "src/upkeep.ts": "the server",
  "src/main.ts": "the entry",
};

const root = join(import.meta.dir, "..");

/** The folder of `src`, or the one at the top, that a file belongs to. */
function roomOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  // The version is read from package.json.
  if (folders.length === 0) return "src";
  if (ABOVE[path] !== undefined) return ABOVE[path];
  const [top, room = "", inRoom = ""] = path.split("/");
  if (top !== "src") return top ?? "";
  // A room's actions stand above all rooms, and its pages above the dashboard that they are part of.
  if (/^(?:.+-)?actions\.ts$/.test(inRoom)) return "the actions";
  if (/^page(?:\.tsx)?$/.test(inRoom)) return "the pages";
  return folders.length === 1 ? "src" : `src/${room}`;
}

function layerOf(room: string): number {
  const layer = LAYERS.findIndex((rooms) => rooms.includes(room));
  if (layer === -1) throw new Error(`${room} belongs to no layer: add it to the list in this test`);
  return layer;
}

const IMPORTS =
  /^(?:import|export)\b[^"';]*\bfrom\s+["'](\.[^"']+)["']|\bimport\(\s*["'](\.[^"']+)["']\s*\)/gm;

/** The files of ours that a file imports at any time, types included. */
async function importsOf(path: string): Promise<string[]> {
  const text = await Bun.file(join(root, path)).text();
  return [...text.matchAll(IMPORTS)].map(([, at, later]) =>
    normalize(join(dirname(path), at ?? later ?? "")),
  );
}

const files = [...new Bun.Glob("{src,widget}/**/*.{ts,tsx}").scanSync(root)]
  .filter((path) => !path.endsWith(".d.ts"))
  .sort();
const imports = new Map(
  await Promise.all(files.map(async (path) => [path, await importsOf(path)] as const)),
);

test("imports run in one direction, those at a later time too", () => {
  const upward: string[] = [];
  for (const [path, targets] of imports) {
    const own = roomOf(path);
    for (const target of targets) {
      const room = roomOf(target);
      if (room !== own && layerOf(room) >= layerOf(own)) upward.push(`${path} → ${target}`);
    }
  }
  expect(upward).toEqual([]);
});

test("no files use each other in a circle", () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    if (done.has(path) || trail.includes(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of files) visit(path, []);
  expect(circles).toEqual([]);
});

test("no folder has a file of the same name beside it", () => {
  const folders = new Set(files.map((path) => dirname(path)));
  expect(files.filter((path) => folders.has(path.replace(/\.tsx?$/, "")))).toEqual([]);
});

test("no folder holds more than forty files", () => {
  const counts = new Map<string, number>();
  for (const path of new Bun.Glob("{src,widget,tests}/**/*").scanSync({ cwd: root, dot: true })) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  expect(counts.get("src")).toBeGreaterThan(10);
  expect([...counts].filter(([, count]) => count > 40)).toEqual([]);
});

test("the importing statements are found at all", () => {
  expect(imports.get("src/http/parts.ts")).toContain("src/channels/hub.ts");
  expect(imports.get("src/cli/run.ts")).toContain("src/cli/program.ts");
  expect(files.length).toBeGreaterThan(50);
});
