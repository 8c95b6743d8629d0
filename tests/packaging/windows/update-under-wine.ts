import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "bun:test";
import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../../package.json";
import { compile, INPUTS } from "../../../packaging/compile.ts";
import { windowsSetup } from "../../../packaging/windows/setup.ts";
import { sign } from "../../../packaging/minisign.ts";
import { createMinisignKeys } from "../../fixtures/packaging/minisign-keys.ts";
import { makePackage, MADE_AT } from "../../fixtures/packaging/packages.ts";
import { startWine, WINDOWS, type Wine } from "../../fixtures/packaging/wine.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { BUILD_WITHIN_MS, COMMIT_IN_TESTS } from "../../fixtures/servers/executable.ts";

/**
 * `marquee update` by the real executable under Wine, with a release that a key of these tests has
 * signed. It takes long: `.ci/nightly`.
 */

const root = join(import.meta.dir, "../../..");
const OLD = "1.2.3";
const NEW = "1.2.4";
const NAME = `marquee-${NEW}-windows-x64.exe`;
const UNINSTALL = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Marquee`;

let wine: Wine | undefined;
let lack = "makensis";
if (Bun.which("makensis")) {
  const found = await startWine();
  if ("wine" in found) ({ wine } = found);
  else lack = found.lacks;
}

/** Compiles a version whose releases are signed with a key, and returns its path. */
async function compileVersion(version: string, publicKey: string, into: string): Promise<string> {
  const tree = join(into, `tree-${version}`);
  mkdirSync(tree);
  for (const input of INPUTS) cpSync(join(root, input), join(tree, input), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  const releases = { from: "https://example.org", keys: [publicKey] };
  await Bun.write(join(tree, "src/cli/update/releases.json"), JSON.stringify(releases));
  await Bun.write(join(tree, "package.json"), JSON.stringify({ ...packageJson, version }));
  const outfile = join("dist", "marquee.exe");
  await compile({ root: tree, outfile, commit: COMMIT_IN_TESTS, target: WINDOWS.bun });
  return join(tree, outfile);
}

describe("an update under Wine", () => {
  let web: ReturnType<typeof Bun.serve>;
  let oldProgram: string;
  let setup: string;
  let program: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    if (!wine) return;
    const { folder } = wine;
    const { publicKey, secretKey } = await createMinisignKeys();
    oldProgram = await compileVersion(OLD, publicKey, folder);
    const newProgram = Bun.file(await compileVersion(NEW, publicKey, folder));
    setup = await makePackage(
      windowsSetup("x64", "zlib"),
      { version: OLD, madeAt: MADE_AT, program: oldProgram },
      folder,
    );
    const sha256 = new Bun.CryptoHasher("sha256").update(await newProgram.bytes()).digest("hex");
    const list = `${sha256}  ${NAME}\n`;
    const files: Record<string, string | Bun.BunFile> = {
      "/SHA256SUMS": list,
      "/SHA256SUMS.minisig": await sign(Buffer.from(list), secretKey, `marquee ${NEW}`),
      [`/${NAME}`]: newProgram,
    };
    web = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => new Response(files[new URL(url).pathname] ?? null),
    });
    environment = { MARQUEE_UPDATE_FROM: `http://127.0.0.1:${web.port}` };
  }, 2 * BUILD_WITHIN_MS);
  beforeEach(async () => {
    if (!wine) return;
    expect((await wine.run([setup, "/S"])).code).toBe(0);
    program = join(wine.inProfile("Local/Programs/Marquee"), "marquee.exe");
  }, BUILD_WITHIN_MS);
  afterEach(async () => void (await wine?.run([program, "stop"])), BUILD_WITHIN_MS);
  afterAll(async () => {
    await web?.stop(true);
    wine?.end();
  });

  const run = (...command: string[]) => {
    if (!wine) throw new Error(lack);
    return wine.run(command, environment);
  };
  /** What a command that succeeds prints. */
  const marquee = async (...words: string[]) => {
    const { code, out, errors } = await run(program, ...words);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    return out;
  };
  /** The server that runs; it is started if there is none. */
  const server = async () => {
    const [, version = "", url = ""] =
      /^Marquee (\S+) already runs at (http:\S+) /.exec(await marquee("--port", "0")) ?? [];
    return { version, isAlive: async () => (await fetch(`${url}/livez`)).ok };
  };
  const listedVersion = async () =>
    /DisplayVersion +REG_SZ +(\S+)/.exec((await run("reg.exe", "query", UNINSTALL)).out)?.[1];

  testWith(lack, wine !== undefined)(
    "replaces the program while it runs, and so does the way back",
    async () => {
      const first = await server();
      expect(first.version).toBe(OLD);
      expect(await listedVersion()).toBe(OLD);

      expect(JSON.parse(await marquee("update", "--check", "--json"))).toEqual({
        current: OLD,
        latest: NEW,
      });
      expect(await marquee("update")).toContain(`Marquee ${NEW} is installed. Restart it`);
      expect(await marquee("--version")).toStartWith(`marquee ${NEW} `);
      expect(await listedVersion()).toBe(NEW);
      // The server runs on from the renamed program.
      expect(await first.isAlive()).toBe(true);
      await marquee("stop");
      const second = await server();
      expect(second.version).toBe(NEW);

      expect(await marquee("update")).toContain(`Marquee ${NEW} is the newest release.`);
      expect(await marquee("update", "--back")).toContain("The earlier program is back.");
      expect(await marquee("--version")).toStartWith(`marquee ${OLD} `);
      expect(await listedVersion()).toBe(OLD);
      expect(await second.isAlive()).toBe(true);
      expect(existsSync(`${program}.new`)).toBe(false);
      await marquee("stop");
      expect((await server()).version).toBe(OLD);
    },
    BUILD_WITHIN_MS,
  );

  testWith(lack, wine !== undefined)(
    "is refused while a server runs from before the last one",
    async () => {
      const { isAlive } = await server();
      renameSync(program, `${program}.old`);
      copyFileSync(oldProgram, program);
      const { code, errors } = await run(program, "update");
      expect(code).toBe(1);
      expect(errors).toContain("stop it first: marquee stop");
      expect(await marquee("--version")).toStartWith(`marquee ${OLD} `);
      expect(await listedVersion()).toBe(OLD);
      expect(existsSync(`${program}.new`)).toBe(false);
      expect(await isAlive()).toBe(true);
      await marquee("stop");
      expect(await marquee("update")).toContain(`Marquee ${NEW} is installed.`);
    },
    BUILD_WITHIN_MS,
  );

  testWith(lack, wine !== undefined)(
    "of a copy elsewhere leaves the list of installed apps alone",
    async () => {
      const copy = join(wine?.folder ?? "", "a copy.exe");
      copyFileSync(oldProgram, copy);
      expect((await run(copy, "update")).code).toBe(0);
      expect((await run(copy, "--version")).out).toStartWith(`marquee ${NEW} `);
      expect(await listedVersion()).toBe(OLD);
    },
    BUILD_WITHIN_MS,
  );
});
