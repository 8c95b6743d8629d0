import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { commitOf } from "../../packaging/commit.ts";
import { compile, CompileError } from "../../packaging/compile.ts";
import { compileTwice, prepareTree } from "../../packaging/executables.ts";
import { checksums, ReleaseError } from "../../packaging/released.ts";
import { type Bom, createBom } from "../../packaging/sbom.ts";
import { hostTarget, releaseName, type Target, TARGETS } from "../../packaging/targets.ts";
import {
  buildExecutable,
  BUILD_WITHIN_MS,
  COMMIT_IN_TESTS,
  type Executable,
} from "../fixtures/servers/executable.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";

const root = join(import.meta.dir, "../..");
const { version } = packageJson;

let folder: ReturnType<typeof createTempFolder>;
let trees: readonly [string, string];
let host: Target;
/** The one built in the project's own folder, where development tools are installed too. */
let amongTools: Executable;

beforeAll(async () => {
  folder = createTempFolder();
  trees = [join(folder.path, "one"), join(folder.path, "two", "elsewhere")];
  prepareTree(root, trees[0]);
  prepareTree(trees[0], trees[1]);
  const target = await hostTarget();
  if (!target) throw new Error("This platform is none that Marquee is released for.");
  host = target;
  amongTools = await buildExecutable();
}, BUILD_WITHIN_MS);
afterAll(() => folder.remove());

describe("the released files", () => {
  test("are named by version, system and processor", () => {
    expect(TARGETS.map((target) => releaseName("1.2.3", target))).toEqual([
      "marquee-1.2.3-linux-x64",
      "marquee-1.2.3-linux-arm64",
      "marquee-1.2.3-linux-x64-musl",
      "marquee-1.2.3-linux-arm64-musl",
      "marquee-1.2.3-macos-x64",
      "marquee-1.2.3-macos-arm64",
      "marquee-1.2.3-windows-x64.exe",
      "marquee-1.2.3-windows-arm64.exe",
    ]);
  });

  test("are listed as sha256sum reads it, by name", () => {
    const files = ["b", "a"].map((name) => ({ name, bytes: 1, sha256: name.repeat(64) }));
    expect(checksums(files)).toBe(`${"a".repeat(64)}  a\n${"b".repeat(64)}  b\n`);
  });

  test("are the same bytes wherever they are built, and tell what they are", async () => {
    const path = join(folder.path, releaseName(version, host));
    const released = await compileTwice(trees, host, COMMIT_IN_TESTS, path);
    expect(released.name).toBe(releaseName(version, host));
    const { stdout } = Bun.spawnSync([path, "--version"], { cwd: folder.path });
    expect(stdout.toString()).toBe(`marquee ${version} (${COMMIT_IN_TESTS}, Bun ${Bun.version})\n`);

    const sha256 = new Bun.CryptoHasher("sha256").update(await Bun.file(amongTools.path).bytes());
    expect(sha256.digest("hex")).toBe(released.sha256);
  });

  test("are refused when two builds differ", async () => {
    const differing = ["1", "2"].map((text) => join(folder.path, "differing", text));
    for (const tree of differing) {
      await Bun.write(join(tree, "src/main.ts"), `console.log(${JSON.stringify(tree)});`);
    }
    const [one = "", other = ""] = differing;
    const path = join(folder.path, "marquee-differing");
    const attempt = compileTwice([one, other], host, undefined, path);
    await expect(attempt).rejects.toThrow(ReleaseError);
    await expect(attempt).rejects.toThrow(/^marquee-differing differs between two builds/);
    expect(existsSync(path)).toBe(false);
  });

  test("lie alone in their folder, however often they are built", async () => {
    const tree = join(folder.path, "changing");
    for (const text of ["once", "twice"]) {
      await Bun.write(join(tree, "src/part.ts"), `console.log(${JSON.stringify(text)});`);
      await Bun.write(join(tree, "src/main.ts"), 'await import("./part.ts");');
      await compile({ root: tree, outfile: join("dist", "marquee"), commit: undefined });
      expect(readdirSync(join(tree, "dist"))).toEqual(["marquee"]);
    }
    const { stdout } = Bun.spawnSync([join(tree, "dist", "marquee")]);
    expect(stdout.toString()).toBe("twice\n");
  });

  test("are not made by a compiler that fails", async () => {
    const outfile = join(folder.path, "nothing", "marquee");
    const attempt = compile({ root, outfile, commit: undefined, target: "bun-plan9-x64" });
    await expect(attempt).rejects.toThrow(CompileError);
    expect(readdirSync(join(folder.path, "nothing"))).toEqual([]);
  });
});

describe("the SBOM", () => {
  const madeAt = "2026-01-02T03:04:05.000Z";
  let bom: Bom;
  beforeAll(async () => {
    bom = await createBom(trees[0], { name: "abc1234", madeAt }, Bun.version);
  });
  const libraries = () => bom.components.filter(({ type }) => type === "library");

  test("lists exactly what a production install installs", async () => {
    const installed = await Promise.all(
      [...new Bun.Glob("node_modules/**/package.json").scanSync(trees[0])]
        .filter((path) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path))
        .map(async (path) => {
          const manifest = await Bun.file(join(trees[0], path)).json();
          return `${manifest.name}@${manifest.version}`;
        }),
    );
    const listed = libraries().map(({ group, name, version }) =>
      group ? `${group}/${name}@${version}` : `${name}@${version}`,
    );
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.sort()).toEqual([...new Set(installed)].sort());
  });

  test("lists every package that the executable contains", async () => {
    // Each part of the executable that is loaded when it is first used has a map of its own.
    const paths = [...new Bun.Glob("*.map").scanSync({ cwd: amongTools.maps, absolute: true })];
    const sources = await Promise.all(
      paths.map(async (map) => (await Bun.file(map).json()).sources),
    );
    const packages = (sources.flat() as string[]).flatMap(
      (source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [],
    );
    expect(packages).toContain("elysia");
    const listed = new Set(
      libraries().map(({ group, name }) => (group ? `${group}/${name}` : name)),
    );
    expect([...new Set(packages)].filter((name) => !listed.has(name))).toEqual([]);
  });

  test("tells of each its address, licence and hash", () => {
    expect(libraries().find(({ name }) => name === "elysia")).toMatchObject({
      version: packageJson.dependencies.elysia,
      purl: `pkg:npm/elysia@${packageJson.dependencies.elysia}`,
      licenses: [{ license: { id: "MIT" } }],
    });
    expect(libraries().find(({ group }) => group === "@kitajs")?.purl).toStartWith(
      "pkg:npm/%40kitajs/",
    );
    for (const { hashes, licenses } of libraries()) {
      expect(licenses).toHaveLength(1);
      expect(hashes?.[0]).toMatchObject({ alg: "SHA-512" });
      expect(hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/);
    }
  });

  test("tells of the runtime inside the executable", () => {
    expect(bom.components[0]).toMatchObject({
      type: "platform",
      purl: `pkg:npm/bun@${Bun.version}`,
    });
  });

  test("says what needs what, down from Marquee itself", () => {
    const needs = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const reached = new Set<string>();
    const visit = (ref: string) => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const next of needs.get(ref) ?? []) visit(next);
    };
    visit(bom.metadata.component["bom-ref"]);
    const all = [bom.metadata.component, ...bom.components].map((one) => one["bom-ref"]);
    expect([...reached].sort()).toEqual(all.sort());
  });

  test("is the same for the same sources, and dated by their commit", async () => {
    expect(await createBom(trees[1], { name: "abc1234", madeAt }, Bun.version)).toEqual(bom);
    expect(bom.metadata.timestamp).toBe(madeAt);
  });
});

describe("the commit", () => {
  const git = (path: string, ...words: string[]) => {
    const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    const { success, stdout } = Bun.spawnSync(["git", "-C", path, ...who, ...words]);
    expect(success).toBe(true);
    return stdout.toString().trim();
  };

  test("is unknown in a folder without history, also below one that has some", () => {
    const outer = join(folder.path, "outer");
    mkdirSync(join(outer, "inner"), { recursive: true });
    git(outer, "init", "-q");
    git(outer, "commit", "-q", "--allow-empty", "-m", "first");
    expect(commitOf(join(outer, "inner"))).toBeUndefined();
  });

  test("is seven digits, and says when files differ from it", async () => {
    const path = join(folder.path, "repository");
    mkdirSync(path);
    git(path, "init", "-q");
    git(path, "commit", "-q", "--allow-empty", "-m", "first");
    const name = git(path, "rev-parse", "HEAD").slice(0, 7);
    expect(commitOf(path)?.name).toBe(name);
    expect(commitOf(path)?.madeAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    await Bun.write(join(path, "file"), "changed");
    expect(commitOf(path)?.name).toBe(`${name}-dirty`);
  });
});
