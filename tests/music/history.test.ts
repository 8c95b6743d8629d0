import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { type AddedUser, createAccounts } from "../../src/accounts/accounts.ts";
import { settle } from "../fixtures/clock/fake-clock.ts";
import type { History, HistoryChoice } from "../../src/music/history.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { aKeptSong } from "../fixtures/data/kept-song.ts";
import { holdLock } from "../fixtures/data/locked-database.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import * as tables from "../../src/db/schema.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let folder: ReturnType<typeof createDataFolder>;
let world: TestAccounts;
let history: History;
let ada: AddedUser;

beforeEach(async () => {
  folder = createDataFolder();
  world = await createTestAccounts(folder.path);
  ({ history } = world.accounts);
  ada = await world.add("ada");
});
afterEach(async () => {
  world.store.close();
  folder.remove();
});

const choose = (changes: Partial<HistoryChoice>, { user } = ada) =>
  history.change(user, { ...history.of(user.id), ...changes });
const play = (title: string, { user } = ada) =>
  history.note(user.id, aKeptSong({ startedAt: world.clock.wallMs() }, title));
const titles = async ({ user } = ada) => history.songsOf(user).map(({ track }) => track.title);
const songRows = async () => world.store.queries.select().from(tables.songs);
const rows = async () => (await songRows()).length;
/** What is deleted in parts is gone after some turns. */
const untilDeletedTo = async (count: number) => {
  while ((await rows()) > count) await settle();
  expect(await rows()).toBe(count);
};

describe("the history", () => {
  test("keeps nothing until it is switched on", async () => {
    await play("A");
    expect(history.of(ada.user.id)).toEqual({ keeps: null, followsStreams: false });
    expect([await titles(), await rows()]).toEqual([[], 0]);
  });

  test("gives songs back as they were noted, the newest first", async () => {
    await choose({ keeps: "always" });
    const song = aKeptSong({
      artists: ["Juniper Vale", 'O"Hara, B'],
      coverPath: "/art/x",
      coverUrl: "https://covers.example/1.jpg",
      track: { id: "1", title: "Łódź", durationMs: null, explicit: true },
    });
    await history.note(ada.user.id, song);
    await world.clock.advance(60_000);
    await play("B");
    expect(await titles()).toEqual(["B", "Łódź"]);
    expect(history.songsOf(ada.user)[1]).toEqual(song);
  });

  test("has a song that goes on once, with its last length", async () => {
    await choose({ keeps: "day" });
    await history.note(ada.user.id, aKeptSong({ playedMs: 31_000 }));
    await history.note(ada.user.id, aKeptSong({ playedMs: 90_000, coverPath: "/art/x" }));
    expect(history.songsOf(ada.user)).toMatchObject([{ playedMs: 90_000, coverPath: "/art/x" }]);
  });

  test("shows nothing older than the chosen time, and deletes it", async () => {
    await choose({ keeps: "day" });
    await play("A");
    await world.clock.advance(DAY - HOUR);
    await play("B");
    await world.clock.advance(2 * HOUR);
    expect(await titles()).toEqual(["B"]);
    expect(await rows()).toBe(2);
    await history.forgetOld();
    expect(await rows()).toBe(1);
  });

  test("keeps for good what is to be kept for good", async () => {
    await choose({ keeps: "always" });
    await play("A");
    await world.clock.advance(400 * DAY);
    await history.forgetOld();
    expect(await titles()).toEqual(["A"]);
  });

  test("deletes what is older when it is kept for a shorter time", async () => {
    await choose({ keeps: "always" });
    await play("A");
    await world.clock.advance(2 * DAY);
    await play("B");
    await choose({ keeps: "month" });
    await untilDeletedTo(2);
    await choose({ keeps: "day" });
    await untilDeletedTo(1);
  });

  test("is emptied when it is switched off, of what waits too", async () => {
    await choose({ keeps: "always" });
    await play("A");
    const waiting = play("B");
    await choose({ keeps: null });
    await waiting;
    await untilDeletedTo(0);
  });

  test("is cleared for its user alone, and goes on", async () => {
    const grace = await world.add("grace");
    await choose({ keeps: "always" });
    await choose({ keeps: "always" }, grace);
    await play("A");
    await play("G", grace);
    await history.clear(ada.user);
    expect([await titles(), await titles(grace)]).toEqual([[], ["G"]]);
    await play("B");
    expect(await titles()).toEqual(["B"]);
  });

  test("passes over at most two hundred hidden songs in an answer, and compares the names of each once", async () => {
    await choose({ keeps: "always" });
    const nowMs = world.clock.wallMs();
    await world.store.queries.insert(tables.songs).values(
      Array.from({ length: 300 }, (_, index) => ({
        ...{ userId: ada.user.id, startedAt: nowMs - index * 1_000, playedMs: 30_000 },
        ...{ source: "", trackId: "", title: `Secret ${index}`, explicit: false },
        ...{ artists: "[]", albumName: "" },
      })),
    );
    const { privacy } = world.accounts;
    await privacy.change(ada.user, { hiddenTitles: ["secret"] });
    const normalise = spyOn(String.prototype, "normalize");
    try {
      expect(await history.shownOf(ada.user, { most: 50 })).toEqual([]);
      const once = normalise.mock.calls.length;
      await history.shownOf(ada.user, { most: 50 });
      expect(normalise.mock.calls.length).toBe(once);
    } finally {
      normalise.mockRestore();
    }
    await privacy.change(ada.user, { hiddenTitles: ["secret 1"] });
    const shown = await history.shownOf(ada.user, { most: 2 });
    expect(shown.map(({ track }) => track.title)).toEqual(["Secret 0", "Secret 2"]);
  });

  test("lets others in while many songs are compared", async () => {
    await choose({ keeps: "always" });
    for (let index = 0; index < 120; index++) {
      await play(`Secret ${index}`);
      await world.clock.advance(1_000);
    }
    await world.accounts.privacy.change(ada.user, { hiddenTitles: ["secret"] });
    let turns = 0;
    await history.shownOf(ada.user, { most: 50 }, async () => void turns++);
    expect(turns).toBe(2);
  });

  describe("of many songs", () => {
    const COUNT = 1_200;
    beforeEach(async () => {
      await choose({ keeps: "always" });
      await world.store.queries.insert(tables.songs).values(
        Array.from({ length: COUNT }, (_, index) => ({
          ...{ userId: ada.user.id, startedAt: index, playedMs: 30_000, source: "", trackId: "" },
          ...{ title: "A", explicit: false, artists: "[]", albumName: "" },
        })),
      );
    });

    test.each([
      ["cleared", async () => history.clear(ada.user)],
      ["switched off", async () => choose({ keeps: null })],
      ["kept for a shorter time", async () => choose({ keeps: "day" })],
    ])(
      "shows none from the moment on at which it is %s, and is deleted in parts",
      async (_, end) => {
        await end();
        expect(await titles()).toEqual([]);
        expect(await rows()).toBeGreaterThanOrEqual(COUNT - 500);
        await choose({ keeps: "month" });
        await play("B");
        await settle();
        await settle();
        expect([await titles(), await rows()]).toEqual([["B"], 1]);
      },
    );

    test("is deleted to the end by a server that starts again", async () => {
      await history.clear(ada.user);
      const { store, vault, clock } = world;
      const again = createAccounts({ store, vault, wallMs: clock.wallMs });
      expect(again.history.songsOf(ada.user)).toEqual([]);
      await again.history.forgetOld();
      expect(await rows()).toBe(0);
    });

    test("is deleted in parts before its user is", async () => {
      const removed = world.accounts.users.remove("ada");
      let turns = 0;
      void removed.then(() => (turns = Infinity));
      for (; turns < 2; turns++) {
        expect(await rows()).toBeGreaterThan(0);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await removed;
      expect(await rows()).toBe(0);
    });
  });

  test("goes with its user, also when songs of that user still wait", async () => {
    const grace = await world.add("grace");
    await choose({ keeps: "always" });
    await choose({ keeps: "always" }, grace);
    await play("A");
    const others = [play("B"), play("G", grace)];
    await world.accounts.users.remove("ada");
    await Promise.all(others);
    expect(await rows()).toBe(1);
    expect(await world.store.queries.$count(tables.histories)).toBe(1);
    expect(await titles(grace)).toEqual(["G"]);
  });

  test("is known to a server that starts again", async () => {
    await choose({ keeps: "month", followsStreams: true });
    await history.streamStarted(ada.user.id);
    const other = await createTestAccounts(folder.path);
    expect(other.accounts.history.of(ada.user.id)).toEqual({
      keeps: "month",
      followsStreams: true,
    });
    expect(other.accounts.history.streamOf(ada.user.id)).toEqual({
      startedAt: world.clock.wallMs(),
      endedAt: null,
    });
    other.store.close();
  });

  describe("of a source that sends endless names", () => {
    const long = (part: string, length: number) => part.repeat(length).slice(0, length);
    const endless = (startedAt: number) =>
      aKeptSong({
        startedAt,
        source: long("S", 1_000),
        track: {
          id: long("i", 1_000),
          title: long("夜", 1_000),
          durationMs: null,
          explicit: false,
        },
        artists: Array<string>(50).fill(`A${long("👩", 998)}`),
        albumName: long("A", 1_000),
        coverUrl: `https://covers.example/${long("u", 2_000)}`,
      });

    test("has songs of a few thousand characters, and whole names of artists", async () => {
      await choose({ keeps: "always" });
      await history.note(ada.user.id, endless(world.clock.wallMs()));
      expect(Buffer.byteLength(JSON.stringify(await songRows()))).toBeLessThan(8_000);
      const [song] = history.songsOf(ada.user);
      expect(song?.artists.map(({ length }) => length)).toEqual([299, 299, 299]);
      expect(song?.artists.every((name) => name.isWellFormed())).toBe(true);
      expect(song?.track.id).toMatch(/^[\w-]{43}$/);
      expect(song?.coverUrl).toBe(null);
    });

    test("has at most 64 million characters of them, the newest", async () => {
      await choose({ keeps: "month" });
      const { wallMs } = world.clock;
      const many = Array.from({ length: 70 }, (_, index) => ({
        ...{ userId: ada.user.id, startedAt: wallMs() - (index + 1) * 60_000, playedMs: 40_000 },
        ...{ source: "", trackId: "", title: long("x", 500_000), explicit: false },
        ...{ artists: "[]", albumName: "", givenTitle: long("y", 500_000), givenArtists: "[]" },
      }));
      await world.store.queries.insert(tables.songs).values(many);
      // Nobody adds up what has hardly changed.
      await play("A");
      await history.forgetOld();
      expect(await rows()).toBe(71);
      const song = endless(wallMs() + 1_000);
      await Promise.all(Array.from({ length: 600 }, () => history.note(ada.user.id, song)));
      await history.forgetOld();
      const kept = (await songRows()).map(({ startedAt }) => startedAt);
      expect(kept).toHaveLength(2 + 63);
      expect(Math.min(...kept)).toBe(wallMs() - 63 * 60_000);
    });
  });

  test("stores what it could not while another program held a lock", async () => {
    await choose({ keeps: "always" });
    const lock = await holdLock(join(folder.path, "marquee.db"), ["BEGIN IMMEDIATE"]);
    await expect(play("A")).rejects.toThrow("locked");
    await world.clock.advance(60_000);
    await expect(play("B")).rejects.toThrow("locked");
    expect(await titles()).toEqual([]);
    await lock.release();
    expect(await world.accounts.retryWrites()).toBe(true);
    expect(await rows()).toBe(2);
  });

  test("holds at most a thousand songs that wait, the newest", async () => {
    await choose({ keeps: "always" });
    const lock = await holdLock(join(folder.path, "marquee.db"), ["BEGIN IMMEDIATE"]);
    const tries: Promise<unknown>[] = [];
    for (let index = 0; index < 1_100; index++) {
      const song = aKeptSong({ startedAt: world.clock.wallMs() + index }, `Song ${index}`);
      tries.push(history.note(ada.user.id, song));
    }
    await Promise.allSettled(tries);
    await lock.release();
    await world.accounts.retryWrites();
    expect(await rows()).toBe(1_000);
    expect((await titles())[0]).toBe("Song 1099");
  });
});

describe("a stream", () => {
  const stream = () => history.streamOf(ada.user.id);
  const start = () => history.streamStarted(ada.user.id);
  const stop = () => history.streamStopped(ada.user.id, world.clock.wallMs());

  test("is not known unless the user has allowed it", async () => {
    await start();
    expect(stream()).toBeUndefined();
  });

  test("runs from its start to its end", async () => {
    await choose({ followsStreams: true });
    const startedAt = world.clock.wallMs();
    await start();
    await world.clock.advance(HOUR);
    await start();
    expect(stream()).toEqual({ startedAt, endedAt: null });
    await stop();
    await world.clock.advance(HOUR);
    await stop();
    expect(stream()).toEqual({ startedAt, endedAt: startedAt + HOUR });
  });

  test("goes on when it starts again within five minutes, and later is another one", async () => {
    await choose({ followsStreams: true });
    const startedAt = world.clock.wallMs();
    await start();
    await world.clock.advance(HOUR);
    await stop();
    await world.clock.advance(5 * 60_000);
    await start();
    expect(stream()).toEqual({ startedAt, endedAt: null });
    await stop();
    await world.clock.advance(5 * 60_000 + 1);
    await start();
    expect(stream()).toEqual({ startedAt: world.clock.wallMs(), endedAt: null });
  });

  test("is over after two days, when nobody has reported its end", async () => {
    await choose({ followsStreams: true });
    const startedAt = world.clock.wallMs();
    await start();
    await world.clock.advance(2 * DAY - 1);
    expect(stream()).toEqual({ startedAt, endedAt: null });
    await world.clock.advance(1);
    expect(stream()).toEqual({ startedAt, endedAt: startedAt + 2 * DAY });
    await start();
    expect(stream()).toEqual({ startedAt: world.clock.wallMs(), endedAt: null });
  });

  test("is forgotten with the permission", async () => {
    await choose({ followsStreams: true });
    await start();
    await choose({ followsStreams: false });
    await choose({ followsStreams: true });
    expect(stream()).toBeUndefined();
  });
});
