import { type Clock, systemClock } from "../clock.ts";
import { resolveConfig } from "../config.ts";
import type { UpstreamApp, UpstreamPause } from "../accounts/upstreams.ts";
import { demo } from "./demo.ts";
import { mpd } from "./mpd.ts";
import { createPushedSources, NOTHING_PUSHED, type PushedWords } from "./pushed.ts";
import type { Source } from "./source.ts";
import { createSpotify } from "./spotify.ts";
import { createUpstream, type Fetch } from "./upstream.ts";

/** All sources. */
export interface Sources {
  readonly all: readonly Source[];
  byId(id: string): Source | undefined;
}

export interface SourcesDeps {
  readonly clock: Clock;
  readonly settings: {
    readonly spotifyClientId: string | null;
    readonly spotifyClientSecret: string | null;
    readonly spotifyApiUrl: string;
    readonly spotifyAccountsUrl: string;
    readonly spotifyBudget: number;
  };
  /** Stored data of an upstream as a whole: its app and its last requested pause. */
  readonly memory: {
    appOf(source: string): Promise<UpstreamApp | undefined>;
    pauseOf(source: string): Promise<UpstreamPause | undefined>;
    rememberPause(source: string, pause: UpstreamPause): Promise<void>;
  };
  /** What other programs push. Without it, nothing is pushed. */
  readonly pushed?: PushedWords;
  /** Used instead of the network, in tests. */
  readonly fetch?: Fetch;
  /** Is called after each call to an upstream with its HTTP status, or `failed`. */
  onCall?(source: string, outcome: number | "failed"): void;
  /** Is called after each new poll of a connection, with the time since the poll before. */
  onPoll?(source: string, afterMs: number): void;
}

/** The sources for commands and documentation, which only describe them and never use them. */
export const describedSources = (): Sources =>
  createSources({
    clock: systemClock,
    settings: resolveConfig({}, {}).config,
    memory: {
      appOf: async () => undefined,
      pauseOf: async () => undefined,
      rememberPause: async () => {},
    },
  });

/** Creates the sources. No upstream is called before a source is watched or linked. */
export function createSources({ clock, settings, memory, fetch, ...deps }: SourcesDeps): Sources {
  const { spotifyClientId, spotifyClientSecret, spotifyApiUrl, spotifyAccountsUrl } = settings;
  const upstream = createUpstream({
    clock,
    trustedOrigins: [spotifyApiUrl, spotifyAccountsUrl].map((url) => new URL(url).origin),
    ...(fetch && { fetch }),
    onCall: (outcome) => deps.onCall?.("spotify", outcome),
  });
  const spotify = createSpotify({
    clock,
    upstream,
    apiUrl: spotifyApiUrl,
    accountsUrl: spotifyAccountsUrl,
    budget: settings.spotifyBudget,
    app: async () =>
      spotifyClientId === null
        ? memory.appOf("spotify")
        : { clientId: spotifyClientId, clientSecret: spotifyClientSecret },
    appIsFixed: spotifyClientId !== null,
    onPoll: (afterMs) => deps.onPoll?.("spotify", afterMs),
    pauses: {
      recall: () => memory.pauseOf("spotify"),
      remember: (pause) => memory.rememberPause("spotify", pause),
    },
  });
  const pushed = createPushedSources(deps.pushed ?? NOTHING_PUSHED);
  const all: readonly Source[] = [spotify, mpd, demo, ...pushed];
  return { all, byId: (id) => all.find((source) => source.id === id) };
}
