import { afterAll, beforeAll, describe, expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTime } from "../../fixtures/clock/waiting.ts";
import { type Screen, startScreen } from "../../fixtures/packaging/screen.ts";
import { startWine, WINDOWS, type Wine } from "../../fixtures/packaging/wine.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { BUILD_WITHIN_MS, buildExecutable } from "../../fixtures/servers/executable.ts";

/**
 * What somebody sees after a double click that fails: the real executable under Wine, on a screen of
 * its own. It takes long: `.ci/nightly`.
 */

let wine: Wine | undefined;
let lack = "Xvfb and xdotool";
if (Bun.which("Xvfb") && Bun.which("xdotool")) {
  const found = await startWine();
  if ("wine" in found) ({ wine } = found);
  else lack = found.lacks;
}

describe("a double click on Windows that fails", () => {
  let screen: Screen | undefined;
  let display: Screen["environment"];
  let program: string;
  let closer: string;
  beforeAll(async () => {
    if (!wine) return;
    program = (await buildExecutable(WINDOWS)).path;
    closer = wine.compile(join(import.meta.dir, "../../fixtures/packaging/close-message.c"));
    screen = await startScreen();
    display = screen.environment;
    expect((await wine.run([program, "--version"], display)).code).toBe(0);
  }, BUILD_WITHIN_MS);
  afterAll(() => {
    wine?.end();
    screen?.end();
  });

  /** Starts the program as a double click does, and closes the message that it shows. */
  const click = async (words: readonly string[], environment: Record<string, string> = {}) => {
    if (!wine) throw new Error(lack);
    const ending = wine.run([program, ...words], { ...display, ...environment });
    // The screen has a window that can be seen; its words are known to Windows only.
    const search = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "^Marquee$"];
    const seen = Bun.spawn(search, { env: { ...process.env, ...display }, stdout: "ignore" });
    expect(await inTime("a window", seen.exited)).toBe(0);
    const { code, out } = await wine.run([closer, "Marquee"], display);
    expect(code).toBe(0);
    const ended = await ending;
    // The message is also what a terminal would get.
    expect(ended.errors.trim().replaceAll(/^marquee: /gm, "")).toBe(out.trim());
    return { code: ended.code, shown: out.trim() };
  };
  const inWine = (name: string) => wine?.way.toPath(join(wine.folder, name)) ?? "";
  const testHere = testWith(lack, wine !== undefined);

  testHere(
    "says that another program has the port",
    async () => {
      const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
      const port = String(taken.port);
      expect(await click(["--port", port, "--data", inWine("data")])).toEqual({
        code: 1,
        shown: `Port ${port} on 127.0.0.1 is taken, perhaps by another Marquee. Stop that program, or choose another port with --port or MARQUEE_PORT.`,
      });
      taken.stop(true);
    },
    BUILD_WITHIN_MS,
  );

  testHere(
    "says that the data folder cannot be made",
    async () => {
      writeFileSync(join(wine?.folder ?? "", "file"), "");
      const data = String.raw`${inWine("file")}\Zoë's data`;
      expect(await click(["open", "--data", data])).toEqual({
        code: 1,
        shown: `The data folder ${data} cannot be created. Choose one you may write to with --data or MARQUEE_DATA.`,
      });
    },
    BUILD_WITHIN_MS,
  );

  testHere(
    "says that the data folder is not writable",
    async () => {
      // Linux lets nobody make a file there, root included.
      const data = wine?.way.toPath("/proc") ?? "";
      expect(await click(["--data", data])).toEqual({
        code: 1,
        shown: String.raw`Marquee cannot write to ${data}\marquee.log. Choose a data folder you may write to with --data or MARQUEE_DATA.`,
      });
    },
    BUILD_WITHIN_MS,
  );

  testHere(
    "says that the database is damaged",
    async () => {
      mkdirSync(join(wine?.folder ?? "", "damaged"), { recursive: true });
      writeFileSync(join(wine?.folder ?? "", "damaged", "marquee.db"), "no database".repeat(100));
      const { code, shown } = await click(["--port", "0", "--data", inWine("damaged")]);
      expect(code).toBe(1);
      expect(shown).toStartWith(String.raw`${inWine("damaged")}\marquee.db is not a database`);
    },
    BUILD_WITHIN_MS,
  );

  testHere(
    "says which setting is wrong",
    async () => {
      const { code, shown } = await click(["open"], { MARQUEE_PORT: "many" });
      expect(code).toBe(2);
      expect(shown).toContain("MARQUEE_PORT");
    },
    BUILD_WITHIN_MS,
  );
});
