import { type Clock, systemClock } from "../clock.ts";
import { type Config, resolveConfig } from "../config.ts";
import { type Metrics, noMetrics } from "../metrics.ts";
import { once } from "../once.ts";
import type { Upstreams } from "../accounts/upstreams.ts";
import type { Playback } from "../playback.ts";
import { createAzuraCast } from "./kinds/azuracast.ts";
import { createBeefweb } from "./kinds/beefweb/index.ts";
import { createCider } from "./kinds/cider/index.ts";
import { createMixxx, createSerato } from "./kinds/decks/index.ts";
import { demo } from "./kinds/demo/index.ts";
import { createEmby, createJellyfin } from "./kinds/media-browser/index.ts";
import { createHomeAssistant } from "./kinds/homeassistant/index.ts";
import { createIcecast } from "./kinds/icecast.ts";
import { createLastfm } from "./kinds/lastfm/index.ts";
import { createListenBrainzReader } from "./kinds/listenbrainz-reader.ts";
import { createMpd } from "./kinds/mpd/index.ts";
import { createMacos, createWindows } from "./kinds/media-session/index.ts";
import { oneReader } from "./kinds/media-session/readers.ts";
import { createMpris } from "./kinds/mpris/index.ts";
import { createPear } from "./kinds/pear/index.ts";
import { createPlex } from "./kinds/plex/index.ts";
import { createRadio } from "./kinds/radio/index.ts";
import type { PolledSourceDeps } from "./polling/polled-source.ts";
import type { PauseMemory } from "./polling/request-budget.ts";
import {
  type BroadcastPlace,
  broadcastPlaceOf,
  createPushedSources,
  NOTHING_PUSHED,
  type PushedReports,
} from "./pushed.ts";
import type { Source } from "./source.ts";
import type { StreamedSourceDeps } from "./streamed-source.ts";
import { type Machine, THIS_MACHINE } from "./here/found.ts";
import { createSpotify } from "./kinds/spotify/index.ts";
import { createSubsonic } from "./kinds/subsonic/index.ts";
import { createCovers } from "../upstream/covers.ts";
import { createUpstream, NETWORK, type Network } from "../upstream/index.ts";
import { createTextFile } from "./kinds/text-file/index.ts";
import { createVlc } from "./kinds/vlc/index.ts";

export type Sources = ReturnType<typeof createSources>;

export interface SourcesDeps {
  readonly clock: Clock;
  readonly settings: Pick<
    Config,
    | "spotifyClientId"
    | "spotifyClientSecret"
    | "spotifyApiUrl"
    | "spotifyAccountsUrl"
    | "spotifyBudget"
    | "lastfmApiUrl"
    | "lastfmApiKey"
    | "listenbrainzApiUrl"
    | "playerHosts"
  >;
  /** Stored data of an upstream as a whole: its app and its last requested pause. */
  readonly memory: Pick<Upstreams, "appOf" | "pauseOf" | "rememberPause">;
  /** What other programs push. */
  readonly pushed: PushedReports;
  readonly broadcasts: BroadcastPlace;
  /** Where players are looked for. */
  readonly machine: Machine;
  readonly network: Network;
  readonly metrics: Pick<Metrics, "upstreamCall" | "polledAgain">;
}

/** What the sources need of a server, where none runs. */
export const withoutServer = (
  config: Config = resolveConfig({}, {}).config,
): Pick<SourcesDeps, "pushed" | "broadcasts" | "metrics" | "machine" | "network"> => ({
  pushed: NOTHING_PUSHED,
  broadcasts: broadcastPlaceOf(config),
  metrics: noMetrics,
  machine: THIS_MACHINE,
  network: NETWORK,
});

/** The sources for commands and documentation, which only describe them and never use them. */
export const describedSources = (): Sources =>
  createSources({
    ...withoutServer(),
    clock: systemClock,
    settings: resolveConfig({}, {}).config,
    memory: {
      appOf: () => undefined,
      pauseOf: () => undefined,
      rememberPause: async () => {},
    },
  });

/** Creates the sources. No upstream is called before a source is watched or linked. */
export function createSources(deps: SourcesDeps) {
  const { clock, settings, memory, metrics, network, machine } = deps;
  const { spotifyClientId, spotifyClientSecret, spotifyApiUrl, spotifyAccountsUrl } = settings;
  const upstreamAt = (trustedOrigins: readonly string[], source: string, allowsHttp = false) =>
    createUpstream({
      clock,
      trustedOrigins,
      allowsHttp,
      network,
      onCall: (outcome) => metrics.upstreamCall(source, outcome),
    });
  const originOf = (url: string) => new URL(url).origin;
  /** The way to public servers, and to those at `urls`, which somebody has entered. */
  const upstreamOf = (source: string, ...urls: readonly string[]) =>
    upstreamAt(urls.map(originOf), source);
  const covers = createCovers({
    clock,
    network,
    playerHosts: settings.playerHosts,
    // An origin is the source, and the connection's number.
    onCall: (origin, outcome) => metrics.upstreamCall(origin.replace(/ .*/, ""), outcome),
  });
  const pausesOf = (source: string): PauseMemory => ({
    recall: () => memory.pauseOf(source),
    remember: (pause) => memory.rememberPause(source, pause),
  });
  const spotify = createSpotify({
    clock,
    upstream: upstreamOf("spotify", spotifyApiUrl, spotifyAccountsUrl),
    covers,
    apiUrl: spotifyApiUrl,
    accountsUrl: spotifyAccountsUrl,
    budget: settings.spotifyBudget,
    app: () =>
      spotifyClientId === null
        ? memory.appOf("spotify")
        : { clientId: spotifyClientId, clientSecret: spotifyClientSecret },
    appIsFixed: spotifyClientId !== null,
    onPoll: (afterMs) => metrics.polledAgain("spotify", afterMs),
    pauses: pausesOf("spotify"),
  });
  const streamed: StreamedSourceDeps = { upstreamOf, covers };
  const polled: PolledSourceDeps = { clock, upstreamOf, covers, onPoll: metrics.polledAgain };
  const mediaSessions = { reader: oneReader(clock, machine.mediaReader) };
  const all: readonly Source[] = [
    spotify,
    createMpd({ network }),
    createWindows(mediaSessions),
    createMacos(mediaSessions),
    createMpris({ covers, busAddress: machine.busAddress }),
    createVlc(polled),
    createBeefweb(polled),
    createMixxx(machine),
    createSerato(machine),
    createTextFile(),
    createPear(streamed),
    createCider(streamed),
    createJellyfin(streamed),
    createEmby(streamed),
    createPlex(streamed),
    createSubsonic(polled),
    createHomeAssistant(streamed),
    createLastfm({
      ...polled,
      apiUrl: settings.lastfmApiUrl,
      apiKey: settings.lastfmApiKey,
      pauses: pausesOf("lastfm"),
    }),
    createListenBrainzReader({
      ...polled,
      apiUrl: settings.listenbrainzApiUrl,
      pauses: pausesOf("listenbrainz-reader"),
    }),
    createAzuraCast(polled),
    createIcecast(polled),
    createRadio({
      playerHosts: settings.playerHosts,
      upstreamOf: (origins, allowsHttp) => upstreamAt(origins, "radio", allowsHttp),
    }),
    ...createPushedSources(deps.pushed, deps.broadcasts),
    demo,
  ];
  const upstreamTo = (url: string) =>
    createUpstream({ clock, trustedOrigins: [originOf(url)], network });
  const known = new Map(all.map((source) => [source.id, source]));
  const knownNames = new Map(all.map(({ name, facts }) => [name, facts.viewersKnow ?? ""]));
  const findPlayers = once(async () => {
    const { createPlayersHere } = await import("./here/players-here.ts");
    return createPlayersHere(all, { clock, machine, upstreamTo });
  });
  return {
    all,
    byId: (id: string) => known.get(id),
    /** The name of a playback's source that viewers know; empty where they know none. */
    knownNameOf: ({ source }: Pick<Playback, "source">) => knownNames.get(source) ?? "",
    /** The players on this machine that can be connected without typing; takes at most a second. */
    playersHere: async () => (await findPlayers())(),
  };
}
