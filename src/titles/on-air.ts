import { decodeForm } from "../decode-text.ts";
import type { Names, NamesFrom } from "../playback.ts";
import { mendText, unmended } from "./mend-text.ts";
import { namesAnArtist, namesAStation } from "./placeholders.ts";
import { folded, orElse, saysSomething, trimJoints } from "./text.ts";
import { splitTitle, withoutAnnouncement, withoutFileMarks } from "./uploads.ts";

/**
 * Reads the one text in which a stream says what is on the air. Stations write it by machine, in many
 * ways; every source that has such a text reads it here.
 */

export interface StreamText {
  readonly text: string | undefined;
  /** The stream's name, if it gives one; what servers write where there is none counts as none. */
  readonly station?: string | undefined;
  /** The artist in a field of its own. With one, the text is a title. */
  readonly artist?: string | undefined;
  /** What is shown where neither the text nor the station says anything. */
  readonly otherwise: string;
}

/** What is on the air. Texts are as a source gives them: the channel still mends their encoding. */
export interface OnAir extends Names {
  /** What names the song: the text without what changes while it plays. */
  readonly song: string;
  /** Empty where the stream has no name. */
  readonly station: string;
  readonly namesFrom: NamesFrom;
}

/** Records are long. What is longer is no title, and would take long to read. */
const LONGEST_TEXT = 2_000;

/** What is on the air; `null` for an advertisement. */
export function readOnAir({
  text = "",
  station = "",
  artist = "",
  otherwise,
}: StreamText): OnAir | null {
  const given = mendText(station);
  const stationName = namesAStation(given) ? given : "";
  const isStation = (name: string) => folded(name) !== "" && folded(name) === folded(given);
  const line = mendText(percentDecoded(text.slice(0, LONGEST_TEXT))).replace(/\s+/gu, " ");
  const whole = withoutStation(line, isStation);
  const record = recordIn(whole);
  if (record === "advertisement" || ADVERTISEMENT.test(record?.title ?? whole)) return null;
  const named = mendText(artist);
  const own = [record?.artist ?? "", isStation(named) ? "" : named].find(namesAnArtist) ?? "";
  const song = withoutRunningTime(record?.title ?? whole);
  const { title, artists, from } =
    own === "" && !record ? divided(song) : ofArtist(song, own, record !== null);
  if (!saysSomething(title)) return stationAlone(stationName, otherwise);
  const shownArtists = artists.length > 0 ? artists : [stationName].filter((name) => name !== "");
  return {
    title: unmended(title),
    artists: shownArtists.map(unmended),
    song: unmended([...artists, title].join(" - ")),
    station: unmended(stationName),
    namesFrom: from,
  };
}

function stationAlone(station: string, otherwise: string): OnAir {
  const title = station === "" ? otherwise : unmended(station);
  return {
    title,
    artists: [],
    song: title,
    station: unmended(station),
    namesFrom: { origin: "tag" },
  };
}

interface Named extends Names {
  readonly from: NamesFrom;
}

/** A text that may hold the artist too. */
function divided(line: string): Named {
  const text = trimJoints(` ${withoutAnnouncement(line)} `);
  // Of a file's name the number and the extension are neither artist nor title.
  const { artist, title: rest } = splitTitle(withoutFileMarks(text, false), null, false);
  const title = artist === null ? text : rest;
  const artists = artist !== null && namesAnArtist(artist) ? [artist] : [];
  const isNameless = artists.length === 0 && !namesAnArtist(title);
  return {
    title: isNameless ? "" : title,
    artists,
    from: { origin: "upload", text: unmended(text) },
  };
}

/** A title whose artist stands elsewhere; some stations repeat the artist before it. */
function ofArtist(line: string, artist: string, isRecord: boolean): Named {
  const title = trimJoints(` ${line} `);
  const split = splitTitle(title, null, false);
  const isRepeated = split.artist !== null && folded(split.artist) === folded(artist);
  return {
    title: isRepeated && !isRecord ? split.title : title,
    artists: artist === "" ? [] : [artist],
    from: { origin: "tag" },
  };
}

/** `Artist%20-%20Title` and `Artist+-+Title`, which have no space of their own. */
function percentDecoded(text: string): string {
  if (!/%20|\+-\+/.test(text) || /\s/.test(text.trim())) return text;
  const plus = text.includes("%20") ? "%2B" : "+";
  const field = text.replaceAll("&", "%26").replaceAll("+", plus);
  return decodeForm(`text=${field}`).get("text") ?? text;
}

/** Some stations put their name before or behind the song. */
function withoutStation(text: string, isStation: (name: string) => boolean): string {
  if (isStation(text)) return "";
  const parts = text.split(/( [-–—|｜~] )/u);
  while (parts.length > 2 && isStation(parts[0] ?? "")) parts.splice(0, 2);
  while (parts.length > 2 && isStation(parts.at(-1) ?? "")) parts.splice(-2);
  return parts.join("").trim();
}

const FIELD = /\b([a-z]\w*)=\\?"((?:[^"\\]|\\.)*)"/gi;
const RECORD = /(?:^|\s)(?:text|title|artist|song_spot)=\\?"/i;

/**
 * The records of iHeart's stations: `A - text="T" song_spot="M" …`, `title="T",artist="A",url="…"`,
 * in any order. `song_spot` is `T` for spots and what announces them.
 */
function recordIn(text: string): { title: string; artist: string } | "advertisement" | null {
  const begin = RECORD.exec(text);
  if (!begin) return null;
  const fields = new Map<string, string>();
  for (const [, name = "", value = ""] of text.slice(begin.index).matchAll(FIELD)) {
    const key = name.toLowerCase();
    if (!fields.has(key)) fields.set(key, value.replace(/\\(.)/g, "$1").trim());
  }
  if (/\bsong_spot=\\?"T/i.test(text)) return "advertisement";
  const before = trimJoints(`${text.slice(0, begin.index)} `);
  const title = fields.get("text") ?? fields.get("title");
  const artist = fields.get("artist") ?? before;
  return title === undefined ? { title: before, artist: "" } : { title, artist };
}

/** What stands for an advertisement, as a whole or as a mark of a machine. */
const ADVERTISEMENT =
  /(?:^|\s)AD_?BREAK(?:_\w*)?(?:\s|$)|^[\s-]*(?:ad break|advert(?:isement|ising)?s?|commercials?|commercial break|spot block(?: end)?|werbung|werbeblock|werbepause|publicité|publicidade?|publicidad|pubblicità|реклама)[\s-]*$|^[\s-]*spot block\b/iu;

const TIME = String.raw`[-−]?\d{1,2}:[0-5]\d(?::[0-5]\d)?`;
const TIMES = String.raw`${TIME}(?:\s*/\s*${TIME})?`;
const BRACKETED = String.raw`(?:\(\s*${TIMES}\s*\)|\[\s*${TIMES}\s*\])`;
const PAIR = String.raw`${TIME}\s*/\s*${TIME}`;
const TIME_BEFORE = new RegExp(String.raw`^(?:${BRACKETED}|${PAIR})[\s|:–-]*`, "u");
const TIME_BEHIND = new RegExp(String.raw`\s*(?:${BRACKETED}|\s${PAIR})$`, "u");
/** Without brackets a single time may be a title. Behind artist and title it is none. */
const TIME_AS_PART = new RegExp(String.raw`^(.* [-–—] .*) [-–—|] ${TIME}$`, "su");

/** A title without its running time, which would make another song of it each second. */
function withoutRunningTime(text: string): string {
  const begun = orElse(text.replace(TIME_BEFORE, ""), text);
  const ended = begun.replace(TIME_BEHIND, "").replace(TIME_AS_PART, "$1");
  const rest = trimJoints(`${ended} `);
  // `Artist - (4:44)` would lose its title.
  const losesTitle = rest !== ended.trim() && !/ [-–—|~] /u.test(rest);
  return losesTitle ? begun : orElse(rest, begun);
}
