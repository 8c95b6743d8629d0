import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import packageJson from "../../package.json";
import { commitOf } from "../../packaging/commit.ts";
import { compile, CompileError } from "../../packaging/compile.ts";
import { verifyMacho } from "../../packaging/macho.ts";
import { checksums, compileTwice, prepareTree, ReleaseError } from "../../packaging/release.ts";
import { type Bom, createBom } from "../../packaging/sbom.ts";
import {
  hostTarget,
  isForMac,
  releaseName,
  type Target,
  TARGETS,
} from "../../packaging/targets.ts";
import { readSignature } from "../fixtures/packaging/macho.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";

const root = join(import.meta.dir, "../..");
const { version } = packageJson;

/** How the UUID of every program that Bun makes for macOS begins. */
const UUID_OF_BUN = "4c4c44";

/** Whether Bun has another platform's Bun already; in CI it may fetch it. */
function isFetched({ bun }: Target): boolean {
  const cache =
    process.env["BUN_INSTALL_CACHE_DIR"] ??
    join(process.env["BUN_INSTALL"] ?? join(homedir(), ".bun"), "install", "cache");
  const name = `${bun.replace("arm64", "aarch64")}-v${Bun.version}`;
  return process.env["CI"] === "true" || existsSync(join(cache, name));
}

let folder: ReturnType<typeof createTempFolder>;
let trees: readonly [string, string];
let host: Target;
/** An executable built in the project's own folder, where development tools are installed too. */
const amongTools = () => join(folder.path, "among-tools", "marquee");
const maps = () => join(folder.path, "maps");
const compileAmongTools = () =>
  compile({ root, outfile: amongTools(), commit: "abc1234", maps: maps() });

beforeAll(async () => {
  folder = createTempFolder();
  trees = [join(folder.path, "one"), join(folder.path, "two", "elsewhere")];
  prepareTree(root, trees[0]);
  prepareTree(trees[0], trees[1]);
  const target = await hostTarget();
  if (!target) throw new Error("This platform is none that Marquee is released for.");
  host = target;
}, 60_000);
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
    ]);
  });

  test("are listed as sha256sum reads it, by name", () => {
    const files = ["b", "a"].map((name) => ({ name, bytes: 1, sha256: name.repeat(64) }));
    expect(checksums(files)).toBe(`${"a".repeat(64)}  a\n${"b".repeat(64)}  b\n`);
  });

  test("are the same bytes wherever they are built, and tell what they are", async () => {
    const path = join(folder.path, releaseName(version, host));
    const released = await compileTwice(trees, host, "abc1234", path);
    expect(released.name).toBe(releaseName(version, host));
    const { stdout } = Bun.spawnSync([path, "--version"], { cwd: folder.path });
    expect(stdout.toString()).toBe(`marquee ${version} (abc1234, Bun ${Bun.version})\n`);

    await compileAmongTools();
    const sha256 = new Bun.CryptoHasher("sha256").update(await Bun.file(amongTools()).bytes());
    expect(sha256.digest("hex")).toBe(released.sha256);
  }, 30_000);

  for (const target of TARGETS.filter(({ bun }) => isForMac(bun))) {
    testWith(`Bun for ${target.suffix}`, isFetched(target))(
      `are signed for macOS, and the same bytes: ${target.suffix}`,
      async () => {
        const path = join(folder.path, releaseName(version, target));
        // It fails when two builds differ.
        await compileTwice(trees, target, "abc1234", path);
        const program = await Bun.file(path).bytes();
        expect(() => verifyMacho(program)).not.toThrow();
        const { identifier, uuid, pages, pageHashes } = readSignature(program);
        expect(identifier).toBe("marquee");
        expect(uuid).not.toStartWith(UUID_OF_BUN);
        expect(pages.length).toBeGreaterThan(10_000);
        expect(pages.filter((hash, index) => hash !== pageHashes[index])).toEqual([]);
        program[program.length >> 1] = (program[program.length >> 1] ?? 0) ^ 1;
        expect(() => verifyMacho(program)).toThrow(/the hashes of 1 of/);
      },
      60_000,
    );
  }

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
  }, 30_000);

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
  }, 30_000);

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
    if (!existsSync(maps())) await compileAmongTools();
    // Each part of the executable that is loaded when it is first used has a map of its own.
    const paths = [...new Bun.Glob("*.map").scanSync({ cwd: maps(), absolute: true })];
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
  }, 30_000);

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
