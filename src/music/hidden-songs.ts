import { hidesTrack, type PrivacyRules } from "../accounts/privacy.ts";
import { createBoundedMap } from "../bounded-map.ts";
import type { KeptSong } from "./kept-song.ts";

/** Songs of all users whose verdict is remembered. */
const MOST_VERDICTS = 20_000;

interface Verdict {
  readonly rules: PrivacyRules;
  readonly isHidden: boolean;
}

/** Whether a stored song is hidden by rules. Its names are compared once for each change of the rules. */
export type HidesSong = (rules: PrivacyRules, id: number, song: KeptSong) => boolean;

/** Ids of songs are never reused, and rules that changed are another object. */
export function createHiddenSongs(): HidesSong {
  const verdicts = createBoundedMap<number, Verdict>(MOST_VERDICTS);
  return (rules, id, song) => {
    if (rules.hiddenTitles.length === 0 && rules.hiddenArtists.length === 0) return false;
    const known = verdicts.get(id);
    if (known?.rules === rules) return known.isHidden;
    const isHidden = hidesTrack(rules, song);
    verdicts.set(id, { rules, isHidden });
    return isHidden;
  };
}
