import { describe, expect, test as plainTest } from "bun:test";
import { systemClock } from "../../../src/clock.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { createVlc } from "../../../src/sources/kinds/vlc/index.ts";
import { positionAt } from "../../../src/playback.ts";
import { silentFlac } from "../../fixtures/mpd/flac.ts";
import { sharedVlc } from "../../fixtures/players/shared-vlc.ts";
import { vlcIsInstalled } from "../../fixtures/players/vlc-player.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { patternPicture } from "../../fixtures/sources/pictures.ts";
import { firstOf, listenTo, polledDeps } from "../../fixtures/sources/polled.ts";
import { boundPlayback } from "../../../src/channels/bounds.ts";
import { aPlayback } from "../../fixtures/sources/playback.ts";

const test = testWith("vlc", vlcIsInstalled);
const source = createVlc(polledDeps(systemClock));

describe("a real VLC", () => {
  let cover: Uint8Array;
  const player = sharedVlc(async () => {
    cover = await patternPicture("png", 300);
    return {
      "one.flac": silentFlac({
        seconds: 180,
        cover,
        tags: [
          ["TITLE", "Paper Lanterns"],
          ["ARTIST", "Juniper Vale"],
          ["ALBUM", "Slow Weather"],
        ],
      }),
      "bare name.flac": silentFlac({ seconds: 90 }),
    };
  });
  const settings = () => ({ url: player().url, password: player().password });

  test("is followed with title, artist, album, length, position and cover", async () => {
    const listener = listenTo(source, settings(), systemClock);
    const received = await listener.nextThat((playback) => playback?.album.artworks.length === 1);
    expect(received).toMatchObject({
      source: "VLC",
      state: "playing",
      track: { title: "Paper Lanterns", explicit: false },
      artists: ["Juniper Vale"],
      album: { name: "Slow Weather" },
      rate: 1,
    });
    expect(received?.track.durationMs).toBeWithin(180_000, 182_000);
    expect(received?.positionUnknown).toBeUndefined();
    expect(await received?.album.artworks[0]?.load()).toEqual(cover);
    expect(received?.album.artworks[0]?.url).toBeUndefined();
    await listener.stop();
  });

  test("is followed over pause, seek and the next file to the stop", async () => {
    const listener = listenTo(source, settings(), systemClock);
    const after = async (command: string, matches: Parameters<typeof listener.nextThat>[0]) => {
      await player().command(command);
      await listener.nextThat(matches);
    };
    await listener.next();
    await after("pause", (playback) => playback?.state === "paused");
    await after("pause", (playback) => playback?.state === "playing");
    await after("seek 100", (playback) => (playback?.positionMs ?? 0) >= 100_000);
    await after("next", (playback) => playback?.track.title === "bare name");
    await after("stop", (playback) => playback === null);
    await after("play", (playback) => playback?.state === "playing");
    await listener.stop();
  });

  test("tells a position that runs on evenly from one answer to the next", async () => {
    await player().command("play");
    // An answer tells the position of some moment since the question.
    let slowestMs = 0;
    const timed = createVlc(
      polledDeps(systemClock, async (url, init) => {
        const askedAtMs = systemClock.monotonicMs();
        const answer = await fetch(url, init);
        slowestMs = Math.max(slowestMs, systemClock.monotonicMs() - askedAtMs);
        return answer;
      }),
    );
    const listener = listenTo(timed, settings(), systemClock);
    const first = await listener.nextThat((playback) => (playback?.positionMs ?? 0) > 0);
    for (let answers = 0; answers < 3; answers++) {
      const next = await listener.next();
      if (!first || !next) throw new Error("it plays");
      const driftMs = next.positionMs - positionAt(first, next.observedAtMs);
      expect(Math.abs(driftMs)).toBeLessThan(1_000 + slowestMs);
    }
    await listener.stop();
  });
});

describe("VLC's status", () => {
  const clock = createFakeClock();
  const reading = (status: object, meta: object = {}) =>
    firstOf(
      createVlc(
        polledDeps(clock, async () =>
          Response.json({ state: "playing", information: { category: { meta } }, ...status }),
        ),
      ),
      { url: "http://vlc.test:8080" },
      clock,
    );

  plainTest("of a radio stream tells the track on the air, and the station as artist", async () => {
    const meta = { filename: "live", title: "Radio Lantern", now_playing: "Paper Lanterns" };
    expect(await reading({ length: -1, time: 75, position: 0 }, meta)).toMatchObject({
      track: { title: "Paper Lanterns", durationMs: null },
      artists: ["Radio Lantern"],
      album: { name: "Radio Lantern", artworks: [] },
      positionMs: 75_000,
    });
  });

  plainTest("names a stream by the path of its address alone", async () => {
    for (const filename of ["stream?u=ada&t=SECRET", "stream?SECRET", "stream.mp3?SECRET"]) {
      const received = await reading({ length: -1 }, { filename });
      expect(received?.track.title).toBe("stream");
      expect(boundPlayback(received ?? aPlayback())?.track.id).not.toContain("SECRET");
    }
  });

  plainTest("tells another track when the title on the air changes", async () => {
    const ids = await Promise.all(
      ["One", "Two"].map(async (now_playing) => (await reading({}, { now_playing }))?.track.id),
    );
    expect(new Set(ids).size).toBe(2);
  });

  plainTest(
    "tells a position that is finer than VLC's seconds, and within the length",
    async () => {
      const within = await reading({ length: 100, time: 42, position: 0.4265 });
      expect(within?.positionMs).toBeCloseTo(42_650);
      expect((await reading({ length: 100, time: 42, position: 0.9 }))?.positionMs).toBe(42_999);
      expect((await reading({ length: 100, time: 100, position: 1 }))?.positionMs).toBe(100_000);
    },
  );

  plainTest.each([
    { volume: 0, percent: 0 },
    { volume: 128, percent: 50 },
    { volume: 320, percent: 100 },
    { volume: -256, percent: null },
    { volume: "loud", percent: null },
  ])("reads the volume $volume", async ({ volume, percent }) => {
    expect((await reading({ volume }))?.device.volumePercent).toBe(percent);
  });

  plainTest("that names nothing plays nothing", async () => {
    const named = await reading({}, { filename: "a.mp3" });
    expect(named && boundPlayback(named)).toMatchObject({ track: { title: "a" } });
    const unnamed = await reading({ information: [] });
    expect(unnamed && boundPlayback(unnamed)).toBeNull();
    expect(await reading({ state: "stopped" })).toBeNull();
  });
});
