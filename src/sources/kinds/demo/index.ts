import type { Clock } from "../../../clock.ts";
import type { DemoSong } from "../../../../widget/options.ts";
import { type Artwork, isGoingOn, type Playback } from "../../../playback.ts";
import { type DemoTrack, playlist, songs } from "./playlist.ts";
import { defineSource, type WatchContext } from "../../source.ts";

/** A built-in playlist that never ends, so that everything can be tried without an account. */
export const demo = defineSource({
  id: "demo",
  name: "Demo",
  delivery: "streamed",
  facts: {
    runs: "here",
    reports: ["position", "pause", "cover", "volume"],
    calls: [],
  },
  options: {},
  parseSettings: () => null,
  account: () => ({ displayName: "Marquee Demo" }),
  async *watch(_: null, { clock, signal }) {
    while (!signal.aborted) {
      const moment = demoAt(sinceBegun(clock));
      yield playbackAt(moment, clock);
      await clock.sleep(moment.changesInMs, signal);
    }
  },
});

/** One song of the demo, again and again. */
export async function* watchDemoSong(
  song: DemoSong,
  { clock, signal }: Pick<WatchContext, "clock" | "signal">,
): AsyncGenerator<Playback> {
  const track = songs[song];
  // Begun some time ago, so that its bar is to be seen.
  let positionMs = Math.round(track.durationMs / 3);
  while (!signal.aborted) {
    yield toPlayback({ track, state: "playing", positionMs }, clock);
    await clock.sleep(track.durationMs - positionMs, signal);
    positionMs = 0;
  }
}

/** When the playlist was first watched, by each clock: whoever tries Marquee sees its first song. */
const begun = new WeakMap<Clock, number>();

function sinceBegun(clock: Clock): number {
  const nowMs = clock.monotonicMs();
  const beganAtMs = begun.get(clock) ?? nowMs;
  begun.set(clock, beganAtMs);
  return nowMs - beganAtMs;
}

interface DemoMoment {
  readonly track: DemoTrack;
  readonly state: Playback["state"];
  readonly positionMs: number;
  /** Milliseconds until the next track, pause or end of a pause. */
  readonly changesInMs: number;
}

interface Stretch {
  readonly track: DemoTrack;
  readonly state: Playback["state"];
  readonly startMs: number;
  readonly lengthMs: number;
}

/** The playlist, divided at each change: a track with a pause is three stretches. */
const stretches: readonly Stretch[] = playlist.flatMap((track): Stretch[] => {
  const { pause, durationMs } = track;
  if (!pause) return [{ track, state: "playing", startMs: 0, lengthMs: durationMs }];
  return [
    { track, state: "playing", startMs: 0, lengthMs: pause.atMs },
    { track, state: "paused", startMs: pause.atMs, lengthMs: pause.lengthMs },
    { track, state: "playing", startMs: pause.atMs, lengthMs: durationMs - pause.atMs },
  ];
});

const roundMs = stretches.reduce((sum, stretch) => sum + stretch.lengthMs, 0);

/** What the demo plays so many milliseconds after its beginning: the same for all users. */
export function demoAt(elapsedMs: number): DemoMoment {
  let rest = elapsedMs % roundMs;
  for (const { track, state, startMs, lengthMs } of stretches) {
    if (rest < lengthMs) {
      const positionMs = state === "playing" ? startMs + rest : startMs;
      return { track, state, positionMs, changesInMs: lengthMs - rest };
    }
    rest -= lengthMs;
  }
  throw new RangeError(`the demo has nothing at ${elapsedMs}`);
}

/** What was last observed by each clock. */
const lastPlaybacks = new WeakMap<Clock, Playback>();

/** The same object for all who watch, so that what is made of it is made once for all of them. */
function playbackAt(moment: DemoMoment, clock: Clock): Playback {
  const last = lastPlaybacks.get(clock);
  const observed = toPlayback(moment, clock);
  if (last && isGoingOn(last, observed)) return last;
  lastPlaybacks.set(clock, observed);
  return observed;
}

function toPlayback(
  { track, state, positionMs }: Pick<DemoMoment, "track" | "state" | "positionMs">,
  clock: Clock,
): Playback {
  return {
    source: demo.name,
    state,
    track: {
      id: `demo:${track.id}`,
      title: track.title,
      durationMs: track.durationMs,
      explicit: false,
    },
    artists: track.artists,
    album: {
      name: track.album,
      artworks: artworksOf(track),
    },
    device: { name: "Demo player", type: "demo", volumePercent: 65 },
    positionMs,
    observedAtMs: clock.monotonicMs(),
    rate: 1,
  };
}

function artworksOf({ id, cover }: DemoTrack): readonly Artwork[] {
  if (cover === undefined) return [];
  return [{ key: `demo:${id}`, load: () => Bun.file(cover).bytes() }];
}
