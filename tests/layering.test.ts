import { describe, expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

/**
 * Which part may use which: each only those above it. A file belongs to the first part whose path
 * its own begins with.
 */
const PARTS: readonly (readonly [part: string, ...paths: string[]])[] = [
  [
    "ground",
    "src/clock.ts",
    "src/log.ts",
    "src/version.ts",
    "src/metrics.ts",
    "src/jsx.ts",
    "package.json",
  ],
  ["the playback model", "src/playback/playback.ts", "src/playback/cadence.ts"],
  ["settings", "src/config.ts", "src/accounts/user-name.ts"],
  ["migrations", "drizzle/"],
  ["database", "src/db/"],
  ["accounts", "src/accounts/"],
  ["sources", "src/sources/"],
  ["playback", "src/playback/"],
  ["overlay", "widget/"],
  ["words", "src/i18n/"],
  ["documentation", "src/docs/"],
  ["artwork", "src/artwork/"],
  [
    "HTTP basics",
    "src/http/hosts.ts",
    "src/http/client-address.ts",
    "src/http/plain-text.ts",
    "src/http/health.ts",
    "src/http/metrics-endpoint.ts",
  ],
  ["API", "src/api/"],
  ["pages", "src/pages/"],
  ["app", "src/app.ts"],
  ["server", "src/http/server.ts"],
  ["command line", "src/cli/"],
  ["entry", "src/main.ts"],
];

const root = join(import.meta.dir, "..");

function rankOf(path: string): number {
  const rank = PARTS.findIndex(([, ...paths]) =>
    paths.some((one) => (one.endsWith("/") ? path.startsWith(one) : path === one)),
  );
  if (rank === -1) throw new Error(`${path} belongs to no part: add it to the list in this test`);
  return rank;
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
      const own = rankOf(path);
      const upward = targets.filter((target) => rankOf(target) > own);
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
    expect(imports.get("src/app.ts")).toContain("src/playback/hub.ts");
    expect(files.length).toBeGreaterThan(50);
  });
});
