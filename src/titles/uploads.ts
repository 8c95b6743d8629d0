import { bracketsIn, indexOutside, replaceBrackets } from "./brackets.ts";
import { folded, orElse, trimJoints, withoutEmojiAtEdges, withoutQuotes } from "./text.ts";
import {
  areNoise,
  beginsNoise,
  goesAlone,
  goesOn,
  isNoiseWord,
  isNumberedWork,
  isStrong,
  tellsOnlyRecording,
  tellsRecording,
  tellsRecordingForSure,
  wordsOf,
} from "./vocabulary.ts";

/** What goes from the titles of files, of radio streams and of videos' pages. */

const EXTENSION =
  /\.(?:mp3|flac|ogg|oga|opus|m4a|aac|wav|wma|aiff?|ape|wv|mka|mkv|mp4|m4v|webm|avi|mov|mpe?g)$/i;
/** The id of a video, as programs that save one write it behind the name: `[dQw4w9WgXcQ]`. */
const VIDEO_ID = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w-]{11}$/;
/** What looks like a word, or a word's beginning: the signs of an id are drawn by lot. */
const WORDLIKE = /(?:[A-Z]?(?=[a-z]*[aeiouy])|[AEIOUY])[a-z]{3,}/;
const RADIO =
  /^(?:now playing|now on air|on air|you are listening to|en ondas|à l’antenne)\s*:\s*/i;

/**
 * A file's name, or a stream's words, as a title.
 * @param isNamedAsFile whether it is the name of a file, of which the extension may be gone
 */
export function withoutFileMarks(text: string, isNamedAsFile: boolean): string {
  let title = orElse(text.replace(EXTENSION, ""), text);
  const isFile = isNamedAsFile || title !== text;
  if (!title.includes(" ")) title = orElse(title.replaceAll("_", " ").trim(), title);
  const last = bracketsIn(title).at(-1);
  if (last?.end === title.length && title[last.start] === "[" && isVideoId(last.inside)) {
    title = orElse(title.slice(0, last.start).trim(), title);
  }
  return withoutTrackNumber(withoutAnnouncement(title), isFile);
}

/** A stream's words without those that announce them: `Now Playing: Solvay - Undertow`. */
export const withoutAnnouncement = (title: string): string =>
  orElse(title.replace(RADIO, ""), title);

/** Whether a bracket's content can be an id and nothing that anybody would say of a recording. */
const isVideoId = (text: string): boolean =>
  VIDEO_ID.test(text) && !WORDLIKE.test(text) && !tellsRecording(text);

/** No album has more tracks, and some artists have a number for a name: 112, 311. */
const LAST_TRACK = 50;

/**
 * `07 - Solvay - Undertow` and `01. Undertow`, but neither `99 Lanterns`, `1979 - Undertow`, `99.
 * Luftballons` nor `5. Symphony`. Without a zero before it, only a file's name or an artist and a
 * title behind it show that a number is a track's.
 */
function withoutTrackNumber(title: string, isFile: boolean): string {
  const [, number = "", joint = "", rest = ""] = /^(\d{1,3})( ?- |\. )(.+)$/s.exec(title) ?? [];
  if (number === "" || Number(number) > LAST_TRACK) return title;
  const [work = ""] = title.split(" - ", 1);
  const isCertain =
    number.startsWith("0") ||
    (isFile && !(joint === ". " && isNumberedWork(work))) ||
    (joint !== ". " && splitTitle(rest, null, false).artist !== null);
  return isCertain ? orElse(rest.trim(), title) : title;
}

/** `#newmusic`, but not the number of `Rainy Day #12`. */
const HASHTAG = /^#(?!#).*\p{L}/u;

/** Hashtags and emoji, who produced it, who released it, and what stands behind an upright line. */
export function withoutAdvertisement(text: string): string {
  const bracketless = replaceBrackets(text, (inside) => (isAdvertisement(inside) ? null : inside));
  const words = bracketless.split(" ");
  while (words.length > 1 && HASHTAG.test(words.at(-1) ?? "")) words.pop();
  return withoutEmojiAtEdges(withoutNoiseParts(words.join(" ")));
}

function isAdvertisement(inside: string): boolean {
  const words = wordsOf(inside);
  const [first = "", second = ""] = words;
  if (tellsRecording(inside)) return false;
  return (
    (first === "prod" && words.length > 1) ||
    (first === "produced" && second === "by") ||
    (words.at(-1) === "release" && words.length > 1) ||
    (first === "free" && (second === "download" || second === "dl") && words.length === 2)
  );
}

/** From the first part about the upload on, everything goes but what describes the recording. */
function withoutNoiseParts(text: string): string {
  const parts = text.split(/ [|｜] /u);
  const noise = parts.findIndex((part, index) => index > 0 && areNoise(wordsOf(part)));
  if (noise === -1) return text;
  const others = parts.slice(noise).filter(tellsRecordingForSure);
  return orElse([...parts.slice(0, noise), ...others].join(" | ").trim(), text);
}

const CHANNEL_ENDS = [
  "official youtube channel",
  "official channel",
  "公式チャンネル",
  "official",
  "oficial",
  "officiel",
  "vevo",
] as const;

/** A channel's name as an artist's: `SolvayVEVO`, `夜行列車 Official Channel`. */
export function artistOfChannel(channel: string): string {
  const lower = channel.toLowerCase();
  const end = CHANNEL_ENDS.find(
    (one) => lower.endsWith(one) && (one === "vevo" || lower.endsWith(` ${one}`)),
  );
  if (end === undefined) return channel;
  return orElse(trimJoints(`${channel.slice(0, channel.length - end.length)} `), channel);
}

/** A title with its artist; `null` for an artist that it does not name. */
export interface Split {
  readonly artist: string | null;
  readonly title: string;
}

const DASHES = [" - ", " – ", " — ", " -- "] as const;

/** Divides `artist - title`, in either order where the channel shows which is which. */
export function splitTitle(text: string, channel: string | null, isPage: boolean): Split {
  const isChannel = (name: string) => channel !== null && folded(name) === folded(channel);
  const dashes = isPage ? [...DASHES, " _ "] : DASHES;
  const [first] = dashes
    .map((dash) => ({ dash, at: indexOutside(text, dash) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at || b.dash.length - a.dash.length);
  if (first) {
    const left = text.slice(0, first.at).trim();
    const right = text.slice(first.at + first.dash.length).trim();
    const isOneTitle = goesOn(left, right) && !isChannel(left);
    if (left === "" || right === "" || isOneTitle) return { artist: null, title: text };
    if (isChannel(plain(right))) return { artist: plain(right), title: left };
    return { artist: left, title: right };
  }
  for (const slash of [" / ", "／"]) {
    const at = indexOutside(text, slash);
    if (at === -1) continue;
    const [left, right] = [text.slice(0, at).trim(), text.slice(at + slash.length).trim()];
    if (isChannel(right) && left !== "") return { artist: right, title: left };
    if (isChannel(left) && right !== "") return { artist: left, title: right };
  }
  const atSign = isPage || channel !== null ? null : splitAtSign(text);
  return atSign ?? splitQuoted(text);
}

/**
 * Some radio stations write `Artist | Title` or `ARTIST ~ TITLE`; pages write other things behind such
 * signs. `Artist: Title` is not divided: as many titles have a colon of their own (`Mission:
 * Impossible`), and a whole text can still be read.
 */
function splitAtSign(text: string): Split | null {
  const [artist = "", title = "", ...others] = text.split(/ [|｜~] /u).map((part) => part.trim());
  const isOneTitle = [artist, title].some(
    (side) => side === "" || areNoise(wordsOf(side)) || tellsRecording(side),
  );
  return others.length > 0 || isOneTitle ? null : { artist, title };
}

/** A side without what stands in brackets. */
const plain = (side: string): string =>
  orElse(
    replaceBrackets(side, () => null),
    side,
  );

const TITLE_QUOTES: readonly (readonly [open: string, close: string, needsNoise: boolean])[] = [
  ["「", "」", false],
  ["『", "』", false],
  ["《", "》", false],
  ["【", "】", false],
  [" '", "'", true],
  [" ‘", "’", true],
  [' "', '"', true],
  [" “", "”", true],
];

/** `artist「title」`, and `artist 'title'` with words about the upload behind it. */
function splitQuoted(text: string): Split {
  for (const [open, close, needsNoise] of TITLE_QUOTES) {
    const start = text.indexOf(open);
    const end = start === -1 ? -1 : text.indexOf(close, start + open.length);
    if (end === -1) continue;
    const artist = text.slice(0, start).trim();
    const title = text.slice(start + open.length, end).trim();
    const after = wordsOf(text.slice(end + close.length));
    if (title === "" || !(after.length === 0 ? !needsNoise : areNoise(after))) continue;
    // `Undertow【Live】` names no artist.
    if (tellsOnlyRecording(title)) continue;
    return { artist: artist === "" ? null : artist, title };
  }
  return { artist: null, title: text };
}

/** Words about the upload at the end without brackets, and quotation marks around the whole. */
export function withoutTrailingWords(title: string): string {
  const words = title.split(" ");
  let first = words.length;
  // What stands in brackets was judged as a whole.
  const isNoise = (word: string) =>
    !/[()[\]【】（）]/.test(word) && wordsOf(word).every(isNoiseWord);
  while (first > 0 && isNoise(words[first - 1] ?? "")) first -= 1;
  while (first < words.length && !wordsOf(words[first] ?? "").some(beginsNoise)) first += 1;
  const run = wordsOf(words.slice(first).join(" "));
  const [only = ""] = run;
  const goes = run.length > 1 ? run.some(isStrong) : goesAlone(only);
  if (!goes) return withoutQuotes(title);
  const rest = trimJoints(`${words.slice(0, first).join(" ")} `);
  return withoutQuotes(orElse(rest, title));
}
