import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTextFile } from "../../src/sources/kinds/text-file/index.ts";
import { matched } from "../../src/sources/kinds/text-file/read.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { createTempFolder, type TempFolder } from "../fixtures/data/temp-folder.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { failureOf, firstOf, listenTo } from "../fixtures/sources/polled.ts";

const source = createTextFile();
let folder: TempFolder;
let clock: FakeClock;
let path: string;
beforeEach(() => {
  folder = createTempFolder();
  clock = createFakeClock(Date.now());
  path = join(folder.path, "now.txt");
});
afterEach(() => folder.remove());

const names = async (text: string | Uint8Array, options: object = {}) => {
  writeFileSync(path, text);
  const playback = await firstOf(source, { path, ...options }, clock);
  return playback && [playback.track.title, playback.artists.join(", "), playback.album.name];
};

describe("a text file", () => {
  test.each([
    ["Ada - One", {}, ["One", "Ada", ""]],
    ["One", {}, ["One", "", ""]],
    ["\ufeffAda - One\r\n", {}, ["One", "Ada", ""]],
    ["One by Ada", { pattern: "{title} by {artist}" }, ["One", "Ada", ""]],
    [
      "Now: One / Ada / Lanterns!",
      { pattern: "Now: {title} / {artist} / {album}!" },
      ["One", "Ada", "Lanterns"],
    ],
    [
      "One\r\nAda\r\nLanterns\r\n",
      { pattern: "{title}\\n{artist}\\n{album}" },
      ["One", "Ada", "Lanterns"],
    ],
    ["something else", { pattern: "{title} by {artist}" }, ["something else", "", ""]],
    ["One\r\nRequests: Ada - Bo\r\n", {}, ["One", "", ""]],
    ["One\nplayed by us", { pattern: "{title} by {artist}" }, ["One", "", ""]],
    [Buffer.from("Bj\xf6rk - J\xf3ga", "latin1"), {}, ["Jóga", "Björk", ""]],
    ["Кино - Ночь 夜", {}, ["Ночь 夜", "Кино", ""]],
    [Buffer.from([0x93, 0xfa, 0x96, 0x7b]), { encoding: "shift_jis" }, ["日本", "", ""]],
  ] as const)("with %p and %p is read", async (text, options, expected) => {
    expect(await names(text, options)).toEqual([...expected]);
  });

  test.each(["", "  \n ", "AD_BREAK"])("with %p plays nothing", async (text) => {
    expect(await names(text)).toBeNull();
  });

  test("is read again within a second after it was written anew, and not before", async () => {
    writeFileSync(path, "Ada - One");
    const heard = listenTo(source, { path }, clock);
    const first = await heard.next();
    expect(first?.track.title).toBe("One");
    const again = heard.next();
    await clock.advance(1_000);
    expect(await again).toBe(first);
    writeFileSync(path, "Ada - Another");
    const changed = heard.next();
    await clock.advance(1_000);
    expect((await changed)?.track.title).toBe("Another");
    rmSync(path);
    const gone = heard.next();
    await clock.advance(1_000);
    expect(await gone).toBeNull();
    await heard.stop();
  });

  test("has been there since it was written, so a delay that is over by then is not waited for", async () => {
    writeFileSync(path, "Ada - One");
    utimesSync(path, new Date(), new Date(clock.wallMs() - 60_000));
    const playback = await firstOf(source, { path, delay: "10" }, clock);
    expect(playback?.observedAtMs).toBe(clock.monotonicMs() - 50_000);
  });

  test("that was left behind four hours ago plays nothing", async () => {
    writeFileSync(path, "Ada - One");
    utimesSync(path, new Date(), new Date(clock.wallMs() - 4 * 3_600_000 - 1));
    expect(await firstOf(source, { path }, clock)).toBeNull();
  });

  test("is read from its end only, whole characters at a time", async () => {
    const list = join(folder.path, "huge.m3u");
    const played = Math.floor(clock.wallMs() / 1_000);
    writeFileSync(list, "夜".repeat(400_000));
    appendFileSync(
      list,
      `\n#EXTVDJ:<lastplaytime>${played}</lastplaytime><title>Nacht 夜</title>\nx.mp3\n`,
    );
    expect((await firstOf(source, { path: list }, clock))?.track.title).toBe("Nacht 夜");
  });

  test("that is not there, or is no file, is unavailable", async () => {
    for (const wrong of [path, "/dev/zero"]) {
      const failure = await failureOf(source, { path: wrong }, clock);
      expect(failure).toBeInstanceOf(SourceFailure);
      expect(String(failure)).toContain("there is no file");
      expect(failure).toMatchObject({ meaning: { kind: "unavailable", reason: "fileMissing" } });
    }
  });

  test("does not match a long text that only begins to again and again", () => {
    // What looks for each beginning's end takes minutes: the runner ends the wait.
    const text = " - by ".repeat(100_000);
    expect(matched(text, "{artist} - {title} by {album}  !")).toBe(undefined);
  }, 60_000);
});

describe("VirtualDJ's history", () => {
  const line = (title: string, more = "", agoS = 0) =>
    `#EXTVDJ:<time>22:10</time><lastplaytime>${Math.floor(clock.wallMs() / 1_000) - agoS}</lastplaytime><filesize>1</filesize><artist>Ada &amp; Bo</artist><title>${title}</title>${more}<songlength>200.5</songlength>\n/music/x.mp3\n`;

  test("is a folder, whose newest list's last song is named", async () => {
    const history = join(folder.path, "History");
    mkdirSync(history);
    writeFileSync(join(history, "2026-11-20.m3u"), line("Old"));
    writeFileSync(
      join(history, "2026-11-21.m3u"),
      line("One") + line("Two", "<remix>Night Edit</remix>", 30),
    );
    expect(await firstOf(source, { path: history }, clock)).toMatchObject({
      source: "VirtualDJ",
      track: { title: "Two (Night Edit)", durationMs: 200_500 },
      artists: ["Ada & Bo"],
      positionUnknown: true,
    });
  });

  test("has ended 15 seconds after the song's length", async () => {
    const list = join(folder.path, "a.m3u");
    writeFileSync(list, line("One", "", 217));
    expect(await firstOf(source, { path: list }, clock)).toBeNull();
  });

  test("is found where VirtualDJ usually has it", async () => {
    mkdirSync(join(folder.path, "Documents/VirtualDJ/History"), { recursive: true });
    const machine = { folders: { home: folder.path, localData: join(folder.path, "x") } };
    const found = await source.findHere?.({ machine } as never);
    expect(found).toEqual([
      { name: "VirtualDJ", settings: { path: join(folder.path, "Documents/VirtualDJ/History") } },
    ]);
  });
});
