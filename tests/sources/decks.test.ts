import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createMixxx, createSerato } from "../../src/sources/kinds/decks/index.ts";
import { createPlayersHere } from "../../src/sources/here/players-here.ts";
import { createTempFolder, type TempFolder } from "../fixtures/data/temp-folder.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { SCHEMAS } from "../fixtures/sources/decks.ts";
import { emptyMachine } from "../fixtures/sources/empty-machine.ts";
import { failureOf, firstOf, listenTo } from "../fixtures/sources/polled.ts";
import { SourceFailure } from "../../src/sources/source.ts";

interface Row {
  readonly title: string;
  readonly artist?: string;
  readonly album?: string;
  readonly agoS?: number;
  readonly lengthS?: number;
  readonly log?: number;
  readonly played?: number;
}

let folder: TempFolder;
let clock: FakeClock;
beforeEach(() => {
  folder = createTempFolder();
  clock = createFakeClock();
});
afterEach(() => folder.remove());

const machineOf = () => ({
  ...emptyMachine,
  folders: { home: folder.path, localData: join(folder.path, "AppData") },
});

const DECKS = {
  mixxx: {
    create: createMixxx,
    path: () => join(folder.path, ".mixxx/mixxxdb.sqlite"),
    add(database: Database, row: Row) {
      const { lastInsertRowid } = database.run(
        "insert into library (artist, title, album, duration, location) values (?, ?, ?, ?, ?)",
        [row.artist ?? "", row.title, row.album ?? "", row.lengthS ?? 200, fileIn(database)],
      );
      const started = new Date(clock.wallMs() - (row.agoS ?? 0) * 1_000).toISOString();
      database.run(
        "insert into PlaylistTracks (playlist_id, track_id, pl_datetime_added) values (?, ?, ?)",
        [row.log ?? 3, Number(lastInsertRowid), started.slice(0, 19).replace("T", " ")],
      );
    },
  },
  serato: {
    create: createSerato,
    path: () => join(folder.path, "Library/Application Support/Serato/Library/master.sqlite"),
    add(database: Database, row: Row) {
      database.run(
        "insert into history_entry (session_id, name, artist, album, length_sec, file_name, start_time, deck, played) values (?, ?, ?, ?, ?, 'a song.mp3', ?, 1, ?)",
        [
          row.log ?? 2,
          row.title,
          row.artist ?? "",
          row.album ?? "",
          row.lengthS ?? 200,
          Math.floor(clock.wallMs() / 1_000) - (row.agoS ?? 0),
          row.played ?? 1,
        ],
      );
    },
  },
} as const;

const fileIn = (database: Database): number =>
  Number(
    database.run("insert into track_locations (filename) values ('a song.mp3')").lastInsertRowid,
  );

describe.each(["mixxx", "serato"] as const)("%s", (id) => {
  const deck = DECKS[id];
  const source = () => deck.create(machineOf());
  const begin = (journal = "delete"): Database => {
    mkdirSync(dirname(deck.path()), { recursive: true });
    const database = new Database(deck.path());
    database.run(`pragma journal_mode=${journal}`);
    database.run(SCHEMAS[id]);
    return database;
  };

  test("is found where its database usually is, and names its newest song", async () => {
    using database = begin();
    deck.add(database, { title: "One", artist: "Ada", log: 1 });
    deck.add(database, { title: "Two 夜", artist: "Björk", album: "Lanterns", agoS: 30 });
    const found = await createPlayersHere([source()], {
      clock,
      machine: machineOf(),
      upstreamTo: () => Promise.reject(new Error("nobody is called")) as never,
    })();
    expect(found).toMatchObject([
      { settings: {}, track: { title: "Two 夜", artist: "Björk", state: "playing" } },
    ]);
    expect(await firstOf(source(), {}, clock)).toMatchObject({
      track: { title: "Two 夜", durationMs: 200_000 },
      artists: ["Björk"],
      album: { name: "Lanterns" },
      positionUnknown: true,
      observedAtMs: clock.monotonicMs() - 30_000,
    });
  });

  test.each(["delete", "wal"])(
    "is followed while it writes (%s), within a second",
    async (journal) => {
      using database = begin(journal);
      deck.add(database, { title: "One" });
      const heard = listenTo(source(), {}, clock);
      expect((await heard.next())?.track.title).toBe("One");
      deck.add(database, { title: "Two" });
      const next = heard.next();
      await clock.advance(1_000);
      expect((await next)?.track.title).toBe("Two");
      await heard.stop();
    },
  );

  test("plays nothing 15 seconds after a song's end, and names a file without a title", async () => {
    using database = begin();
    expect(await firstOf(source(), {}, clock)).toBeNull();
    deck.add(database, { title: "", agoS: 214 });
    expect((await firstOf(source(), {}, clock))?.track.title).toBe("a song");
    await clock.advance(2_000);
    expect(await firstOf(source(), {}, clock)).toBeNull();
  });

  test("is never written to, and says what is wrong in words", async () => {
    const failed = async (settings: object = {}) => {
      const failure = await failureOf(source(), settings, clock);
      expect(failure).toBeInstanceOf(SourceFailure);
      return failure as SourceFailure;
    };
    const { message, meaning } = await failed();
    expect(message).toContain("no database on this computer");
    // It becomes a part of a sentence.
    expect(message).not.toMatch(/[.?!]$/);
    expect(meaning).toEqual({ kind: "unavailable", reason: "fileMissing" });
    const missing = await failed({ path: join(folder.path, "missing") });
    expect(missing).toMatchObject({ meaning });
    expect(missing.message).toContain("there is no database");
    begin().close();
    const other = join(folder.path, "other.sqlite");
    new Database(other).run("create table library (id)");
    const unknown = { kind: "unavailable", reason: "databaseUnknown" } as const;
    expect(await failed({ path: other })).toMatchObject({ meaning: unknown });
    writeFileSync(other, "no database at all, but some text".repeat(100));
    const damaged = await failed({ path: other });
    expect(damaged).toMatchObject({ meaning: unknown });
    expect(damaged.message).toContain("a version");
    expect(damaged.message).toContain("damaged");
    rmSync(other);
  });

  test("keeps what it said while the database is locked, and then says so", async () => {
    using database = begin();
    deck.add(database, { title: "One" });
    const heard = listenTo(source(), {}, clock);
    await heard.next();
    database.run("begin exclusive");
    for (let second = 0; second < 5; second += 1) {
      const next = heard.next();
      await clock.advance(1_000);
      expect((await next)?.track.title).toBe("One");
    }
    const failure = heard.next().catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(String(await failure)).toContain("locked");
  });

  test("does not take a database that is locked from the beginning for one in which nothing plays", async () => {
    using database = begin();
    deck.add(database, { title: "One" });
    database.run("begin exclusive");
    const failure = await failureOf(source(), {}, clock);
    expect(String(failure)).toContain("locked");
    expect(failure).toMatchObject({ meaning: { kind: "unavailable", reason: "databaseLocked" } });
  });
});

test("a song that Serato has only loaded is not named, and none of a session that has ended", async () => {
  mkdirSync(dirname(DECKS.serato.path()), { recursive: true });
  using database = new Database(DECKS.serato.path());
  database.run(SCHEMAS.serato);
  DECKS.serato.add(database, { title: "Played", agoS: 10 });
  DECKS.serato.add(database, { title: "Loaded", played: 0 });
  DECKS.serato.add(database, { title: "Yesterday", log: 1 });
  const source = createSerato(machineOf());
  expect((await firstOf(source, {}, clock))?.track.title).toBe("Played");
  database.run("update history_session set end_time = 400 where id = 2");
  expect(await firstOf(source, {}, clock)).toBeNull();
});
