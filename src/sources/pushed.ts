import type { Config } from "../config.ts";
import { DELAY_OPTION, delayed } from "./delay.ts";
import { defineSource, type Said, type Source, type SourceFacts } from "./source.ts";

/** What programs have pushed to connections. */
export interface PushedReports {
  /**
   * Yields what plays as soon as that is known, and on each change; `null` when nothing does, and
   * `undefined` before the first word.
   */
  watch(connectionId: number, signal: AbortSignal): AsyncIterable<Said>;
}

/** Where nothing is ever pushed, because no server runs. */
export const NOTHING_PUSHED: PushedReports = {
  async *watch(_, signal) {
    if (!signal.aborted) yield undefined;
  },
};

/** What pushes are told apart by. */
export interface PushedTo {
  readonly id:
    | "listenbrainz"
    | "audioscrobbler"
    | "webscrobbler"
    | "tuna"
    | "webnowplaying"
    | "json"
    | "broadcast";
  readonly name: string;
}

/** A way in which other programs push what they play. */
export interface PushedSource extends PushedTo {
  readonly facts: SourceFacts;
  /** The address to enter in the program. */
  inboxAddress(baseUrl: string, secret: string): string;
}

const inbox = (id: string) => (baseUrl: string, secret: string) => `${baseUrl}/in/${secret}/${id}`;

/** Scrobbling names the song alone. */
const SCROBBLES: SourceFacts = { runs: "anywhere", calls: [] };

const FROM_BROWSER: SourceFacts = {
  runs: "browser",
  reports: ["position", "pause", "cover"],
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
  facts: { ...FROM_BROWSER, reports: ["position", "pause", "cover", "volume"] },
  inboxAddress: (baseUrl, secret) => inbox("webnowplaying")(baseUrl.replace(/^http/, "ws"), secret),
};

export const JSON_PUSHES: PushedSource = {
  id: "json",
  name: "JSON",
  facts: {
    runs: "anywhere",
    reportsSometimes: ["position", "pause", "cover", "volume"],
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

/** Where programs broadcast to, as to an Icecast server. */
export interface BroadcastPlace {
  readonly host: string;
  /** `null` where nobody may broadcast, or no port is free. */
  port: number | null;
}

/** As it is until a port is taken. */
export const broadcastPlaceOf = ({
  broadcastHost,
  broadcastPort,
}: Pick<Config, "broadcastHost" | "broadcastPort">): BroadcastPlace => ({
  host: broadcastHost,
  port: broadcastPort || null,
});

export const BROADCAST = { id: "broadcast", name: "DJ or radio program" } as const;
const BROADCAST_MOUNT = "/live";

/**
 * The address for programs that broadcast; `null` where nobody may. Where this server is reached on every
 * network, its name is that of its base URL.
 */
function broadcastAddress({ host, port }: BroadcastPlace, baseUrl: string): string | null {
  if (port === null) return null;
  const name = ["0.0.0.0", "::"].includes(host) ? new URL(baseUrl).hostname : host;
  const authority = name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
  return `http://${authority}:${port}${BROADCAST_MOUNT}`;
}

/** What of that address is entered in programs. */
export function broadcastFieldsIn(address: string) {
  const { hostname, port, pathname } = new URL(address);
  // Port 80 is left out of an address.
  return { host: hostname, port: port || "80", mount: pathname };
}

/** The sources that other programs push to: each connection has a secret. */
export function createPushedSources(
  pushed: PushedReports,
  broadcasts: BroadcastPlace,
): readonly Source[] {
  return [
    ...all.map((source) =>
      defineSource<{}, null>({
        delivery: "pushed",
        ...source,
        options: {},
        parseSettings: () => null,
        watch: (_, { connection, signal }) => pushed.watch(connection.id, signal),
      }),
    ),
    defineSource({
      delivery: "pushed",
      ...BROADCAST,
      facts: SCROBBLES,
      inboxAddress: (baseUrl) => broadcastAddress(broadcasts, baseUrl),
      options: { delay: DELAY_OPTION },
      watch: (settings, context) =>
        delayed((signal) => pushed.watch(context.connection.id, signal), settings, context),
    }),
  ];
}
