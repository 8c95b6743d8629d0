import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { AutostartFacts } from "../../src/cli/autostart/autostart.ts";
import { createLinuxAutostart, desktopEntryOf, unitOf } from "../../src/cli/autostart/linux.ts";
import { agentOf, argumentsIn, createMacAutostart } from "../../src/cli/autostart/macos.ts";
import { createWindowsAutostart } from "../../src/cli/autostart/windows.ts";
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

const factsWith = (
  answer: (command: readonly string[]) => { code: number; out: string },
  changes: Partial<AutostartFacts> = {},
): AutostartFacts => ({
  environment: { HOME: folder.path },
  program: STRANGE,
  data: `${STRANGE}/data`,
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
    expect(unit).toBe(unitOf(facts));
    expect(commands).toContainEqual(["systemctl", "--user", "enable", "marquee.service"]);
    expect(await autostart.status()).toMatchObject({ on: true });
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
    expect(await autostart.status()).toMatchObject({ on: true });
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

  test("keeps every character of a path", () => {
    expect(unitOf({ program: STRANGE, data: STRANGE })).toContain(
      String.raw`ExecStart="/home/ada/my \"music\" $HOME & 100%%/mar\\quee ${OMEGA}" serve --open never --data "/home/ada/my \"music\" $$HOME & 100%%/mar\\quee ${OMEGA}"`,
    );
    expect(desktopEntryOf({ program: STRANGE, data: "/data" })).toContain(
      String.raw`Exec="/home/ada/my \\"music\\" \\$HOME & 100%%/mar\\\\quee ${OMEGA}" serve --open never --data "/data"`,
    );
  });

  const verify = Bun.which("systemd-analyze");
  testWith("systemd-analyze", verify !== null)("is a unit that systemd accepts", async () => {
    const path = join(folder.path, "marquee.service");
    writeFileSync(path, unitOf({ program: "/bin/true", data: STRANGE }));
    const child = Bun.spawnSync([verify ?? "", "--user", "verify", path], {
      env: { ...process.env, XDG_RUNTIME_DIR: folder.path },
    });
    expect(child.stderr.toString()).not.toContain("marquee.service");
  });

  const validate = Bun.which("desktop-file-validate");
  testWith("desktop-file-validate", validate !== null)("is an entry that desktops accept", () => {
    const path = join(folder.path, "marquee.desktop");
    writeFileSync(path, desktopEntryOf({ program: STRANGE, data: STRANGE }));
    expect(Bun.spawnSync([validate ?? "", path]).stdout.toString()).toBe("");
  });
});

describe("autostart on macOS", () => {
  test("is a launch agent of the user", async () => {
    const autostart = createMacAutostart(factsWith(() => ({ code: 0, out: "" })));
    expect(await autostart.status()).toMatchObject({ on: false, command: null });
    await autostart.on();
    expect(commands.at(-1)?.slice(0, 2)).toEqual(["launchctl", "bootstrap"]);
    expect(await autostart.status()).toMatchObject({
      on: true,
      command: `${STRANGE} serve --open never --data ${STRANGE}/data`,
    });
    expect(await autostart.off()).toBe(true);
    expect(await autostart.off()).toBe(false);
  });

  test("keeps every character of a path", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (program, data) => {
        expect(argumentsIn(agentOf({ program, data }, "/log"))).toEqual([
          program,
          "serve",
          "--open",
          "never",
          "--data",
          data,
        ]);
      }),
    );
  });
});

describe("autostart on Windows", () => {
  const PROGRAM = String.raw`C:\Users\Zoe ${OMEGA}\100% & more\marquee.exe`;

  const facts = (keys?: Registry) =>
    factsWith(regExeWith(keys), {
      program: PROGRAM,
      data: String.raw`C:\Users\Zoe ${OMEGA}\Marquee`,
    });

  test("is a value of the user's Run key", async () => {
    const autostart = createWindowsAutostart(facts());
    expect(await autostart.status()).toEqual({ on: false, command: null });
    await autostart.on();
    expect(await autostart.status()).toEqual({
      on: true,
      command: `"${PROGRAM}" --open never --data "${String.raw`C:\Users\Zoe ${OMEGA}\Marquee`}"`,
    });
    expect(await autostart.off()).toBe(true);
    expect(await autostart.off()).toBe(false);
  });

  test("is off where the Task Manager has switched it off", async () => {
    const approved = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`;
    const keys = { [approved]: { Marquee: "hex:03,00,00,00,\\\r\n  11,22,33,44" } };
    const autostart = createWindowsAutostart(facts(keys));
    await createWindowsAutostart(facts({})).on();
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
