import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { systemClock } from "../../../src/clock.ts";
import { type Playback, positionAt } from "../../../src/playback.ts";
import { createWindows } from "../../../src/sources/kinds/media-session/index.ts";
import {
  isBrowser,
  isFollowed,
  nameOf,
  readSession,
} from "../../../src/sources/kinds/media-session/player.ts";
import type { MediaSession } from "../../../src/sources/kinds/media-session/reader-lines.ts";
import type {
  ReaderProcess,
  ReaderState,
} from "../../../src/sources/kinds/media-session/reader-process.ts";
import { oneReader } from "../../../src/sources/kinds/media-session/readers.ts";
import { SourceFailure } from "../../../src/sources/source.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { aSession, lineOf, readerThat } from "../../fixtures/media-session/sessions.ts";
import { watchContext } from "../../fixtures/sources/watch-context.ts";

const source = { id: "windows", name: "Windows" };
const read = (session: Partial<MediaSession>, before: Playback | null = null) =>
  readSession({ ...aSession, ...session }, { source, observedAtMs: 100_000, before, cover: null });

describe("a media session", () => {
  test("is where its stamp says, and the time since", () => {
    const playback = read({ positionMs: 12_000, ageMs: 4_000 });
    expect(playback).toMatchObject({
      source: "Windows",
      state: "playing",
      track: { title: "Paper Lanterns", durationMs: 200_000 },
      artists: ["Juniper Vale"],
      album: { name: "Slow Weather" },
      device: { name: "Spotify", type: "windows", volumePercent: null },
    });
    expect(playback && positionAt(playback, 100_000)).toBe(16_000);
  });

  test("stands still while it is paused, however old the stamp is", () => {
    const playback = read({ state: "paused", positionMs: 12_000, ageMs: 4_000 });
    expect(playback && positionAt(playback, 170_000)).toBe(12_000);
  });

  test("without times counts from the first sight", () => {
    const playback = read({ positionMs: null, ageMs: 0, durationMs: null });
    expect(playback).toMatchObject({
      positionMs: 0,
      positionUnknown: true,
      observedAtMs: 100_000,
      track: { durationMs: null },
    });
  });

  test.each([0, 12_000])(
    "counts from the first sight with a stamp of %d ms and a track's age",
    (at) => {
      // The oldest that the reader of Windows reports.
      const playback = read({ positionMs: at, ageMs: 200_000 });
      expect(playback).toMatchObject({
        positionMs: 0,
        positionUnknown: true,
        observedAtMs: 100_000,
      });
    },
  );

  test("names the album's artist where the track has none", () => {
    expect(read({ artist: "", albumArtist: "Various" })?.artists).toEqual(["Various"]);
    expect(read({ artist: "", albumArtist: "" })?.artists).toEqual([]);
  });

  test("is nothing while it is closed or names no title", () => {
    expect(read({ state: "other" })).toBeNull();
    expect(read({ title: "" })).toBeNull();
  });

  test("has the same id for the same track only", () => {
    const id = (session: Partial<MediaSession>) => read(session)?.track.id;
    expect(id({ positionMs: 90_000 })).toBe(id({}));
    for (const other of [{ title: "B" }, { artist: "B" }, { album: "B" }, { trackNumber: 4 }]) {
      expect(id(other)).not.toBe(id({}));
    }
  });

  test("never leaves its track, whatever times it tells", () => {
    const ms = fc.integer({ min: 0, max: 400_000 });
    fc.assert(
      fc.property(ms, ms, ms, fc.double(), (positionMs, ageMs, laterMs, rate) => {
        const playback = read({ positionMs, ageMs, rate });
        const position = playback ? positionAt(playback, 100_000 + laterMs) : -1;
        return position >= 0 && position <= 200_000;
      }),
    );
  });
});

describe("a player's name", () => {
  test.each([
    ["Spotify.exe", "Spotify"],
    ["SpotifyAB.SpotifyMusic_zpdnekdrzrea0!Spotify", "Spotify"],
    ["308046B0AF4A39CB", "Firefox"],
    ["firefox.exe", "Firefox"],
    ["MSEdge", "Microsoft Edge"],
    ["chromium.XEDFQVZNGK5Z2JMYMNOFYNUWOA", "Chromium"],
    ["foobar2000.exe", "foobar2000"],
    ["AppleInc.AppleMusicWin_nzyj5cx40ttqa!App", "Apple Music"],
    ["Microsoft.ZuneMusic_8wekyb3d8bbwe!Microsoft.ZuneMusic", "Media Player"],
    ["AIMP", "AIMP"],
    ["!", "!"],
  ])("of %s is %s", (app, name) => {
    expect(nameOf({ app, name: "" })).toBe(name);
  });

  test("is the system's own where it has one", () => {
    expect(nameOf({ app: "com.apple.Music", name: "Music" })).toBe("Music");
  });
});

describe("a connection", () => {
  test("without a player's name follows music, but no browser", () => {
    expect(isFollowed(aSession, "")).toBe(true);
    for (const app of ["MSEdge", "chrome.exe", "308046B0AF4A39CB", "com.apple.Safari"]) {
      expect(isBrowser({ app })).toBe(true);
      expect(isFollowed({ ...aSession, app }, "")).toBe(false);
    }
    expect(isFollowed({ ...aSession, app: "Brave._crx_ab12" }, "")).toBe(true);
    expect(isFollowed({ ...aSession, media: "video" }, "")).toBe(false);
    expect(isFollowed({ ...aSession, media: "image" }, "")).toBe(false);
    expect(isFollowed({ ...aSession, media: "unknown" }, "")).toBe(true);
  });

  test("with a player's name follows every kind of installation of it, and nothing else", () => {
    for (const app of ["Spotify.exe", "SpotifyAB.SpotifyMusic_zpdnekdrzrea0!Spotify"]) {
      expect(isFollowed({ ...aSession, app }, "spotify")).toBe(true);
      expect(isFollowed({ ...aSession, app }, "AIMP")).toBe(false);
    }
    expect(isFollowed({ ...aSession, app: "308046B0AF4A39CB", media: "video" }, "firefox")).toBe(
      true,
    );
  });
});

describe("the source Windows", () => {
  let stop: AbortController;
  beforeEach(() => {
    stop = new AbortController();
  });
  afterEach(() => stop.abort());

  /** A reader that reports what the test says. */
  function aReader() {
    let state: ReaderState = { kind: "starting", crashes: 0 };
    const users = new Set<() => void>();
    const covers = new Map<string, Uint8Array>();
    const reader: ReaderProcess = {
      state: () => state,
      coverOf: ({ cover }) => (cover === null ? undefined : covers.get(cover)),
      use(onChange) {
        users.add(onChange);
        return () => void users.delete(onChange);
      },
    };
    return {
      source: createWindows({ reader: async () => reader }),
      covers,
      users,
      becomes(next: ReaderState) {
        state = next;
        for (const onChange of users) onChange();
      },
    };
  }
  const sessions = (...all: MediaSession[]): ReaderState => ({
    kind: "sessions",
    sessions: all,
    observedAtMs: 1_000,
  });

  const watch = ({ source: one }: ReturnType<typeof aReader>, settings = {}) => {
    const iterator = one
      .open(settings)
      .watch(watchContext({ signal: stop.signal, clock: systemClock }))
      [Symbol.asyncIterator]();
    return async () => (await iterator.next()).value as Playback | null | undefined;
  };

  test("shows the player that plays, and stays with it", async () => {
    const reader = aReader();
    const next = watch(reader);
    const harp = { ...aSession, app: "AIMP", title: "Harp Song" };
    reader.becomes(sessions({ ...aSession, state: "paused" }, harp));
    expect((await next())?.track.title).toBe("Harp Song");
    const waiting = next();
    reader.becomes(sessions(aSession, harp));
    expect((await waiting)?.track.title).toBe("Harp Song");
    const later = next();
    reader.becomes(sessions(aSession));
    expect((await later)?.track.title).toBe("Paper Lanterns");
    const last = next();
    reader.becomes(sessions());
    expect(await last).toBeNull();
  });

  test("shows what plays of a player that has several sessions", async () => {
    const reader = aReader();
    const next = watch(reader);
    reader.becomes(sessions(aSession, { ...aSession, state: "paused", title: "Harp Song" }));
    expect(await next()).toMatchObject({ state: "playing", track: { title: "Paper Lanterns" } });
  });

  test("shows the session's cover, the same one as long as it is the same", async () => {
    const reader = aReader();
    const next = watch(reader);
    reader.covers.set("abc", Buffer.from("a picture"));
    reader.becomes(sessions({ ...aSession, cover: "abc" }));
    const first = await next();
    expect(first?.album.artworks).toHaveLength(1);
    expect(await first?.album.artworks[0]?.load()).toEqual(Buffer.from("a picture"));
    const waiting = next();
    reader.becomes(sessions({ ...aSession, cover: "abc", positionMs: 1 }));
    expect((await waiting)?.album.artworks[0]).toBe(first!.album.artworks[0]!);
  });

  test("keeps no cover of a program that has ended", async () => {
    const reader = aReader();
    const next = watch(reader);
    const shown = { ...aSession, cover: "abc" };
    reader.covers.set("abc", Buffer.from("a picture"));
    reader.becomes(sessions(shown));
    const [before] = (await next())?.album.artworks ?? [];
    for (const state of [sessions(), sessions(shown)]) {
      const waiting = next();
      reader.becomes(state);
      const [artwork] = (await waiting)?.album.artworks ?? [];
      expect(artwork).not.toBe(before);
    }
  });

  test("fails with the reason when the sessions cannot be read, and ends its use", async () => {
    const reader = aReader();
    const next = watch(reader);
    reader.becomes({ kind: "unavailable", reason: "it crashed" });
    const failure = await next().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SourceFailure);
    expect(String(failure)).toContain("Windows: it crashed");
    expect(reader.users.size).toBe(0);
  });

  test("ends its use of the reader when it is told to", async () => {
    const reader = aReader();
    const next = watch(reader);
    reader.becomes(sessions(aSession));
    await next();
    expect(reader.users.size).toBe(1);
    const rest = next();
    stop.abort();
    expect(await rest).toBeUndefined();
    expect(reader.users.size).toBe(0);
  });

  test("starts one process for all its connections", async () => {
    const reader = oneReader(systemClock, async () => readerThat(lineOf(aSession)));
    const windows = createWindows({ reader });
    const received: string[] = [];
    const watching = [{}, { player: "spotify" }].map(async (settings) => {
      const context = watchContext({ signal: stop.signal, clock: systemClock });
      for await (const playback of windows.open(settings).watch(context)) {
        received.push(playback?.track.title ?? "nothing");
      }
    });
    await until(() => (received.length === 2 ? true : undefined));
    expect(received).toEqual(["Paper Lanterns", "Paper Lanterns"]);
    expect(await reader()).toBe(await reader());
    stop.abort();
    await Promise.all(watching);
  });
});
