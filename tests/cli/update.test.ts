import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sign } from "../../packaging/minisign.ts";
import { ReleaseError } from "../../packaging/released.ts";
import { verifySignature } from "../../src/cli/update/minisign.ts";
import { showVersion } from "../../src/cli/update/installed-apps.ts";
import { findRelease, goBack, install, type UpdateFacts } from "../../src/cli/update/update.ts";
import { exitOf } from "../fixtures/clock/waiting.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { type Registry, regExeWith } from "../fixtures/data/windows-registry.ts";
import { createMinisignKeys } from "../fixtures/packaging/minisign-keys.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { CommandError } from "../../src/control/execution.ts";

const keys = await createMinisignKeys();
const LIST = Buffer.from("a list of checksums\n");
const SOMEBODY = 61_234;
const testAsRoot = testWith("root", process.getuid?.() === 0);

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder.remove());

describe("a signature of minisign", () => {
  test("is the one of a known key, for these bytes and this comment", async () => {
    const signature = await sign(LIST, keys.secretKey, "marquee 0.2.0");
    const others = await createMinisignKeys();
    const known = [others.publicKey, keys.publicKey];
    expect(await verifySignature(LIST, signature, known)).toBe("marquee 0.2.0");
    const refused = [
      () => verifySignature(Buffer.from("another list\n"), signature, known),
      () => verifySignature(LIST, signature.replace("marquee 0.2.0", "marquee 9.9.9"), known),
      () => verifySignature(LIST, signature, [others.publicKey]),
      () => verifySignature(LIST, signature, []),
      () => verifySignature(LIST, signature.slice(0, 120), known),
      () => verifySignature(LIST, "", known),
    ];
    for (const one of refused) await expect(one()).rejects.toThrow(CommandError);
    await expect(sign(LIST, keys.publicKey, "")).rejects.toThrow(ReleaseError);
  });

  test("is refused when any bit of it is another", async () => {
    const signature = await sign(LIST, keys.secretKey, "marquee 0.2.0");
    const lines = signature.split("\n");
    for (const line of [1, 3]) {
      const bytes = Buffer.from(lines[line] ?? "", "base64");
      for (const at of [0, 2, 10, bytes.length - 1]) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ 1;
        const changed = lines.with(line, flipped.toString("base64")).join("\n");
        await expect(verifySignature(LIST, changed, [keys.publicKey])).rejects.toThrow(
          CommandError,
        );
      }
    }
  });

  const program = Bun.which("minisign");
  testWith("minisign", program !== null)("is what minisign itself makes and believes", async () => {
    const path = (name: string) => join(folder.path, name);
    const minisign = (...words: string[]) => Bun.spawnSync([program ?? "", ...words]);
    expect(minisign("-G", "-W", "-p", path("key.pub"), "-s", path("key")).success).toBe(true);
    writeFileSync(path("list"), LIST);
    const [, publicKey = ""] = readFileSync(path("key.pub"), "utf8").split("\n");
    const [, secretKey = ""] = readFileSync(path("key"), "utf8").split("\n");
    minisign("-S", "-s", path("key"), "-m", path("list"), "-t", "marquee 0.2.0");
    const theirs = readFileSync(path("list.minisig"), "utf8");
    expect(await verifySignature(LIST, theirs, [publicKey])).toBe("marquee 0.2.0");
    writeFileSync(path("list.minisig"), await sign(LIST, secretKey, "marquee 0.3.0"));
    const verified = minisign("-V", "-p", path("key.pub"), "-m", path("list"));
    expect(verified.stdout.toString()).toContain("marquee 0.3.0");
  });
});

describe("an update", () => {
  const programOf = (version: string) => `#!/bin/sh\necho "marquee ${version} (test)"\n`;
  const NEW = programOf("0.2.0");
  const NAME = "marquee-0.2.0-linux-x64";
  const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
  let web: ReturnType<typeof Bun.serve>;
  let files: Map<string, string | (() => Response)>;
  let facts: UpdateFacts;

  const publish = async (list: string, comment = "marquee 0.2.0") => {
    files.set("SHA256SUMS", list);
    files.set("SHA256SUMS.minisig", await sign(Buffer.from(list), keys.secretKey, comment));
  };
  const runs = (path: string) => Bun.spawnSync([path, "--version"]).stdout.toString();

  beforeEach(async () => {
    files = new Map();
    web = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch({ url }) {
        const file = files.get(new URL(url).pathname.slice(1));
        if (file === undefined) return new Response("not here", { status: 404 });
        return typeof file === "string" ? new Response(file) : file();
      },
    });
    const program = join(folder.path, "marquee");
    writeFileSync(program, programOf("0.1.0"));
    chmodSync(program, 0o755);
    const from = `http://127.0.0.1:${web.port}`;
    facts = { program, current: "0.1.0", suffix: "linux-x64", from, keys: [keys.publicKey] };
    await publish(`${sha256(NEW)}  ${NAME}\n`);
    files.set(NAME, NEW);
  });
  afterEach(() => web.stop(true));

  const update = async () => install(facts, await findRelease(facts));
  /** Expects an update to fail and to change nothing. */
  const expectRefused = async (reason: string | RegExp) => {
    await expect(update()).rejects.toThrow(reason);
    expect(runs(facts.program)).toStartWith("marquee 0.1.0 ");
    expect(readdirSync(folder.path)).toEqual(["marquee"]);
  };

  test("puts the new program in the place of the old one, which can come back", async () => {
    chmodSync(facts.program, 0o750);
    await update();
    expect(runs(facts.program)).toStartWith("marquee 0.2.0 ");
    expect(statSync(facts.program).mode & 0o777).toBe(0o750);
    expect(runs(`${facts.program}.old`)).toStartWith("marquee 0.1.0 ");
    goBack(facts.program);
    expect(runs(facts.program)).toStartWith("marquee 0.1.0 ");
    goBack(facts.program);
    expect(runs(facts.program)).toStartWith("marquee 0.2.0 ");
    expect(existsSync(`${facts.program}.new`)).toBe(false);
  });

  test.each([
    ["symbolic", symlinkSync],
    ["hard", linkSync],
  ] as const)("follows no %s link in the place of the new program", async (_, link) => {
    const victim = join(folder.path, "victim");
    writeFileSync(victim, "precious");
    link(victim, `${facts.program}.new`);
    await update();
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(lstatSync(facts.program).isFile()).toBe(true);
    expect(runs(facts.program)).toStartWith("marquee 0.2.0 ");
  });

  test("changes nothing when something is not as it was signed", async () => {
    files.set(NAME, `${NEW}#`);
    await expectRefused("not the signed file");
    files.set("SHA256SUMS", `${sha256(`${NEW}#`)}  ${NAME}\n`);
    await expectRefused("changed after it was signed");
    await publish(`${sha256(NEW)}  ${NAME}\n`, "another program 0.2.0");
    await expectRefused("does not say its version");
  });

  test("changes nothing when the new program does not start, or is another version", async () => {
    for (const program of ["#!/bin/sh\nexit 1\n", programOf("0.1.9"), "not a program"]) {
      files.set(NAME, program);
      await publish(`${sha256(program)}  ${NAME}\n`);
      await expectRefused("does not start");
    }
  });

  test("changes nothing when the download breaks off, leads elsewhere or never ends", async () => {
    files.set(NAME, () => new Response(NEW.slice(0, 10), { headers: { "content-length": "900" } }));
    await expectRefused(/broke off|not the signed file/);
    files.set(NAME, () => Response.redirect("http://example.org/marquee"));
    await expectRefused("http://example.org/marquee is not an https address");
    files.set(NAME, () => Response.redirect(`${facts.from}/${NAME}`));
    await expectRefused("redirects too often");
    files.set("SHA256SUMS", "x".repeat(70_000));
    await expectRefused("larger than a release");
  });

  const script = join(import.meta.dir, "../fixtures/data/install-update.ts");
  const inProcess = (...before: string[]) =>
    Bun.spawn([...before, process.execPath, script, JSON.stringify(facts)], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });

  test("leaves a program that starts, and can be made again, whenever it is killed", async () => {
    const began = performance.now();
    expect(await exitOf(inProcess())).toBe(0);
    const wholeMs = performance.now() - began;
    for (let kill = 1; kill <= 20; kill++) {
      writeFileSync(facts.program, programOf("0.1.0"));
      const child = inProcess();
      // The last fifth is what changes files: before, the process starts and asks for the list.
      await Bun.sleep(wholeMs * (0.8 + kill / 80));
      child.kill("SIGKILL");
      await exitOf(child);
      expect(runs(facts.program)).toMatch(/^marquee 0\.[12]\.0 /);
    }
    await update();
    expect(runs(facts.program)).toStartWith("marquee 0.2.0 ");
  });

  test("changes nothing when the disk is full", async () => {
    const large = `${NEW}# ${"x".repeat(4_096)}\n`;
    files.set(NAME, large);
    await publish(`${sha256(large)}  ${NAME}\n`);
    // Files of at most one block, without the signal that would end the process.
    const limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 1; exec "$@"', "bash"];
    const child = inProcess(...limited);
    expect(await new Response(child.stderr).text()).toContain("Is the disk full?");
    expect(await exitOf(child)).toBe(1);
    expect(runs(facts.program)).toStartWith("marquee 0.1.0 ");
    expect(readdirSync(folder.path)).toEqual(["marquee"]);
  });

  test("says what is missing", async () => {
    facts = { ...facts, suffix: "windows-arm64.exe" };
    await expectRefused("no program for this computer (windows-arm64.exe)");
    files.delete("SHA256SUMS.minisig");
    await expectRefused("answers 404");
    await web.stop(true);
    await expectRefused("cannot be reached");
  });

  test("leaves the earlier program where it is when the two cannot be swapped", async () => {
    await update();
    // Neither a link to it nor a copy can be made.
    rmSync(facts.program);
    expect(() => goBack(facts.program)).toThrow("ENOENT");
    expect(readdirSync(folder.path)).toEqual(["marquee.old"]);
    expect(runs(`${facts.program}.old`)).toStartWith("marquee 0.1.0 ");
  });

  test("goes back to no link, and to no program that another user has put there", () => {
    const old = `${facts.program}.old`;
    const planted = join(folder.path, "planted");
    writeFileSync(planted, programOf("6.6.6"), { mode: 0o755 });
    symlinkSync(planted, old);
    expect(() => goBack(facts.program)).toThrow("is not what an update has left there");
    rmSync(old);
    mkdirSync(old);
    expect(() => goBack(facts.program)).toThrow("is not what an update has left there");
    expect(runs(facts.program)).toStartWith("marquee 0.1.0 ");
  });

  testAsRoot(
    "goes back to a program of the user whose folder it is, whoever may write there",
    () => {
      const old = `${facts.program}.old`;
      writeFileSync(old, programOf("0.0.9"), { mode: 0o755 });
      for (const path of [old, folder.path]) chownSync(path, SOMEBODY, SOMEBODY);
      chmodSync(folder.path, 0o775);
      goBack(facts.program);
      expect(runs(facts.program)).toStartWith("marquee 0.0.9 ");
    },
  );

  testAsRoot("goes back to a program of another user only where nobody else may write", () => {
    const old = `${facts.program}.old`;
    writeFileSync(old, programOf("0.0.9"), { mode: 0o755 });
    chownSync(old, SOMEBODY, SOMEBODY);
    chmodSync(folder.path, 0o1777);
    expect(() => goBack(facts.program)).toThrow("is not what an update has left there");
    expect(runs(facts.program)).toStartWith("marquee 0.1.0 ");
    chmodSync(folder.path, 0o755);
    goBack(facts.program);
    expect(runs(facts.program)).toStartWith("marquee 0.0.9 ");
  });

  test("has nothing to go back to before the first one", () => {
    expect(() => goBack(facts.program)).toThrow("no earlier program");
  });
});

describe("the list of installed apps on Windows", () => {
  const ENTRY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Marquee`;
  const FOLDER = String.raw`C:\Users\Zoë\AppData\Local\Programs\Marquee`;
  const entry = () => ({
    DisplayVersion: '"0.1.0"',
    InstallLocation: JSON.stringify(FOLDER),
  });
  const shown = async (program: string, keys: Registry) => {
    const regExe = regExeWith(keys);
    expect(await showVersion(program, "0.2.0", async (command) => regExe(command))).toBe(true);
    return keys[ENTRY]?.["DisplayVersion"];
  };

  test("shows the version of the program that the setup program has installed", async () => {
    for (const program of [`${FOLDER}\\marquee.exe`, `${FOLDER.toUpperCase()}\\MARQUEE.EXE`]) {
      expect(await shown(program, { [ENTRY]: entry() })).toBe('"0.2.0"');
    }
  });

  test("is left as it is by a program elsewhere, and gets no entry", async () => {
    expect(await shown(String.raw`E:\marquee.exe`, { [ENTRY]: entry() })).toBe('"0.1.0"');
    expect(await shown(`${FOLDER}\\marquee.exe`, {})).toBeUndefined();
  });

  test("is known to be wrong where Windows refuses the change", async () => {
    const regExe = regExeWith({ [ENTRY]: entry() });
    const refusing = async (command: readonly string[]) =>
      command[1] === "add" ? { code: 1, out: "Access is denied." } : regExe(command);
    expect(await showVersion(`${FOLDER}\\marquee.exe`, "0.2.0", refusing)).toBe(false);
  });
});

describe("marquee update", () => {
  const { marquee } = useCommandLine();

  test("says when this build does not know where releases are", async () => {
    const { code, errors } = await marquee("update", "--check");
    expect(code).toBe(1);
    expect(errors).toContain("does not know where releases are");
  });

  test("refuses what it cannot do", async () => {
    expect((await marquee("update", "--check", "--back")).code).toBe(2);
    expect((await marquee("update", "--back")).errors).toContain("runs from source");
  });
});
