import { afterAll, beforeAll, describe, expect } from "bun:test";
import { join } from "node:path";
import { type Screen, startScreen } from "../../fixtures/packaging/screen.ts";
import { startWine, WINDOWS, type Wine } from "../../fixtures/packaging/wine.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { BUILD_WITHIN_MS, buildExecutable } from "../../fixtures/servers/executable.ts";

/**
 * The real executable in a console of Wine's. That console prints on while text is selected, so this
 * shows what the program asks of it, not what Windows' own does then. It takes long: `.ci/nightly`.
 */

let wine: Wine | undefined;
let lack = "Xvfb";
if (Bun.which("Xvfb")) {
  const found = await startWine();
  if ("wine" in found) ({ wine } = found);
  else lack = found.lacks;
}

describe("a server in a console of Windows", () => {
  let screen: Screen | undefined;
  let program: string;
  let inConsole: string;
  beforeAll(async () => {
    if (!wine) return;
    program = (await buildExecutable(WINDOWS)).path;
    inConsole = wine.compile(join(import.meta.dir, "../../fixtures/packaging/console-modes.c"));
    screen = await startScreen();
    expect((await wine.run([program, "--version"], screen.environment)).code).toBe(0);
  }, BUILD_WITHIN_MS);
  afterAll(() => {
    wine?.end();
    screen?.end();
  });

  testWith(lack, wine !== undefined)(
    "keeps a click from selecting text, which would stop it, until it ends",
    async () => {
      if (!wine) return;
      const { toPath } = wine.way;
      const told = join(wine.folder, `modes-${crypto.randomUUID()}.txt`);
      const quoted = (...words: string[]) => words.map((word) => `"${word}"`).join(" ");
      const data = toPath(join(wine.folder, "data"));
      const serving = quoted(toPath(program), "serve", "--port", "0", "--data", data);
      const stopping = quoted(toPath(program), "stop", "--data", data);
      const { code } = await wine.run(
        [inConsole, toPath(told), serving, stopping],
        screen?.environment,
      );
      expect(code).toBe(0);
      expect((await Bun.file(told).text()).split(/\r?\n/)).toEqual([
        "before 1",
        "serving 0",
        "after 1",
        "",
      ]);
    },
    BUILD_WITHIN_MS,
  );
});
