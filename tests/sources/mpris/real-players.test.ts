import { afterAll, afterEach, beforeAll, beforeEach, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/clock.ts";
import { type Playback, positionAt } from "../../../src/playback.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { createTempFolder } from "../../fixtures/data/temp-folder.ts";
import { silentFlac } from "../../fixtures/mpd/flac.ts";
import { listenToBus, noteSignals } from "../../fixtures/mpris/listening.ts";
import {
  dbusIsInstalled,
  type SessionBus,
  startSessionBus,
} from "../../fixtures/mpris/session-bus.ts";
import { createMpvPlayer, mpvIsInstalled } from "../../fixtures/players/mpv-player.ts";
import { createVlcPlayer, vlcIsInstalled } from "../../fixtures/players/vlc-player.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { patternPicture } from "../../fixtures/sources/pictures.ts";

let bus: SessionBus;
let stop: AbortController;
beforeAll(async () => {
  if (dbusIsInstalled) bus = await startSessionBus();
});
afterAll(() => bus?.stop());
beforeEach(() => void (stop = new AbortController()));
afterEach(() => stop.abort());

const song = (title: string) =>
  silentFlac({
    seconds: 60,
    tags: [
      ["TITLE", title],
      ["ARTIST", "Juniper Vale"],
      ["ALBUM", "Slow Weather"],
    ],
  });
const files = { "1.flac": song("Glass Harbour"), "2.flac": song("Paper Lanterns") };
const isPaused = ({ state }: Playback) => state === "paused";
const isPlaying = ({ state }: Playback) => state === "playing";
const isTitled = (title: string) => (playback: Playback) => playback.track.title === title;

/** What is expected of a player that plays the first file. */
async function hearsTheFirstFile(
  { next }: Pick<ReturnType<typeof listenToBus>, "next">,
  player: string,
) {
  const playback = await next(isTitled("Glass Harbour"));
  expect(playback).toMatchObject({
    state: "playing",
    artists: ["Juniper Vale"],
    album: { name: "Slow Weather" },
    device: { name: player },
  });
  expect(playback.track.durationMs).toBeWithin(59_000, 61_000);
  expect(positionAt(playback, systemClock.monotonicMs())).toBeWithin(0, 20_000);
}

/** Plays on two files; the longest times from a player's signal, and from the command, to our word. */
async function delaysOf(
  listening: ReturnType<typeof listenToBus>,
  commands: readonly (readonly [tell: () => Promise<void>, matches: (now: Playback) => boolean])[],
) {
  const signals = await noteSignals(bus.address);
  const fromSignalMs: number[] = [];
  const fromCommandMs: number[] = [];
  for (const [tell, matches] of commands) {
    const sentAtMs = systemClock.monotonicMs();
    await tell();
    const { observedAtMs } = await listening.next(
      (playback) => playback.observedAtMs > sentAtMs && matches(playback),
    );
    fromCommandMs.push(observedAtMs - sentAtMs);
    const signalledAtMs = await until(() => signals.firstSince(sentAtMs));
    fromSignalMs.push(observedAtMs - signalledAtMs);
  }
  await signals.stop();
  return { fromSignalMs: Math.max(...fromSignalMs), fromCommandMs: Math.max(...fromCommandMs) };
}

testWith("mpv with mpv-mpris", mpvIsInstalled && dbusIsInstalled)(
  "mpv is heard with its tags and position, within 100 milliseconds of its signals",
  async () => {
    const mpv = await createMpvPlayer(files, bus.address);
    try {
      const listening = listenToBus(bus.address, stop.signal);
      await hearsTheFirstFile(listening, "mpv");
      const delays = await delaysOf(listening, [
        [() => mpv.command(["cycle", "pause"]), isPaused],
        [() => mpv.command(["cycle", "pause"]), isPlaying],
        [() => mpv.command(["seek", 30, "absolute"]), ({ positionMs }) => positionMs >= 30_000],
        [() => mpv.command(["playlist-next"]), isTitled("Paper Lanterns")],
      ]);
      // mpv-mpris collects what has changed and signals it ten times a second.
      expect(delays.fromSignalMs).toBeLessThan(100);
    } finally {
      await mpv.stop();
    }
  },
);

testWith("VLC with D-Bus", vlcIsInstalled && dbusIsInstalled)(
  "VLC is heard with its tags and position, within 100 milliseconds of its signals",
  async () => {
    const vlc = await createVlcPlayer(files, bus.address);
    try {
      const listening = listenToBus(bus.address, stop.signal, { player: "vlc" });
      await hearsTheFirstFile(listening, "VLC media player");
      const delays = await delaysOf(listening, [
        [() => vlc.command("pause"), isPaused],
        [() => vlc.command("pause"), isPlaying],
        [() => vlc.command("seek 30"), ({ positionMs }) => positionMs >= 30_000],
        [() => vlc.command("next"), isTitled("Paper Lanterns")],
      ]);
      expect(delays.fromSignalMs).toBeLessThan(100);
    } finally {
      await vlc.stop();
    }
  },
);

const chromium = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => Bun.which(path));
testWith("Chromium", chromium !== undefined && dbusIsInstalled)(
  "a page in Chromium is heard with its cover",
  async () => {
    const folder = createTempFolder();
    const picture = Buffer.from(await patternPicture("png", 64)).toString("base64");
    const song = Buffer.from(silentFlac({ seconds: 60 })).toString("base64");
    const page = `<audio src="data:audio/flac;base64,${song}"></audio><script>
      navigator.mediaSession.metadata = new MediaMetadata({ title: "Browser Song", artist: "Web Artist",
        artwork: [{ src: "data:image/png;base64,${picture}", sizes: "64x64", type: "image/png" }] });
      document.querySelector("audio").play();
    </script>`;
    writeFileSync(join(folder.path, "page.html"), page);
    const browser = Bun.spawn(
      [
        chromium ?? "",
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-sync",
        "--no-first-run",
        "--autoplay-policy=no-user-gesture-required",
        `--user-data-dir=${join(folder.path, "profile")}`,
        `file://${join(folder.path, "page.html")}`,
      ],
      { env: bus.environment, stdout: "ignore", stderr: "ignore" },
    );
    try {
      const playback = await listenToBus(bus.address, stop.signal, { player: "chromium" }).next(
        ({ track, album }) => track.title === "Browser Song" && album.artworks.length === 1,
      );
      expect(playback).toMatchObject({ state: "playing", artists: ["Web Artist"] });
      expect((await playback.album.artworks[0]?.load())?.length).toBeGreaterThan(50);
    } finally {
      browser.kill("SIGKILL");
      await browser.exited;
      folder.remove();
    }
  },
  40_000,
);
