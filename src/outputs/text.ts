import { BOT_WAITS_MS } from "../channels/first-answer.ts";
import { createBoundedMap } from "../bounded-map.ts";
import type { PlayedSong } from "../channels/last-songs.ts";
import { wholeNumber } from "../field.ts";
import { languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import type { Playback } from "../playback.ts";
import { withoutLineBreak } from "../http/plain-text.ts";
import { type Guard, refusalOf } from "./guard.ts";
import {
  lineOf,
  type LineWords,
  MOST_MAX,
  type LineValues,
  lineValuesBefore,
  lineValuesOf,
} from "./line.ts";
import { readTextOptions } from "./options.ts";
import type { Parts } from "../http/parts.ts";

export interface TextDeps extends Pick<Parts, "hub" | "clock"> {
  readonly guard: Guard;
}

/** `GET /{lang}/text/{token}`: one line of plain text for chat bots. */
export type TextOutput = (language: Language, token: string, request: Request) => Promise<Response>;

/** For so long the same question gets the same line: a chat may ask all at once. */
const SAME_LINE_MS = 1_000;
/** Lines and songs that are remembered for so long, of all users. */
const MOST_LINES = 1_000;

/** Twitch prints 500 characters, Nightbot reads fewer than 400. */
export const USUAL_MOST = 380;
/** YouTube prints 200 characters. */
const YOUTUBE_MOST = 180;
const LEAST_MAX = 20;
/** How many songs before the current one may be asked for. */
const MOST_BACK = 5;

/** The words of lines in a language. */
export function lineWords(language: Language): LineWords {
  const { widget, outputs } = languages[language];
  return { ...widget, noneBefore: outputs.noneBefore };
}

export function createTextOutput({ guard, hub, clock }: TextDeps): TextOutput {
  /** The lines of users' songs, whichever widget asks, and in whichever length. */
  const songs = createBoundedMap<string, RecentSong>(MOST_LINES);
  const lines = createBoundedMap<string, { readonly line: string; readonly readAtMs: number }>(
    MOST_LINES,
  );
  const isRecent = (readAtMs: number) => clock.monotonicMs() - readAtMs < SAME_LINE_MS;

  const songOf = async (userId: number, back: number): Promise<RecentSong> => {
    const name = `${userId} ${back}`;
    const reading = hub.peek(userId) ?? (await hub.read(userId, BOT_WAITS_MS));
    const finished = back === 0 ? undefined : hub.songsBefore(userId)[back - 1];
    const playing = reading.kind === "playback" ? reading.playback : undefined;
    const song = finished ?? playing;
    const known = songs.get(name);
    if (known && known.song === song && isRecent(known.readAtMs)) return known;
    const readAtMs = clock.monotonicMs();
    // A pause of sharing looks as if there were no music at all.
    const values = back > 0 && song ? lineValuesBefore(finished) : lineValuesOf(reading, readAtMs);
    const read = { song, values, readAtMs };
    songs.set(name, read);
    return read;
  };

  return async (addressLanguage, token, request) => {
    const admission = guard("text", token, request);
    if (admission.kind !== "admitted") return answer(...refusalOf(addressLanguage, admission));
    const { user, widget } = admission;
    const language = widget.language ?? addressLanguage;
    const asked = readAsked(request);
    const name = [widget.id, widget.revision, language, asked.back, asked.most].join(" ");
    const known = lines.get(name);
    if (known && isRecent(known.readAtMs)) return answer(200, known.line);
    const { values, readAtMs } = await songOf(user.id, asked.back);
    const options = readTextOptions(widget.options);
    const line = lineOf(values, { options, words: lineWords(language), most: asked.most });
    lines.set(name, { line, readAtMs });
    return answer(200, line);
  };
}

interface RecentSong {
  readonly song: PlayedSong | Playback | undefined;
  readonly values: LineValues;
  readonly readAtMs: number;
}

interface Asked {
  /** How many songs before the current one; 0 for the current one. */
  readonly back: number;
  /** The longest line, in UTF-16 units. */
  readonly most: number;
}

/** What a question asks for; what is not understood is as if it were not there. */
function readAsked({ url, headers }: Request): Asked {
  const query = new URL(url).searchParams;
  const back = wholeNumber(1, MOST_BACK).parse(query.get("back") ?? "") ?? 0;
  const most = wholeNumber(LEAST_MAX, MOST_MAX).parse(query.get("max") ?? "");
  return { back, most: most ?? (isForYouTube(headers) ? YOUTUBE_MOST : USUAL_MOST) };
}

/**
 * Nightbot (https://docs.nightbot.tv/variables/urlfetch) and Fossabot
 * (https://docs.fossabot.com/variables/customapi) say for which chat they ask.
 */
function isForYouTube(headers: Headers): boolean {
  const nightbot = new URLSearchParams(headers.get("nightbot-channel") ?? "").get("provider");
  const fossabot = headers.get("x-fossabot-channelprovider");
  return [nightbot, fossabot].some((provider) => provider?.toLowerCase() === "youtube");
}

/** Scripts of any page may read it. */
const answer = (status: number, line: string, headers?: Readonly<Record<string, string>>) =>
  withoutLineBreak(status, line, { "Access-Control-Allow-Origin": "*", ...headers });
