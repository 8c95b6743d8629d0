import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readLine } from "../../../src/sources/kinds/media-session/reader-lines.ts";
import { functionsMade } from "../../../src/sources/kinds/media-session/windows/com.ts";
import { INTERFACES } from "../../../src/sources/kinds/media-session/windows/interfaces.ts";
import {
  createReader,
  requestManager,
} from "../../../src/sources/kinds/media-session/windows/reader.ts";
import {
  createRuntime,
  explain,
} from "../../../src/sources/kinds/media-session/windows/runtime.ts";
import { timesOf } from "../../../src/sources/kinds/media-session/windows/session.ts";
import { createFakeClock, type FakeClock, settle } from "../../fixtures/clock/fake-clock.ts";
import { createFakeWindows, type FakeWindows } from "../../fixtures/media-session/fake-windows.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);
/** Windows counts from 1601, in units of 100 nanoseconds. */
const ticksAt = (unixMs: number) => 116_444_736_000_000_000n + BigInt(unixMs) * 10_000n;
const ticks = (ms: number) => BigInt(ms) * 10_000n;

let windows: FakeWindows;
let time: FakeClock;
let lines: string[];
beforeEach(() => {
  windows = createFakeWindows();
  time = createFakeClock(NOW_MS);
  lines = [];
});
afterEach(() => windows.close());

async function startReader() {
  const { signal } = new AbortController();
  const clock = { ...time, pause: (ms: number) => time.sleep(ms, signal) };
  const runtime = createRuntime({ combase: windows.combase, clock });
  const manager = await requestManager(runtime);
  const reader = createReader({ runtime, clock, write: (line) => void lines.push(line) });
  return {
    /** Lets only as much time pass as the reading takes. */
    async read() {
      let isOver = false;
      const reading = reader.readOnce(manager).finally(() => (isOver = true));
      reading.catch(() => {});
      await settle();
      while (!isOver) await time.advance(2);
      await reading;
    },
    close: () => manager[Symbol.dispose](),
    /** The sessions of the last line that has some. */
    sessions() {
      const read = lines.map(readLine).findLast((line) => line?.kind === "sessions");
      return read?.kind === "sessions" ? read.sessions : [];
    },
    covers: () => lines.map(readLine).filter((line) => line?.kind === "cover"),
  };
}

const aSong = {
  app: "Spotify.exe",
  title: "Paper Lanterns",
  artist: "Juniper Vale",
  albumArtist: "Various",
  album: "Slow Weather",
  trackNumber: 3,
};
const aPicture = Uint8Array.from({ length: 3_000 }, (_, index) => index % 251);

describe("the reader of Windows' media sessions", () => {
  test("reads what a player tells", async () => {
    const times = {
      start: 0n,
      end: ticks(200_000),
      position: ticks(12_000),
      updated: ticksAt(NOW_MS - 4_000),
    };
    windows.sessions.push({ ...aSong, times, rate: 1.5 });
    const reader = await startReader();
    await reader.read();
    expect(reader.sessions()).toEqual([
      {
        ...aSong,
        name: "",
        state: "playing",
        media: "music",
        positionMs: 12_000,
        ageMs: expect.closeTo(4_000, -2),
        durationMs: 200_000,
        rate: 1.5,
        cover: null,
        problem: null,
        readMs: 0,
      },
    ]);
    reader.close();
    expect(windows.alive()).toEqual({ objects: 0, texts: 0 });
    expect(windows.wrongCalls).toEqual([]);
  });

  test("reads letters of any script, and a pause without a rate, times and kind", async () => {
    windows.sessions.push({
      app: "AIMP",
      title: "紙の灯籠 🏮",
      artist: "Łucja Ø",
      status: 5,
      rate: null,
      mediaType: null,
      times: null,
    });
    const reader = await startReader();
    await reader.read();
    expect(reader.sessions()[0]).toMatchObject({
      title: "紙の灯籠 🏮",
      artist: "Łucja Ø",
      state: "paused",
      rate: 1,
      media: "unknown",
      positionMs: null,
      durationMs: null,
    });
    reader.close();
  });

  test("writes a line only when something has changed, and a sign of life after five seconds", async () => {
    windows.sessions.push({ ...aSong });
    const reader = await startReader();
    await reader.read();
    await reader.read();
    expect(lines).toHaveLength(1);
    await time.advance(5_000);
    await reader.read();
    expect(readLine(lines[1] ?? "")).toEqual({ kind: "alive" });
    windows.sessions[0]!.status = 5;
    await reader.read();
    expect(reader.sessions()[0]?.state).toBe("paused");
    reader.close();
  });

  test("reads covers in parts, once, and again while they may still change", async () => {
    const session = { ...aSong, cover: aPicture, coverParts: 700 };
    windows.sessions.push(session);
    const reader = await startReader();
    await reader.read();
    expect(reader.covers()).toHaveLength(1);
    const [first] = reader.covers();
    expect(first?.kind === "cover" && [...first.cover.bytes]).toEqual([...aPicture]);
    await time.advance(300);
    await reader.read();
    session.cover = aPicture.toReversed();
    await time.advance(300);
    await reader.read();
    expect(reader.covers()).toHaveLength(2);
    await time.advance(60_000);
    await reader.read();
    await reader.read();
    session.cover = aPicture;
    await reader.read();
    await reader.read();
    expect(reader.covers()).toHaveLength(2);
    reader.close();
    expect(windows.alive()).toEqual({ objects: 0, texts: 0 });
  });

  test("does not believe the former song's cover at the beginning of another album", async () => {
    const session = { ...aSong, cover: aPicture };
    windows.sessions.push(session);
    const reader = await startReader();
    await reader.read();
    const former = reader.sessions()[0]?.cover;
    expect(former).toBeString();
    Object.assign(session, { title: "Other", album: "Another album" });
    await reader.read();
    expect(reader.sessions()[0]?.cover).toBeNull();
    session.cover = aPicture.toReversed();
    await time.advance(500);
    await reader.read();
    expect(reader.sessions()[0]?.cover).toBeString();
    expect(reader.sessions()[0]?.cover).not.toBe(former ?? "");
    reader.close();
  });

  test("keeps the cover for the next song of an album", async () => {
    const session = { ...aSong, cover: aPicture };
    windows.sessions.push(session);
    const reader = await startReader();
    await reader.read();
    Object.assign(session, { title: "Next", trackNumber: 4 });
    await reader.read();
    expect(reader.sessions()[0]).toMatchObject({ title: "Next", cover: expect.any(String) });
    reader.close();
  });

  test.each([-1n, -(2n ** 63n), 2n ** 63n - 1n])(
    "goes on without a cover whose stream says that it has %d bytes",
    async (coverSize) => {
      windows.sessions.push({ ...aSong, cover: aPicture, coverSize });
      const reader = await startReader();
      await reader.read();
      expect(reader.covers()).toEqual([]);
      expect(reader.sessions()[0]).toMatchObject({ cover: null, problem: "0x8007000E at Size" });
      reader.close();
      expect(windows.alive()).toEqual({ objects: 0, texts: 0 });
    },
  );

  test("refuses a cover of more than eight megabytes", async () => {
    windows.sessions.push({ ...aSong, cover: new Uint8Array(8 * 1024 * 1024 + 1) });
    const reader = await startReader();
    await reader.read();
    expect(reader.covers()).toEqual([]);
    expect(reader.sessions()[0]).toMatchObject({ cover: null, problem: "0x8007000E at Size" });
    reader.close();
    expect(windows.alive()).toEqual({ objects: 0, texts: 0 });
  });

  const GONE = 0x800706ba;
  for (const [what, fails] of [
    ["its name", { id: GONE }],
    ["what it does", { playback: GONE }],
    ["its times", { timeline: GONE }],
    ["its track", { properties: GONE }],
    ["its track later", { operation: GONE }],
  ] as const) {
    test(`reads the others when a program ended before it told ${what}`, async () => {
      windows.sessions.push({ ...aSong, app: "gone.exe", fails }, { ...aSong });
      const reader = await startReader();
      await reader.read();
      expect(reader.sessions().find(({ app }) => app === "Spotify.exe")?.title).toBe(aSong.title);
      reader.close();
      expect(windows.alive()).toEqual({ objects: 0, texts: 0 });
      expect(windows.wrongCalls).toEqual([]);
    });
  }

  test("waits two seconds for one that hangs, and for none of the others", async () => {
    windows.sessions.push({ ...aSong, app: "hung.exe", hangs: true }, { ...aSong });
    const reader = await startReader();
    await reader.read();
    const [hung, other] = reader.sessions();
    expect(hung).toMatchObject({ app: "hung.exe", title: "", problem: null });
    expect(other?.title).toBe(aSong.title);
    expect(time.wallMs()).toBeLessThan(NOW_MS + 100);
    await time.advance(2_000);
    await reader.read();
    expect(reader.sessions()[0]?.problem).toBe("0x800705B4 at TryGetMediaPropertiesAsync");
    reader.close();
    await time.advance(2_100);
    expect(windows.alive()).toEqual({ objects: 0, texts: 0 });
    expect(windows.wrongCalls).toEqual([]);
  });

  test("tells two sessions of one program apart", async () => {
    windows.sessions.push({ ...aSong }, { ...aSong, title: "Second", status: 5 });
    const reader = await startReader();
    await reader.read();
    expect(reader.sessions().map(({ title }) => title)).toEqual([aSong.title, "Second"]);
    windows.sessions.shift();
    await reader.read();
    expect(reader.sessions().map(({ title }) => title)).toEqual(["Second"]);
    reader.close();
  });

  test("leaves nothing behind after a thousand readings with covers, and makes few functions", async () => {
    windows.sessions.push(
      { ...aSong, cover: aPicture },
      { ...aSong, app: "AIMP", cover: aPicture },
    );
    const reader = await startReader();
    await reader.read();
    windows.sessions[0]!.title = "Before";
    await reader.read();
    const made = functionsMade();
    for (let round = 0; round < 1_000; round += 1) {
      windows.sessions[0]!.title = `Song ${round}`;
      await reader.read();
    }
    expect(functionsMade()).toBe(made);
    reader.close();
    expect(windows.alive()).toEqual({ objects: 0, texts: 0 });
    expect(windows.wrongCalls).toEqual([]);
  });

  test.each([
    [0x80040154, "it needs Windows 10, version 1809, or later (0x80040154)"],
    [0x80070005, "Marquee has to run as the user who is signed in, not as a service (0x80070005)"],
    [0x80004005, "Windows answered 0x80004005 at Windows.Media.Control"],
  ])("explains the answer %d", async (result, words) => {
    windows.refuses.manager = result;
    const failure = await startReader().catch((error: unknown) => explain(error));
    expect(failure).toContain(words);
    expect(windows.alive()).toEqual({ objects: 0, texts: 0 });
  });

  test("fails as a whole when the list is refused", async () => {
    const reader = await startReader();
    windows.refuses.list = 0x800706ba;
    expect(await reader.read().catch(explain)).toContain("0x800706BA at GetSessions");
    reader.close();
    expect(windows.alive()).toEqual({ objects: 0, texts: 0 });
  });
});

describe("times of a session", () => {
  test("are unknown where none was ever told, or the end is not after the start", () => {
    const told = { start: 0n, end: ticks(1_000), position: 0n, updated: ticksAt(NOW_MS) };
    const none = { positionMs: null, ageMs: 0, durationMs: null };
    expect(timesOf({ ...told, updated: 0n }, NOW_MS)).toEqual(none);
    expect(timesOf({ ...told, end: 0n }, NOW_MS)).toEqual(none);
    expect(timesOf({ ...told, updated: ticksAt(NOW_MS - 25 * 3_600_000) }, NOW_MS)).toEqual(none);
  });

  test("stay within the track, whatever a player tells", () => {
    const number = fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n });
    fc.assert(
      fc.property(number, number, number, number, (start, end, position, updated) => {
        const { positionMs, ageMs, durationMs } = timesOf(
          { start, end, position, updated },
          NOW_MS,
        );
        if (positionMs === null || durationMs === null) return positionMs === durationMs;
        return positionMs >= 0 && positionMs <= durationMs && ageMs >= 0 && ageMs <= durationMs;
      }),
    );
  });
});

describe("the places of methods", () => {
  /** Commands to a player lie at 10 to 24 of a session's table. */
  test("of a session are none of a command", () => {
    for (const slot of Object.values(INTERFACES.session.slots)) {
      expect(slot).toBeLessThan(10);
    }
  });

  /** From Microsoft's metadata, in the order in which the methods are declared there. */
  const DECLARED: Readonly<Record<string, readonly (string | undefined)[]>> = {
    managerStatics: ["requestAsync"],
    manager: ["getCurrentSession", "getSessions"],
    session: [
      "sourceAppUserModelId",
      "tryGetMediaPropertiesAsync",
      "getTimelineProperties",
      "getPlaybackInfo",
    ],
    mediaProperties: [
      "title",
      "subtitle",
      "albumArtist",
      "artist",
      "albumTitle",
      "trackNumber",
      "genres",
      "albumTrackCount",
      "playbackType",
      "thumbnail",
    ],
    playbackInfo: [
      "controls",
      "playbackStatus",
      "playbackType",
      "autoRepeatMode",
      "playbackRate",
      "isShuffleActive",
    ],
    timeline: ["startTime", "endTime", "minSeekTime", "maxSeekTime", "position", "lastUpdatedTime"],
    asyncInfo: ["id", "status", "errorCode", "cancel", "close"],
    streamReference: ["openReadAsync"],
    randomAccessStream: ["size"],
    inputStream: ["readAsync"],
    contentTypeProvider: ["contentType"],
    bufferFactory: ["create"],
    buffer: ["capacity", "length"],
    closable: ["close"],
  };
  for (const [name, { slots }] of Object.entries(INTERFACES)) {
    if (name === "bufferByteAccess") continue;
    test(`are those of ${name}`, () => {
      for (const [method, slot] of Object.entries(slots)) {
        expect(DECLARED[name]?.[slot - 6]).toBe(method);
      }
    });
  }
});
