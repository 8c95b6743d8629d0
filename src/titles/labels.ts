import { replaceBrackets } from "./brackets.ts";
import { isOtherFt } from "./guests.ts";
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
  const isNamed = namesOf(artists);
  // What one step takes away may leave something for another. Each changes the text only once.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const noiseless = replaceBrackets(before, withoutNoise);
    const credited = replaceBrackets(withoutRemasterPart(noiseless), (inside) =>
      guestsIn(inside, isNamed),
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
function guestsIn(inside: string, isNamed: (name: string) => boolean): string | null {
  const lower = inside.toLowerCase();
  const word = GUEST_WORDS.find((one) => lower.startsWith(one));
  const isWith = lower.startsWith("with ");
  if (word === undefined && !isWith) return inside;
  const guests = inside.slice((word ?? "with ").length).trim();
  if (word !== undefined && isOtherFt([], word.trim(), guests.toLowerCase().split(" ")))
    return inside;
  const wanted = namesIn(guests);
  if (wanted.length > 0 && wanted.every(isNamed)) return null;
  return word === undefined ? inside : `feat. ${guests}`;
}

/** Real songs need far fewer; folding is slow, and many bytes of names would hold up everybody. */
const MOST_CHARACTERS = 2_000;

/** Asks whether the artists name somebody. Their names are folded once, when first asked. */
function namesOf(artists: readonly string[]): (name: string) => boolean {
  let named: Set<string> | undefined;
  return (name) => {
    named ??= new Set(
      firstOf(artists).flatMap((artist) => [artist, ...namesIn(artist)].map(folded)),
    );
    return named.has(folded(name));
  };
}

/** The first artists, as long as their names together are not too long. */
function firstOf(artists: readonly string[]): readonly string[] {
  let characters = 0;
  const end = artists.findIndex((artist) => (characters += artist.length) > MOST_CHARACTERS);
  return end === -1 ? artists : artists.slice(0, end);
}

const namesIn = (text: string): string[] =>
  text.split(/, | & | and | x | feat\. |,/i).filter((name) => folded(name) !== "");
