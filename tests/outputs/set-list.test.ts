import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { asCsv, asText, chaptersOf, setListOf } from "../../src/outputs/set-list.ts";
import { aKeptSong } from "../fixtures/data/kept-song.ts";
import { hostileName } from "../fixtures/sources/hostile-names.ts";

const STARTED = Date.UTC(2026, 10, 21, 20);
const at = (seconds: number, title: string, playedSeconds = 60) =>
  aKeptSong({ startedAt: STARTED + seconds * 1_000, playedMs: playedSeconds * 1_000 }, title);
const running = { startedAt: STARTED, endedAt: null };
const endedAfter = (seconds: number) => ({
  startedAt: STARTED,
  endedAt: STARTED + seconds * 1_000,
});

describe("a set list", () => {
  test("has the songs of the stream in their order, from its start", () => {
    const songs = [at(3_725, "C"), at(90, "B"), at(5, "A")];
    expect(asText(setListOf(songs, running))).toBe(
      "0:05 Juniper Vale – A\n1:30 Juniper Vale – B\n1:02:05 Juniper Vale – C",
    );
  });

  test("has a song that began before the stream at its start, and none from outside it", () => {
    const songs = [at(-300, "before", 60), at(-30, "A", 90), at(100, "B"), at(600, "after")];
    const list = setListOf(songs, endedAfter(600));
    expect(list.map(({ title, offsetMs }) => [title, offsetMs])).toEqual([
      ["A", 0],
      ["B", 100_000],
    ]);
  });

  test("has each song on one line, whatever it is called", () => {
    fc.assert(
      fc.property(hostileName, hostileName, (title, artist) => {
        const song = aKeptSong({ startedAt: STARTED, artists: [artist] }, title);
        const list = setListOf([song], running);
        expect(asText(list).split(/[\r\n\u0085\u2028\u2029]/)).toHaveLength(1);
        expect(chaptersOf(list, running, "Start")).toHaveLength(1);
        expect(chaptersOf(list, running, "Start")[0]).not.toMatch(/[<>\r\n]/);
      }),
      { numRuns: 500 },
    );
  });
});

/** The cells of a CSV file as RFC 4180 has it. */
function cellsOf(csv: string): string[][] {
  const lines = csv.replace("\uFEFF", "").split("\r\n").slice(0, -1);
  return lines.map((line) =>
    [...line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, cell = ""]) =>
      cell.replaceAll('""', '"'),
    ),
  );
}

describe("a set list as CSV", () => {
  test("has a row for each song, with quotes and commas in their place", () => {
    const csv = asCsv(setListOf([at(65, 'Say "Hi", now')], running));
    expect(csv).toStartWith("\uFEFF");
    expect(cellsOf(csv)).toEqual([
      ["offset", "started_at", "title", "artist", "album"],
      ["1:05", "2026-11-21T20:01:05.000Z", 'Say "Hi", now', "Juniper Vale", "Slow Weather"],
    ]);
  });

  test.each(["=cmd|' /C calc'!A0", "+1", "-1+1", "@SUM(1)", "\t=1", "＝1", "'=1", '"=1'])(
    "has no cell that a spreadsheet would run: %s",
    (title) => {
      const song = aKeptSong({ startedAt: STARTED, artists: [title], albumName: title }, title);
      const cells = cellsOf(asCsv(setListOf([song], running)))[1]?.slice(2) ?? [];
      expect(cells).toHaveLength(3);
      for (const cell of cells) expect(cell).toMatch(/^'/);
    },
  );

  test("has five cells in each row and no formula, whatever songs are called", () => {
    fc.assert(
      fc.property(hostileName, hostileName, (title, artist) => {
        const song = aKeptSong({ startedAt: STARTED, artists: [artist], albumName: title }, title);
        const rows = cellsOf(asCsv(setListOf([song], running)));
        expect(rows.map((row) => row.length)).toEqual([5, 5]);
        for (const cell of rows[1] ?? []) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      }),
      { numRuns: 500 },
    );
  });
});

describe("YouTube's chapters", () => {
  const chapters = (
    songs: Parameters<typeof setListOf>[0],
    stream: typeof running | ReturnType<typeof endedAfter> = running,
  ) => chaptersOf(setListOf(songs, stream), stream, "Start");

  test("begin at 0:00, before the first song", () => {
    expect(chapters([at(42, "A"), at(142, "B")])).toEqual([
      "0:00 Start",
      "0:42 Juniper Vale – A",
      "2:22 Juniper Vale – B",
    ]);
  });

  test("begin with the first song when it comes within ten seconds", () => {
    expect(chapters([at(9, "A"), at(142, "B")])[0]).toBe("0:00 Juniper Vale – A");
    expect(chapters([at(-50, "A"), at(9, "B")])).toEqual(["0:00 Juniper Vale – B"]);
  });

  test("are at least ten seconds long, at the end too", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -60, max: 400 }), { maxLength: 12 }), (starts) => {
        const songs = [...new Set(starts)].map((start) => at(start, `S${start}`));
        const found = chapters(songs, endedAfter(400)).map((line) => {
          const [minutes = 0, seconds = 0] = (line.split(" ")[0] ?? "").split(":").map(Number);
          return minutes * 60 + seconds;
        });
        expect(found[0]).toBe(0);
        const ends = [...found.slice(1), 400];
        for (const [index, end] of ends.entries()) {
          expect(end - (found[index] ?? 0)).toBeGreaterThanOrEqual(10);
        }
      }),
    );
  });

  test("have no angle brackets, which a description may not have", () => {
    expect(chapters([at(20, "<b>")])[1]).toBe("0:20 Juniper Vale – ‹b›");
  });
});
