import { artistNames, type Names, type Playback } from "../playback.ts";
import type { Phrase } from "./phrases.ts";
import { tidy } from "./tidy.ts";

/** How a user wants titles to be shown. */
export interface TitleRules {
  /** Whether they are cleaned, unless a connection has its own choice. */
  readonly isOn: boolean;
  readonly phrases: readonly Phrase[];
  /** The choice of single connections, by their ids. */
  readonly ofConnections: ReadonlyMap<number, boolean>;
}

/** Titles as they are given. */
export const AS_GIVEN: TitleRules = { isOn: false, phrases: [], ofConnections: new Map() };

/** Titles are cleaned, and nothing else is chosen. */
export const CLEANED: TitleRules = { ...AS_GIVEN, isOn: true };

interface Shown {
  readonly rules: TitleRules;
  readonly playback: Playback;
}

/** Others ask for the same playback again and again, and it has to stay the same object. */
const known = new WeakMap<Playback, Shown>();

/**
 * A playback under the names that its user's rules want. Where they differ, it says what was given; its
 * id stays, so that a song neither ends nor begins when the rules change.
 * @param connectionId the one that reports it; `undefined` for the demo
 */
export function withShownNames(
  playback: Playback,
  connectionId: number | undefined,
  rules: TitleRules,
): Playback {
  const isOn = rules.ofConnections.get(connectionId ?? -1) ?? rules.isOn;
  if (!isOn) return playback;
  const before = known.get(playback);
  if (before?.rules === rules) return before.playback;
  const shown = { rules, playback: renamed(playback, rules.phrases) };
  known.set(playback, shown);
  return shown.playback;
}

/** Given names as rules show them that are on, where nothing is known of where they come from. */
export const namesShownAs = (given: Names, phrases: readonly Phrase[]): Names =>
  tidy(given, "catalogue", phrases);

function renamed(playback: Playback, phrases: readonly Phrase[]): Playback {
  const { track, artists, namesFrom } = playback;
  const given: Names = { title: track.title, artists };
  const { title, artists: found } =
    namesFrom?.origin === "upload"
      ? tidy({ title: namesFrom.text, artists: [] }, "upload", phrases)
      : tidy(given, namesFrom?.origin ?? "catalogue", phrases);
  // A station's name stands for an artist that its stream does not name.
  const named = found.length > 0 ? found : artists;
  const isSame = title === track.title && artistNames({ artists: named }) === artistNames(playback);
  return isSame ? playback : { ...playback, track: { ...track, title }, artists: named, given };
}
