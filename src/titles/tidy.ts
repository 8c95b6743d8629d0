import type { Names } from "../playback.ts";
import { withGuests } from "./guests.ts";
import { withoutLabels } from "./labels.ts";
import { type Phrase, withoutPhrases } from "./phrases.ts";
import { namesAnArtist } from "./placeholders.ts";
import { normalize, orElse, trimJoints, withoutEmojiAtEdges } from "./text.ts";
import {
  artistOfChannel,
  splitTitle,
  withoutAdvertisement,
  withoutFileMarks,
  withoutTrailingWords,
} from "./uploads.ts";

/**
 * Where names come from: tags or a service's catalogue, tags for certain, so that a title without an
 * artist is a title and nothing else, a file's name, a stream's one field, or a page with videos, whose
 * artist is a channel.
 */
export type NamesOrigin = "catalogue" | "tag" | "file" | "upload" | "page";

/**
 * Takes off what describes the upload or the release, such as `(Official Video)` and
 * `- 2011 Remaster`, and never what describes the recording, such as `(Live)`. Pure, and at most
 * proportional to the square of the title's length, which the channel bounds.
 */
export function tidy(given: Names, origin: NamesOrigin, phrases: readonly Phrase[] = []): Names {
  const names = {
    title: orElse(normalize(given.title), given.title),
    artists: given.artists.map((artist) => orElse(normalize(artist), artist)),
  };
  const [channel = "", ...others] = names.artists;
  // Several names are of artists: a page has one channel.
  const isChannel = origin === "page" && others.length === 0 && !channel.endsWith(TOPIC);
  const isUpload = origin !== "tag" && (names.artists.length === 0 || isChannel);
  const tidied = isUpload ? tidyUpload(names, origin) : tidyCatalogue(names);
  return { ...tidied, title: withoutPhrases(tidied.title, phrases) };
}

/** How YouTube names the channels that it makes of a label's catalogue. */
const TOPIC = " - Topic";

function tidyCatalogue({ title, artists }: Names): Names {
  const named = artists.map((artist) =>
    artist.endsWith(TOPIC) ? orElse(artist.slice(0, -TOPIC.length).trim(), artist) : artist,
  );
  return { title: withoutLabels(title, named), artists: named };
}

function tidyUpload({ title: given, artists: [uploader] }: Names, origin: NamesOrigin): Names {
  const channel = uploader === undefined ? null : withoutEmojiAtEdges(artistOfChannel(uploader));
  const isPage = origin === "page";
  const clean = withoutAdvertisement(withoutLabels(withoutFileMarks(given, origin === "file"), []));
  const { artist, title } = splitTitle(trimLeadingDash(clean), channel, isPage);
  const artists = [artist ?? channel]
    .filter((name) => name !== null)
    .map(asArtist)
    .filter(namesAnArtist);
  const bare = withoutTrailingWords(withoutLabels(withoutEmojiAtEdges(title), artists));
  const withGuest = withGuests(bare, (name, guests) => `${name} (feat. ${guests})`);
  return { title: withoutLabels(withGuest, artists), artists };
}

const trimLeadingDash = (text: string): string => orElse(trimJoints(` ${text}`.trimEnd()), text);

const asArtist = (artist: string): string =>
  withGuests(withoutEmojiAtEdges(artist), (name, guests) => `${name} feat. ${guests}`);
