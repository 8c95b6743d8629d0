import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findOpener, type Scene } from "../../src/cli/open-browser.ts";
import { type ShownServer, startForPerson } from "../fixtures/servers/marquee-process.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { until } from "../fixtures/clock/waiting.ts";

describe("what opens the browser", () => {
  const desktop: Scene = {
    open: "auto",
    asJson: false,
    platform: "linux",
    environment: { DISPLAY: ":0" },
    isTerminal: () => true,
  };
  const windows = ["rundll32.exe", "url.dll,FileProtocolHandler"];

  test.each([
    ["on Linux with X11 is xdg-open", {}, ["xdg-open"]],
    [
      "on Linux with Wayland is xdg-open",
      { environment: { WAYLAND_DISPLAY: "wayland-0" } },
      ["xdg-open"],
    ],
    ["on macOS is open", { platform: "darwin", environment: {} }, ["open"]],
    [
      "on Windows is Windows itself, without a shell",
      { platform: "win32", environment: {} },
      windows,
    ],
    [
      "on Linux inside Windows is Windows",
      { environment: { WSL_DISTRO_NAME: "Ubuntu", DISPLAY: ":0" } },
      windows,
    ],
  ])("%s", (_, changes, command) => {
    expect(findOpener({ ...desktop, ...changes })).toEqual({ command });
  });

  test.each([
    ["it is set to never", { open: "never" as const }, "never"],
    ["a program reads JSON", { asJson: true }, "program reads"],
    ["there is no display", { environment: {} }, "no display"],
    ["the display's name is empty", { environment: { DISPLAY: "" } }, "no display"],
    ["the output is no terminal", { isTerminal: () => false }, "terminal"],
    ["it runs by sudo", { environment: { DISPLAY: ":0", SUDO_UID: "1000" } }, "sudo"],
    ...["linux", "darwin", "win32"].flatMap((platform) =>
      ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].map((name): [string, Partial<Scene>, string] => [
        `${name} is set on ${platform}`,
        { platform, environment: { DISPLAY: "localhost:10.0", [name]: "x" } },
        "another machine",
      ]),
    ),
  ] satisfies [string, Partial<Scene>, string][])("is nothing when %s", (_, changes, reason) => {
    expect(findOpener({ ...desktop, ...changes })).toEqual({
      reason: expect.stringContaining(reason),
    });
  });

  test("is decided without asking for the terminal where something else forbids it", () => {
    const isTerminal = () => {
      throw new Error("asked");
    };
    for (const changes of [{ open: "never" as const }, { asJson: true }, { environment: {} }]) {
      expect(findOpener({ ...desktop, ...changes, isTerminal })).toHaveProperty("reason");
    }
  });
});

describe("the first start in a terminal on a desktop", () => {
  let folder: ReturnType<typeof createTempFolder>;
  let server: ShownServer | undefined;
  const opened = () => join(folder.path, "opened");

  beforeEach(() => {
    folder = createTempFolder();
    server = undefined;
    mkdirSync(join(folder.path, "bin"));
    for (const name of ["xdg-open", "open"]) {
      const path = join(folder.path, "bin", name);
      writeFileSync(path, `#!/bin/sh\necho "$# $1 $(ps -o pgid= -p $$) $$" >> "$OPENED"\nexit 3\n`);
      chmodSync(path, 0o755);
    }
  });
  afterEach(async () => {
    await server?.stop();
    folder.remove();
  });

  async function start(
    options: {
      arguments?: string[];
      environment?: Record<string, string>;
      isTerminal?: boolean;
    } = {},
  ): Promise<ShownServer> {
    const path = `${join(folder.path, "bin")}:${process.env["PATH"]}`;
    server = await startForPerson({
      folder: folder.path,
      arguments: options.arguments ?? [],
      environment: { PATH: path, DISPLAY: ":0", OPENED: opened(), ...options.environment },
      isTerminal: options.isTerminal ?? true,
    });
    return server;
  }
  const readOpened = () => (existsSync(opened()) ? readFileSync(opened(), "utf8") : "");

  test("opens the browser once, at the link that it prints, and no later start does", async () => {
    const { shown, url, stop } = await start();
    const said = await until(() => readOpened() || undefined);
    const [count, address, group, pid] = said.trim().split(/ +/);
    expect(count).toBe("1");
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\/mql_\w{38}$/);
    expect(shown).toContain(`    ${address}\n`);
    // What opens it failed, and Ctrl+C in the terminal would not have reached it.
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect(group).toBe(pid);
    // Nobody has used the link up.
    expect((await fetch(address ?? "")).status).toBe(200);
    await stop();

    const later = await start();
    await later.stop();
    expect(readOpened()).toBe(said);
    // It may be needed again all the same: the browser's session may have ended.
    expect(later.shown).toMatch(/\/sign-in\/mql_\w{38}\n/);
    const unseen = await start({ isTerminal: false });
    await unseen.stop();
    expect(unseen.shown).not.toContain("mql_");
  });

  test.each([
    ["MARQUEE_OPEN=never", { environment: { MARQUEE_OPEN: "never" } }, "never"],
    ["--json", { arguments: ["--json"] }, "a program reads"],
    ["no terminal", { isTerminal: false }, "nobody sees a terminal"],
  ])("opens nothing with %s", async (_, options, reason) => {
    const { shown, stop } = await start(options);
    await stop();
    expect(shown).toMatch(new RegExp(`no browser is opened reason=".*${reason}.*"`));
    expect(shown).toContain("/sign-in/mql_");
    expect(readOpened()).toBe("");
  });

  test("serves where nothing can open a browser", async () => {
    const { shown, url } = await start({ environment: { PATH: folder.path } });
    expect(shown).toContain("no browser is opened");
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect(readOpened()).toBe("");
  });
});
