import type { Playback } from "../playback.ts";
import { withMeanings } from "./answer-failure.ts";
import { type Delayed, delayed } from "./delay.ts";
import { newPollState, steadyPace } from "./polling/cadence.ts";
import { poll } from "./polling/poller.ts";
import {
  defineSource,
  type OptionValues,
  type Source,
  type SourceDefinition,
  type SourceOptions,
  type WatchContext,
} from "./source.ts";
import { firstSeen, type Track } from "./track.ts";

/** What the sources have in common that look into files of this machine, once a second while they are watched. */

const LOOK_EVERY_MS = 1_000;

type Looking<Options extends SourceOptions> = Omit<
  SourceDefinition<Options, OptionValues<Options>>,
  "delivery" | "facts" | "pollsEveryMs" | "ownerOnly" | "parseSettings" | "account" | "watch"
> & {
  /** Begins to look; what is called then looks once. @throws {SourceFailure} */
  begin(settings: OptionValues<Options>, context: WatchContext): () => Promise<Playback | null>;
};

export const defineLocalSource = <Options extends SourceOptions>({
  begin,
  ...definition
}: Looking<Options>): Source =>
  defineSource<Options, OptionValues<Options>>({
    ...definition,
    delivery: "polled",
    facts: { runs: "computer", delayMs: LOOK_EVERY_MS, calls: [] },
    pollsEveryMs: LOOK_EVERY_MS,
    ownerOnly: true,
    watch: (settings, context) =>
      delayed(
        (signal) =>
          withMeanings(definition.name, signal, () => {
            const { clock, demand } = context;
            const pace = steadyPace(LOOK_EVERY_MS);
            const memory = { state: newPollState(clock.monotonicMs()) };
            const ask = begin(settings, { ...context, signal });
            return poll({ clock, demand, signal, pace: () => pace, memory, ask });
          }),
        settings as unknown as Delayed,
        context,
      ),
  });

/** How long after its end a song is shown of which nobody says that it has ended. */
const AFTER_END_MS = 15_000;
/** A song of unknown length is shown for so long. */
const UNKNOWN_LENGTH_MS = 600_000;

/** A song that a program has written down when it began. */
export interface LoggedSong {
  /** Names this play of it. */
  readonly id: string;
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** The name of its file, for a song without a title. */
  readonly fileName: string;
  readonly startedAtMs: number;
  readonly durationMs: number | null;
}

/** What is played of a song that was written down; `null` after its end. */
export function playbackOf(
  source: { readonly id: string; readonly name: string },
  song: LoggedSong,
  { clock }: Pick<WatchContext, "clock">,
): Playback | null {
  const ageMs = Math.max(0, clock.wallMs() - song.startedAtMs);
  const endsMs = song.durationMs === null ? UNKNOWN_LENGTH_MS : song.durationMs + AFTER_END_MS;
  if (!(ageMs < endsMs)) return null;
  const track: Track = {
    source: source.name,
    track: {
      id: `${source.id} ${song.id}`,
      title: song.title || song.fileName,
      durationMs: song.durationMs,
      explicit: false,
    },
    artists: song.artist === "" ? [] : [song.artist],
    namesFrom: { origin: song.title === "" ? "file" : "tag" },
    album: { name: song.album, artworks: [] },
    device: { name: source.name, type: source.id, volumePercent: null },
  };
  return firstSeen(track, clock.monotonicMs() - ageMs);
}
