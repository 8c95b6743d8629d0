import { afterAll, beforeAll, describe, expect } from "bun:test";
import { systemClock } from "../../../src/clock.ts";
import { createVlc } from "../../../src/sources/vlc.ts";
import { positionAt } from "../../../src/playback.ts";
import { silentFlac } from "../../fixtures/mpd/flac.ts";
import {
  createVlcPlayer,
  type VlcPlayer,
  vlcIsInstalled,
} from "../../fixtures/players/vlc-player.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { patternPicture } from "../../fixtures/sources/pictures.ts";
import { failureOf, listenTo, polledDeps } from "../../fixtures/sources/polled.ts";

const test = testWith("vlc", vlcIsInstalled);
const source = createVlc(polledDeps(systemClock));

describe("a real VLC", () => {
  let player: VlcPlayer;
  let cover: Uint8Array;

  beforeAll(async () => {
    if (!vlcIsInstalled) return;
    cover = await patternPicture("png", 300);
    player = await createVlcPlayer({
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
    });
  });
  afterAll(() => player?.stop());
  const settings = () => ({ url: player.url, password: player.password });

  test("is heard with title, artist, album, length, position and cover", async () => {
    const listener = listenTo(source, settings(), systemClock);
    const heard = await listener.nextThat((playback) => playback?.album.artworks.length === 1);
    expect(heard).toMatchObject({
      source: "VLC",
      state: "playing",
      track: { title: "Paper Lanterns", explicit: false },
      artists: ["Juniper Vale"],
      album: { name: "Slow Weather" },
      rate: 1,
    });
    expect(heard?.track.durationMs).toBeWithin(180_000, 182_000);
    expect(heard?.positionUnknown).toBeUndefined();
    expect(await heard?.album.artworks[0]?.load()).toEqual(cover);
    expect(heard?.album.artworks[0]?.url).toBeUndefined();
    await listener.stop();
  });

  test("is heard over pause, seek and the next file to the stop, within 1.2 seconds each", async () => {
    const listener = listenTo(source, settings(), systemClock);
    const delayUntil = async (
      command: string,
      matches: Parameters<typeof listener.nextThat>[0],
    ) => {
      await player.command(command);
      const sentAtMs = systemClock.monotonicMs();
      await listener.nextThat(matches);
      return systemClock.monotonicMs() - sentAtMs;
    };
    await listener.next();
    const delaysMs = [
      await delayUntil("pl_pause", (playback) => playback?.state === "paused"),
      await delayUntil("pl_pause", (playback) => playback?.state === "playing"),
      await delayUntil("seek&val=100", (playback) => (playback?.positionMs ?? 0) >= 100_000),
      await delayUntil("pl_next", (playback) => playback?.track.title === "bare name"),
      await delayUntil("pl_stop", (playback) => playback === null),
      await delayUntil("pl_play", (playback) => playback?.state === "playing"),
    ];
    expect(Math.max(...delaysMs)).toBeLessThan(1_200);
    await listener.stop();
  });

  test("tells a position that runs on evenly from one answer to the next", async () => {
    await player.command("pl_play");
    const listener = listenTo(source, settings(), systemClock);
    const first = await listener.nextThat((playback) => (playback?.positionMs ?? 0) > 0);
    for (let answers = 0; answers < 3; answers++) {
      const next = await listener.next();
      if (!first || !next) throw new Error("it plays");
      const driftMs = next.positionMs - positionAt(first, next.observedAtMs);
      expect(Math.abs(driftMs)).toBeLessThan(1_000);
    }
    await listener.stop();
  });

  test("that refuses the password has to be connected again", async () => {
    const failure = await failureOf(source, { ...settings(), password: "guessed" }, systemClock);
    expect(failure).toMatchObject({ meaning: { kind: "unauthorized" } });
    expect(String(failure)).not.toContain("guessed");
  });
});
