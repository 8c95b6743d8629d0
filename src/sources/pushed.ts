import type { Playback } from "../playback.ts";
import { defineSource, type Source, type SourceFacts } from "./source.ts";

/** What programs have pushed to connections. */
export interface PushedReports {
  /** Yields what plays as soon as that is known, and on each change; `null` when nothing does. */
  watch(connectionId: number, signal: AbortSignal): AsyncIterable<Playback | null>;
}

/** Where nothing is ever pushed, because no server runs. */
export const NOTHING_PUSHED: PushedReports = {
  async *watch(_, signal) {
    if (!signal.aborted) yield null;
  },
};

/** A way in which other programs push what they play. */
export interface PushedSource {
  readonly id:
    "listenbrainz" | "audioscrobbler" | "webscrobbler" | "tuna" | "webnowplaying" | "json";
  readonly name: string;
  readonly facts: SourceFacts;
  /** The address to enter in the program. */
  inboxAddress(baseUrl: string, secret: string): string;
}

const inbox = (id: string) => (baseUrl: string, secret: string) => `${baseUrl}/in/${secret}/${id}`;

/** Scrobbling names the song alone. */
const SCROBBLES: SourceFacts = {
  runs: "anywhere",
  position: "no",
  pause: "no",
  cover: "no",
  volume: "no",
  delayMs: 0,
  calls: [],
};

const FROM_BROWSER: SourceFacts = {
  runs: "browser",
  position: "yes",
  pause: "yes",
  cover: "yes",
  volume: "no",
  delayMs: 0,
  calls: ["covers"],
};

export const LISTENBRAINZ: PushedSource = {
  id: "listenbrainz",
  name: "ListenBrainz submissions",
  facts: SCROBBLES,
  // Programs append `1/submit-listens`, `/1/submit-listens` or nothing: it works with each of them.
  inboxAddress: (baseUrl) => `${baseUrl}/listenbrainz/`,
};

export const AUDIOSCROBBLER: PushedSource = {
  id: "audioscrobbler",
  name: "Audioscrobbler",
  facts: SCROBBLES,
  inboxAddress: (baseUrl) => `${baseUrl}/audioscrobbler/`,
};

export const WEBSCROBBLER: PushedSource = {
  id: "webscrobbler",
  name: "Web Scrobbler",
  facts: FROM_BROWSER,
  inboxAddress: inbox("webscrobbler"),
};

export const TUNA: PushedSource = {
  id: "tuna",
  name: "Tuna",
  facts: FROM_BROWSER,
  inboxAddress: inbox("tuna"),
};

export const WEBNOWPLAYING: PushedSource = {
  id: "webnowplaying",
  name: "WebNowPlaying",
  facts: { ...FROM_BROWSER, volume: "yes" },
  inboxAddress: (baseUrl, secret) => inbox("webnowplaying")(baseUrl.replace(/^http/, "ws"), secret),
};

export const JSON_PUSHES: PushedSource = {
  id: "json",
  name: "JSON",
  facts: {
    runs: "anywhere",
    position: "some",
    pause: "some",
    cover: "some",
    volume: "some",
    delayMs: 0,
    calls: ["covers"],
  },
  inboxAddress: inbox("json"),
};

const all: readonly PushedSource[] = [
  WEBSCROBBLER,
  WEBNOWPLAYING,
  TUNA,
  LISTENBRAINZ,
  AUDIOSCROBBLER,
  JSON_PUSHES,
];

/** The sources that other programs push to. They have no settings: each connection has a secret. */
export const createPushedSources = (pushed: PushedReports): readonly Source[] =>
  all.map((source) =>
    defineSource<{}, null>({
      ...source,
      delivery: "pushed",
      options: {},
      parseSettings: () => null,
      account: () => ({ displayName: null, product: null }),
      watch: (_, { connection, signal }) => pushed.watch(connection.id, signal),
    }),
  );
