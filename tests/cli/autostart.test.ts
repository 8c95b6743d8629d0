import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import {
  type AutostartFacts,
  refuseControlCharacters,
  wordsOf,
} from "../../src/cli/autostart/autostart.ts";
import { flagsToKeep } from "../../src/cli/autostart/kept-settings.ts";
import {
  createLinuxAutostart,
  desktopEntryOf,
  unitOf,
  wordsInEntry,
  wordsInUnit,
} from "../../src/cli/autostart/linux.ts";
import { agentOf, argumentsIn, createMacAutostart } from "../../src/cli/autostart/macos.ts";
import { commandOf, createWindowsAutostart } from "../../src/cli/autostart/windows.ts";
import { flagsOfServe } from "../../src/cli/run.ts";
import { resolveConfig } from "../../src/config.ts";
import { valuesIn } from "../../src/cli/windows-registry.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { type Registry, regExeWith } from "../fixtures/data/windows-registry.ts";
import { testWith } from "../fixtures/real-parts.ts";

/** A raw template would spell it as an escape. */
const OMEGA = "Ω";
/** Everything that a shell, a unit or a registry file may take for more than a letter. */
const STRANGE = `/home/ada/my "music" $HOME & 100%/mar\\quee ${OMEGA}`;

let folder: ReturnType<typeof createTempFolder>;
const commands: string[][] = [];

beforeEach(() => {
  folder = createTempFolder();
  commands.length = 0;
});
afterEach(() => folder.remove());

/** {@link factsWith}'s command line as one types it. */
const COMMAND = `${process.execPath} serve --open never --data '${STRANGE}/data'`;

/** Autostart refuses control characters. */
const aWord = fc.string({ minLength: 1 }).filter((word) => !/[\p{Cc}\u2028\u2029]/u.test(word));

/** The words of a command line by the rules of Windows' C library. */
function wordsOnWindows(line: string): string[] {
  const words: string[] = [];
  let word = "";
  let isQuoted = false;
  for (const [part] of line.matchAll(/\\*"|\\+|[^"\\]/g)) {
    const backslashes = part.length - 1;
    if (part.endsWith('"')) {
      word += "\\".repeat(Math.floor(backslashes / 2));
      if (backslashes % 2 === 1) word += '"';
      else isQuoted = !isQuoted;
    } else if (part === " " && !isQuoted) {
      words.push(word);
      word = "";
    } else word += part;
  }
  return [...words, word];
}

const factsWith = (
  answer: (command: readonly string[]) => { code: number; out: string },
  changes: Partial<AutostartFacts> = {},
): AutostartFacts => ({
  environment: { HOME: folder.path },
  program: process.execPath,
  flags: ["--data", `${STRANGE}/data`],
  async run(command) {
    commands.push([...command]);
    return answer(command);
  },
  ...changes,
});

describe("autostart on Linux", () => {
  test("is a unit of the user's service manager where that runs", async () => {
    const facts = factsWith((command) => ({
      code: 0,
      out: command.includes("is-system-running") ? "degraded\n" : "",
    }));
    const autostart = await createLinuxAutostart(facts);
    expect(autostart.how).toBe("systemd");
    await autostart.on();
    const unit = readFileSync(join(folder.path, ".config/systemd/user/marquee.service"), "utf8");
    expect(unit).toBe(unitOf(wordsOf(facts)));
    expect(commands).toContainEqual(["systemctl", "--user", "enable", "marquee.service"]);
    expect(await autostart.status()).toEqual({ on: true, command: COMMAND });
    expect(await autostart.off()).toBe(true);
    expect(await autostart.status()).toEqual({ on: false, command: null });
    expect(await autostart.off()).toBe(false);
  });

  test("is an entry of the desktop's list elsewhere", async () => {
    const autostart = await createLinuxAutostart(factsWith(() => ({ code: 1, out: "offline\n" })));
    expect(autostart.how).toBe("desktop");
    expect(await autostart.status()).toEqual({ on: false, command: null });
    await autostart.on();
    const path = join(folder.path, ".config/autostart/marquee.desktop");
    expect(await autostart.status()).toEqual({ on: true, command: COMMAND });
    writeFileSync(path, `${readFileSync(path, "utf8")}Hidden=true\n`);
    expect(await autostart.status()).toMatchObject({ on: false });
    expect(await autostart.off()).toBe(true);
    expect(existsSync(path)).toBe(false);
  });

  test("says what the service manager said when it refuses", async () => {
    const autostart = await createLinuxAutostart(
      factsWith((command) =>
        command.includes("enable") ? { code: 1, out: "no space" } : { code: 0, out: "running" },
      ),
    );
    await expect(autostart.on()).rejects.toThrow(
      "systemctl --user enable marquee.service failed: no space",
    );
  });

  test("keeps every character of a word", () => {
    expect(unitOf(["/a b$c", "serve", "--data", STRANGE])).toContain(
      String.raw`ExecStart="/a b$c" serve --data "/home/ada/my \"music\" $$HOME & 100%%/mar\\quee ${OMEGA}"`,
    );
    expect(desktopEntryOf(["/a b", "serve", "--data", STRANGE])).toContain(
      String.raw`Exec="/a b" serve --data "/home/ada/my \\"music\\" \\$HOME & 100%%/mar\\\\quee ${OMEGA}"`,
    );
    fc.assert(
      fc.property(fc.array(aWord, { minLength: 1 }), (words) => {
        const [, unit = ""] = /^ExecStart=(.*)$/m.exec(unitOf(words)) ?? [];
        expect(wordsInUnit(unit)).toEqual(words);
        const [, entry = ""] = /^Exec=(.*)$/m.exec(desktopEntryOf(words)) ?? [];
        expect(wordsInEntry(entry)).toEqual(words);
      }),
    );
  });

  test.each([
    ["systemd", "running", '/opt/my "music"/marquee', '"'],
    ["systemd", "running", String.raw`/opt/back\slash/marquee`, "\\"],
    ["systemd", "running", "/opt/ada's/marquee", "'"],
    ["desktop", "offline", "/opt/100%/marquee", "%"],
  ])("by %s (%s) refuses the program %s, which it could not start", async (...row) => {
    const [how, state, program, character] = row;
    const facts = factsWith(() => ({ code: 0, out: state }), { program });
    const autostart = await createLinuxAutostart(facts);
    expect(autostart.how).toBe(how);
    await expect(autostart.on()).rejects.toThrow(`a program with ${character} in its path`);
    expect(await autostart.status()).toEqual({ on: false, command: null });
  });

  test.each(["running", "offline"])(
    "is off, with the reason, once its program is gone (%s)",
    async (state) => {
      const program = join(folder.path, "marquee");
      writeFileSync(program, "", { mode: 0o755 });
      const facts = factsWith(() => ({ code: 0, out: state }), { program, flags: [] });
      const autostart = await createLinuxAutostart(facts);
      await autostart.on();
      expect(await autostart.status()).toMatchObject({ on: true });
      rmSync(program);
      expect(await autostart.status()).toEqual({
        on: false,
        command: `${program} serve --open never`,
        note: expect.stringContaining(`${program} is gone`),
      });
    },
  );

  const verify = Bun.which("systemd-analyze");
  testWith("systemd-analyze", verify !== null)("is a unit that systemd accepts", async () => {
    const path = join(folder.path, "marquee.service");
    writeFileSync(path, unitOf(["/bin/true", "serve", "--data", STRANGE]));
    const child = Bun.spawnSync([verify ?? "", "--user", "verify", path], {
      env: { ...process.env, XDG_RUNTIME_DIR: folder.path },
    });
    expect(child.stderr.toString()).not.toContain("marquee.service");
  });

  const validate = Bun.which("desktop-file-validate");
  testWith("desktop-file-validate", validate !== null)("is an entry that desktops accept", () => {
    const path = join(folder.path, "marquee.desktop");
    writeFileSync(path, desktopEntryOf(["/bin/true", "serve", "--data", STRANGE]));
    expect(Bun.spawnSync([validate ?? "", path]).stdout.toString()).toBe("");
  });
});

describe("the command line that autostart keeps", () => {
  const flagsOf = (flags: Record<string, unknown>, environment: Record<string, string> = {}) =>
    flagsToKeep(resolveConfig({ data: "/data", ...flags }, environment));

  test("has the data folder, and each setting that differs from its default", () => {
    const environment = {
      MARQUEE_PORT: "5050",
      MARQUEE_HOST: "0.0.0.0",
      MARQUEE_FILES: "songs",
      MARQUEE_LOG_LEVEL: "info",
      MARQUEE_DEMO: "true",
      MARQUEE_OPEN: "auto",
    };
    const given = { baseUrl: "http://192.168.1.20:5050", playerHosts: "nas, 10.0.0.7" };
    expect(flagsOf(given, environment)).toEqual([
      ...["--data", "/data"],
      ...["--host", "0.0.0.0"],
      ...["--port", "5050"],
      ...["--base-url", "http://192.168.1.20:5050"],
      ...["--player-hosts", "nas,10.0.0.7"],
      "--demo",
      ...["--files", resolve("songs")],
    ]);
  });

  test("gives a start the settings of the command that made it", () => {
    const { config } = resolveConfig({ data: "/data", coverSearch: "musicbrainz,deezer" }, {});
    const kept = flagsOfServe(flagsOf({ coverSearch: "musicbrainz,deezer" }));
    expect(resolveConfig(kept ?? {}, {}).config).toEqual(config);
  });

  test.each([
    ["MARQUEE_SPOTIFY_CLIENT_SECRET", "hush"],
    ["MARQUEE_SECRET_KEY", Buffer.alloc(32, 7).toString("base64")],
    ["MARQUEE_METRICS_TOKEN", "0123456789abcdef"],
  ])("refuses the secret in %s, and does not show it", (variable, value) => {
    const keep = () => flagsOf({}, { [variable]: value });
    expect(keep).toThrow(variable);
    expect(keep).not.toThrow(value);
  });

  test.each(["\n", "\r", "\t", "\0", "\u001b", "\u0085", "\u2028"])(
    "refuses the control character %j, which could begin a line of its own",
    (character) => {
      const data = `/tmp/x${character}ExecStartPre=/bin/touch y`;
      expect(() => refuseControlCharacters(["/bin/true", "--data", data])).toThrow(
        "control character",
      );
    },
  );
});

describe("autostart on macOS", () => {
  test("is a launch agent of the user", async () => {
    const autostart = createMacAutostart(factsWith(() => ({ code: 0, out: "" })));
    expect(await autostart.status()).toMatchObject({ on: false, command: null });
    await autostart.on();
    expect(commands.at(-1)?.slice(0, 2)).toEqual(["launchctl", "bootstrap"]);
    expect(await autostart.status()).toMatchObject({
      on: true,
      command: COMMAND,
    });
    expect(await autostart.off()).toBe(true);
    expect(await autostart.off()).toBe(false);
  });

  test("keeps every character of a word", () => {
    fc.assert(
      fc.property(fc.array(aWord), (words) => {
        expect(argumentsIn(agentOf(words, "/log"))).toEqual(words);
      }),
    );
  });
});

describe("autostart on Windows", () => {
  const DATA = String.raw`C:\Users\Zoe ${OMEGA}\100% & more`;

  const facts = (keys?: Registry, changes: Partial<AutostartFacts> = {}) =>
    factsWith(regExeWith(keys), { flags: ["--data", DATA], ...changes });

  test("is a value of the user's Run key", async () => {
    const autostart = createWindowsAutostart(facts());
    expect(await autostart.status()).toEqual({ on: false, command: null });
    await autostart.on();
    expect(await autostart.status()).toEqual({
      on: true,
      command: `"${process.execPath}" --open never --data "${DATA}"`,
    });
    expect(await autostart.off()).toBe(true);
    expect(await autostart.off()).toBe(false);
  });

  test("is off, with the reason, once its program is gone", async () => {
    const program = String.raw`C:\gone\marquee.exe`;
    const autostart = createWindowsAutostart(facts({}, { program }));
    await autostart.on();
    expect(await autostart.status()).toEqual({
      on: false,
      command: `"${program}" --open never --data "${DATA}"`,
      note: expect.stringContaining(`${program} is gone`),
    });
  });

  test("keeps a drive's root, and every other character, as programs read it", () => {
    const lineOf = (data: string) => commandOf(facts({}, { flags: ["--data", data] }));
    expect(lineOf("D:\\")).toEndWith(String.raw`--data "D:\\"`);
    fc.assert(
      fc.property(aWord, (data) => {
        expect(wordsOnWindows(lineOf(data)).at(-1)).toBe(data);
      }),
    );
  });

  test("is off where the Task Manager has switched it off", async () => {
    const approved = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`;
    const keys: Registry = {};
    const autostart = createWindowsAutostart(facts(keys));
    await autostart.on();
    keys[approved] = { Marquee: "hex:03,00,00,00,\\\r\n  11,22,33,44" };
    expect(await autostart.status()).toMatchObject({ on: false, note: expect.any(String) });
    await autostart.on();
    expect(await autostart.status()).toMatchObject({ on: true });
  });

  test("refuses a command that Windows would not start", async () => {
    const long = factsWith(regExeWith(), { program: `C:\\${"a".repeat(250)}\\marquee.exe` });
    await expect(createWindowsAutostart(long).on()).rejects.toThrow("at most 260 characters");
  });

  test("reads texts and bytes of an exported key", () => {
    const text = String.raw`"A \"b\""="c\\d"` + '\r\n"E"=hex:01,\\\r\n  02\r\n@="x"';
    expect([...valuesIn(text)]).toEqual([
      ['A "b"', String.raw`c\d`],
      ["E", "01,02"],
    ]);
  });
});
