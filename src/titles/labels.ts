import { replaceBrackets } from "./brackets.ts";
import { folded, orElse } from "./text.ts";
import {
  areNoise,
  areRemasterLabel,
  isNoiseWord,
  isRecording,
  isStrong,
  wordsOf,
} from "./vocabulary.ts";

/** What goes from every title, given by a catalogue or by somebody who uploaded a file. */

/** Brackets about the upload, remasters' labels and guests who are named anyway. */
export function withoutLabels(title: string, artists: readonly string[]): string {
  let before = title;
  // What one step takes away may leave something for another. Each changes the text only once.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const noiseless = replaceBrackets(before, withoutNoise);
    const credited = replaceBrackets(withoutRemasterPart(noiseless), (inside) =>
      guestsIn(inside, artists),
    );
    if (credited === before) return before;
    before = credited;
  }
  return before;
}

const MOST_ROUNDS = 8;

/** What stays of a bracket: all of it, the one word about the recording, or nothing. */
function withoutNoise(inside: string): string | null {
  const words = wordsOf(inside);
  if (areNoise(words) || areRemasterLabel(words)) return null;
  const beside = withoutRemasterBeside(inside);
  if (beside !== inside) return beside;
  const [recording, ...others] = words.filter(isRecording);
  const isOnlyThat =
    recording !== undefined &&
    others.length === 0 &&
    words.some(isStrong) &&
    words.every((word) => word === recording || isNoiseWord(word));
  if (!isOnlyThat) return inside;
  const at = inside.toLowerCase().indexOf(recording);
  return inside.slice(at, at + recording.length);
}

/** `Undertow - 2011 Remaster` without its last part. */
function withoutRemasterPart(title: string): string {
  const at = title.lastIndexOf(" - ");
  if (at === -1) return title;
  const [start, last] = [title.slice(0, at), title.slice(at + 3)];
  if (areRemasterLabel(wordsOf(last))) return orElse(start.trim(), title);
  return `${start} - ${withoutRemasterBeside(last)}`;
}

/** `Live / Remastered 2009` without the label. */
function withoutRemasterBeside(text: string): string {
  const parts = text.split(" / ");
  const others = parts.filter((part) => !areRemasterLabel(wordsOf(part)));
  return others.length === 0 || others.length === parts.length ? text : others.join(" / ");
}

const GUEST_WORDS = ["featuring ", "feat. ", "feat ", "ft. ", "ft "] as const;

/** The guests of a bracket, written in one way; `null` when the artists name all of them. */
function guestsIn(inside: string, artists: readonly string[]): string | null {
  const lower = inside.toLowerCase();
  const word = GUEST_WORDS.find((one) => lower.startsWith(one));
  const isWith = lower.startsWith("with ");
  if (word === undefined && !isWith) return inside;
  const guests = inside.slice((word ?? "with ").length).trim();
  const named = new Set(artists.flatMap((artist) => [artist, ...namesIn(artist)]).map(folded));
  const wanted = namesIn(guests).map(folded);
  if (wanted.length > 0 && wanted.every((name) => named.has(name))) return null;
  return word === undefined ? inside : `feat. ${guests}`;
}

const namesIn = (text: string): string[] =>
  text.split(/, | & | and | x | feat\. |,/i).filter((name) => folded(name) !== "");
