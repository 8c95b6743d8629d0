import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isServerRunning } from "../../src/control/folder-lock.ts";
import { freePort, until } from "../fixtures/clock/waiting.ts";
import { createTempFolder, type TempFolder } from "../fixtures/data/temp-folder.ts";
import { runMarquee } from "../fixtures/servers/marquee-process.ts";

describe.if(process.platform === "linux")("the icon on a Linux desktop", () => {
  let folder: TempFolder;
  let port: number;

  beforeEach(() => {
    folder = createTempFolder();
    port = freePort();
    mkdirSync(join(folder.path, "bin"));
    for (const name of ["xdg-open", "notify-send"]) {
      const path = join(folder.path, "bin", name);
      writeFileSync(path, `#!/bin/sh\necho "$@" >> "${said(name)}"\n`);
      chmodSync(path, 0o755);
    }
  });
  afterEach(async () => {
    await run("stop");
    expect(isServerRunning(join(folder.path, "data"))).toBe(false);
    folder.remove();
  });

  const said = (name: string) => join(folder.path, `${name}.txt`);
  const saidBy = (name: string) =>
    until(() => (existsSync(said(name)) && readFileSync(said(name), "utf8").trim()) || undefined);
  const runWith = (environment: Record<string, string>, ...words: string[]) =>
    runMarquee({
      folder: folder.path,
      arguments: [...words, "--data", join(folder.path, "data")],
      environment: {
        PATH: `${join(folder.path, "bin")}:${process.env["PATH"]}`,
        DISPLAY: ":0",
        ...environment,
      },
    });
  const run = (...words: string[]) => runWith({}, ...words);
  const click = () => run("open", "--port", String(port));

  test("opens the dashboard of a server that runs on, once as often as it is clicked", async () => {
    expect((await click()).code).toBe(0);
    const address = await saidBy("xdg-open");
    expect(address).toStartWith(`http://127.0.0.1:${port}/sign-in/mql_`);
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
    expect((await click()).code).toBe(0);
    await until(
      () => readFileSync(said("xdg-open"), "utf8").split("sign-in").length === 3 || undefined,
    );
  });

  test("says on the desktop why there is no server", async () => {
    const taken = Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } });
    expect((await click()).code).toBe(1);
    expect(await saidBy("notify-send")).toContain(`Marquee`);
    expect(await saidBy("notify-send")).toContain(String(port));
    taken.stop(true);
  });

  test("says on the desktop what is wrong with the data folder, without the system's words", async () => {
    writeFileSync(join(folder.path, "data"), "not a folder");
    const { code, error } = await click();
    expect(code).toBe(1);
    const text = await saidBy("notify-send");
    expect(text).toEndWith(
      "cannot be created. Choose one you may write to with --data or MARQUEE_DATA.",
    );
    expect(error.trim()).toBe(`marquee: ${text.slice(text.indexOf("The data folder"))}`);
    rmSync(join(folder.path, "data"));
  });

  test("says on the desktop that a setting is wrong", async () => {
    expect((await runWith({ MARQUEE_PORT: "many" }, "open")).code).toBe(2);
    expect(await saidBy("notify-send")).toContain("MARQUEE_PORT");
  });

  test("leaves other commands' mistakes where they were typed", async () => {
    expect((await run("stop")).code).toBe(1);
    expect((await runWith({ MARQUEE_PORT: "many" }, "serve")).code).toBe(2);
    expect(existsSync(said("notify-send"))).toBe(false);
  });
});
