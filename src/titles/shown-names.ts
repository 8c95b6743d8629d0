import { oncePerObject } from "../once.ts";
import { artistNames, type Names, type NamesFrom, type Playback } from "../playback.ts";
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

/**
 * What each rules have made of playbacks. Others ask for the same again and again, and it has to stay
 * the same object. Many users share rules, and some share a playback.
 */
const renamedBy = oncePerObject(({ phrases }: TitleRules) =>
  oncePerObject((playback: Playback) => renamed(playback, phrases)),
);

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
  return isOn ? renamedBy(rules)(playback) : playback;
}

/**
 * Names as cleaned titles show them.
 * @param namesFrom where they come from, if not from a catalogue
 */
export function cleaned(
  given: Names,
  namesFrom: NamesFrom | undefined,
  phrases: readonly Phrase[],
): Names {
  const { title, artists } =
    namesFrom?.origin === "upload"
      ? tidy({ title: namesFrom.text, artists: [] }, "upload", phrases)
      : tidy(given, namesFrom?.origin ?? "catalogue", phrases);
  // A station's name stands for an artist that its stream does not name.
  return { title, artists: artists.length > 0 ? artists : given.artists };
}

function renamed(playback: Playback, phrases: readonly Phrase[]): Playback {
  const { track } = playback;
  const given: Names = { title: track.title, artists: playback.artists };
  const { title, artists } = cleaned(given, playback.namesFrom, phrases);
  const isSame = title === track.title && artistNames({ artists }) === artistNames(playback);
  return isSame ? playback : { ...playback, track: { ...track, title }, artists, given };
}
