import { BOT_WAITS_MS } from "../channels/first-answer.ts";
import type { Reading } from "../channels/reading.ts";
import { atMost } from "../clock.ts";
import { plainText } from "../http/plain-text.ts";
import { languages, type Words } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { type Artwork, artistNames, type Playback, positionAt } from "../playback.ts";
import { type Card, type CardProgress, drawCard } from "./card-drawing.ts";
import { type Guard, refusalOf } from "./guard.ts";
import { shortName } from "./line.ts";
import { type CardOptions, readCardOptions } from "./options.ts";
import type { Parts } from "../http/parts.ts";

export interface CardDeps extends Pick<Parts, "hub" | "sources" | "artworks" | "clock"> {
  readonly guard: Guard;
}

/** `GET /{lang}/card/{token}.svg`: what plays, as a picture for profiles and websites. */
export type CardOutput = (language: Language, token: string, request: Request) => Promise<Response>;

const COVER_MS = 2_000;
/** What a screen reader reads of a name, in UTF-16 units: a source may send fifty long artists. */
const LONGEST_NAME = 500;
/** Cards that are asked for in the same moment are the same file, which is then not sent again. */
const POSITION_STEP_MS = 5_000;

export function createCardOutput(deps: CardDeps): CardOutput {
  const { guard, hub, sources, artworks, clock } = deps;
  const coverOf = async (artwork: Artwork | undefined, userId: number) => {
    if (!artwork) return { cover: undefined, accent: null };
    const drawn = artworks
      .analyse(artwork, userId)
      .then(() => artworks.pictureOf(artwork, "128.jpg", userId));
    const cover = await atMost(clock, COVER_MS, drawn);
    return { cover: cover?.bytes, accent: artworks.accentOf(artwork) };
  };

  const draw = async (
    reading: Reading,
    userId: number,
    options: CardOptions,
    words: Words,
  ): Promise<Card> => {
    const { mode } = options;
    if (reading.kind !== "playback") {
      const text = words.widget.nothingPlaying;
      return { content: { kind: "idle", text }, mode, accent: null, description: text };
    }
    const { playback } = reading;
    const isPaused = playback.state === "paused";
    const state = isPaused ? words.widget.paused : words.widget.nowPlaying;
    const { cover, accent } = await coverOf(playback.album.artworks[0], userId);
    const progress = options.progress ? progressOf(playback, clock.monotonicMs()) : undefined;
    const { title, artist } = cardNames(playback);
    const source = options.source ? sources.knownNameOf(playback) : "";
    return {
      content: {
        kind: "song",
        isPaused,
        title,
        artist,
        cover,
        progress,
        label: source === "" ? state : `${state} · ${source}`,
      },
      mode,
      accent,
      description: describe(words, state, title, artist),
    };
  };

  return async (addressLanguage, token, request) => {
    const admission = guard("card", token, request);
    if (admission.kind !== "admitted") return plainText(...refusalOf(addressLanguage, admission));
    const { user, widget } = admission;
    const options = readCardOptions(widget.options, new URL(request.url).searchParams);
    const reading = hub.peek(user.id) ?? (await hub.read(user.id, BOT_WAITS_MS));
    const words = languages[widget.language ?? addressLanguage];
    return svgResponse(drawCard(await draw(reading, user.id, options, words)), request);
  };
}

/** The names that a card and the page around it show, each on one line. */
export const cardNames = (playback: Playback) => ({
  title: shortName(playback.track.title, LONGEST_NAME),
  artist: shortName(artistNames(playback), LONGEST_NAME),
});

/** What a picture shows, in a sentence for who does not see it. */
export function describe(words: Words, state: string, title: string, artist: string): string {
  if (artist === "") return `${state}: ${title}`;
  return `${state}: ${title} ${words.widget.by} ${artist}`;
}

function progressOf(playback: Playback, nowMs: number): CardProgress | undefined {
  const { track, rate, positionUnknown } = playback;
  if (positionUnknown || track.durationMs === null || track.durationMs <= 0) return undefined;
  const exactMs = positionAt(playback, nowMs);
  const positionMs = Math.min(
    track.durationMs,
    Math.round(exactMs / POSITION_STEP_MS) * POSITION_STEP_MS,
  );
  return { positionMs, durationMs: track.durationMs, rate: rate > 0 ? rate : 1 };
}

function svgResponse(svg: string, request: Request): Response {
  const tag = `"${Bun.hash(svg).toString(36)}"`;
  const headers = {
    // Without this, GitHub's proxy keeps a picture for a year.
    "Cache-Control": "no-cache, max-age=0",
    ETag: tag,
    "Content-Type": "image/svg+xml; charset=utf-8",
    // That of GitHub's proxy: nothing runs, and nothing is loaded.
    "Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
  };
  const known = (request.headers.get("if-none-match") ?? "").split(",");
  const isKnown = known.some((one) => one.trim().replace(/^W\//, "") === tag);
  return new Response(isKnown ? null : svg, { status: isKnown ? 304 : 200, headers });
}
