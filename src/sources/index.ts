import { type Clock, systemClock } from "../clock.ts";
import { resolveConfig } from "../config.ts";
import type { UpstreamApp, UpstreamPause } from "../accounts/upstreams.ts";
import { demo } from "./demo.ts";
import { mpd } from "./mpd.ts";
import type { Source } from "./source.ts";
import { createSpotify } from "./spotify.ts";
import { createUpstream, type Fetch } from "./upstream.ts";

/** Every source there is. */
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
  /** What is remembered of an upstream as a whole. */
  readonly memory: {
    appOf(source: string): Promise<UpstreamApp | undefined>;
    pauseOf(source: string): Promise<UpstreamPause | undefined>;
    rememberPause(source: string, pause: UpstreamPause): Promise<void>;
  };
  /** In place of the network. */
  readonly fetch?: Fetch;
  /** Hears of each call to an upstream: its status, or that it failed. */
  onCall?(source: string, outcome: number | "failed"): void;
  /** Is called with how long after the last poll of a connection a source has polled again. */
  onPoll?(source: string, afterMs: number): void;
}

/** The sources as commands and documentation describe them; nothing of them is used. */
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

/** Makes the sources ready; nothing is called before one is watched or linked. */
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
  const all: readonly Source[] = [spotify, mpd, demo];
  return { all, byId: (id) => all.find((source) => source.id === id) };
}
