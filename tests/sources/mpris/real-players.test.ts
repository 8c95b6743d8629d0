import { afterEach, beforeEach, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/clock.ts";
import { type Playback, positionAt } from "../../../src/playback.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { createTempFolder } from "../../fixtures/data/temp-folder.ts";
import { silentFlac } from "../../fixtures/mpd/flac.ts";
import { listenToBus, noteSignals } from "../../fixtures/mpris/listening.ts";
import { dbusIsInstalled } from "../../fixtures/mpris/session-bus.ts";
import { sharedBus } from "../../fixtures/mpris/shared-bus.ts";
import { createMpvPlayer, mpvIsInstalled } from "../../fixtures/players/mpv-player.ts";
import { createVlcPlayer, vlcIsInstalled } from "../../fixtures/players/vlc-player.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { patternPicture } from "../../fixtures/sources/pictures.ts";

const bus = sharedBus();
let stop: AbortController;
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
  expect(positionAt(playback, systemClock.monotonicMs())).toBeWithin(0, 60_000);
}

/**
 * Generous, as a busy machine is slow. A player whose signals were not heard would be read once in ten
 * seconds.
 */
const SIGNALLED_WITHIN_MS = 3_000;

interface Step {
  tell(): Promise<void>;
  /** A word of the signal that follows. */
  readonly signals: string;
  matches(now: Playback): boolean;
}

/** A pause, its end, a seek and the next file, in a player's own commands. */
function stepsOf<Command>(
  tell: (command: Command) => Promise<void>,
  { toggle, seek, next }: Record<"toggle" | "seek" | "next", Command>,
): Step[] {
  const step = (command: Command, signals: string, matches: Step["matches"]): Step => ({
    tell: () => tell(command),
    signals,
    matches,
  });
  return [
    step(toggle, "Paused", ({ state }) => state === "paused"),
    step(toggle, "Playing", ({ state }) => state === "playing"),
    step(seek, "Seeked", ({ positionMs }) => positionMs >= 30_000),
    step(next, "Paper Lanterns", isTitled("Paper Lanterns")),
  ];
}

/** The median time from a player's signal to our word, in milliseconds. */
async function delayOf(listening: ReturnType<typeof listenToBus>, steps: readonly Step[]) {
  const signals = await noteSignals(bus().address);
  const delays: number[] = [];
  for (const { tell, signals: word, matches } of steps) {
    const sentAtMs = systemClock.monotonicMs();
    await tell();
    const { observedAtMs } = await listening.next(
      (playback) => playback.observedAtMs > sentAtMs && matches(playback),
    );
    const signalledAtMs = await until(() => signals.firstSince(sentAtMs, word));
    delays.push(observedAtMs - signalledAtMs);
  }
  await signals.stop();
  return delays.toSorted((one, other) => one - other)[delays.length / 2] ?? Number.NaN;
}

testWith("mpv with mpv-mpris", mpvIsInstalled && dbusIsInstalled)(
  "mpv is followed with its tags and position, as soon as it signals",
  async () => {
    const mpv = await createMpvPlayer(files, bus().address);
    try {
      const listening = listenToBus(bus().address, stop.signal);
      await hearsTheFirstFile(listening, "mpv");
      const delayMs = await delayOf(
        listening,
        stepsOf((command) => mpv.command(command), {
          toggle: ["cycle", "pause"],
          seek: ["seek", 30, "absolute"],
          next: ["playlist-next"],
        }),
      );
      // Its signals come late: mpv-mpris collects what has changed, and tells it ten times a second.
      expect(delayMs).toBeLessThan(SIGNALLED_WITHIN_MS);
    } finally {
      await mpv.stop();
    }
  },
);

testWith("VLC with D-Bus", vlcIsInstalled && dbusIsInstalled)(
  "VLC is followed with its tags and position, as soon as it signals",
  async () => {
    const vlc = await createVlcPlayer(files, bus().address);
    try {
      const listening = listenToBus(bus().address, stop.signal, { player: "vlc" });
      await hearsTheFirstFile(listening, "VLC media player");
      const delayMs = await delayOf(
        listening,
        stepsOf((command) => vlc.command(command), {
          toggle: "pause",
          seek: "seek 30",
          next: "next",
        }),
      );
      expect(delayMs).toBeLessThan(SIGNALLED_WITHIN_MS);
    } finally {
      await vlc.stop();
    }
  },
);

const chromium = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => Bun.which(path));
testWith("Chromium", chromium !== undefined && dbusIsInstalled)(
  "a page in Chromium is followed with its cover",
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
      { env: bus().environment, stdout: "ignore", stderr: "ignore" },
    );
    try {
      const playback = await listenToBus(bus().address, stop.signal, { player: "chromium" }).next(
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
);
