import type { Accounts } from "./accounts/accounts.ts";
import type { ReportedStatus } from "./music/connection-status.ts";
import type { Vault } from "./vault/secrets.ts";
import { type App, createApp } from "./app.ts";
import type { DiskCache } from "./artwork/disk-cache.ts";
import { createHub, type Hub, type HubDeps } from "./channels/hub.ts";
import {
  type ConnectionFinder,
  createConnectionFinder,
  DEMO_LISTENER,
} from "./channels/connection-finder.ts";
import { ConnectionSet, type WatchingDeps } from "./channels/connection-set.ts";
import type { Clock } from "./clock.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { ArtworkReference } from "./cluster/message.ts";
import type { Relay } from "./cluster/relay.ts";
import type { ResolvedConfig } from "./config.ts";
import type { CommandDescription } from "./docs/commands-table.ts";
import type { Store } from "./db/store.ts";
import { createInbox, type Inbox } from "./ingest/inbox.ts";
import { describeError, type Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Artwork } from "./playback.ts";
import { createConsentReminder } from "./sources/consent-reminder.ts";
import type { Machine } from "./sources/here/found.ts";
import { createSources, type Sources } from "./sources/index.ts";
import type { Fetch } from "./sources/upstream/index.ts";

export interface ServerDeps {
  /** The settings in force and where each came from. */
  readonly settings: ResolvedConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly accounts: Accounts;
  readonly store: Store;
  readonly vault: Vault;
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** Host and port where programs on this machine reach the server. */
  readonly listeningAddress: string;
  /** The program's commands, for the documentation. They are loaded when they are needed. */
  readonly commands: () => Promise<readonly CommandDescription[]>;
  /** Counts events for `/metrics`. Without it, nothing is counted and `/metrics` does not exist. */
  readonly metrics?: Metrics;
  /** Keeps resized covers across restarts. */
  readonly artworkCache?: DiskCache;
  /** Replaces the network. */
  readonly fetch?: Fetch;
  /** Replaces where players of this machine are looked for. */
  readonly machine?: Machine;
  /** What is shared with other nodes. Without it this server is alone. */
  readonly cluster?: Cluster;
  /** Replaces the random number generator: numbers from 0 to 1. */
  random?(): number;
  /** Replaces or extends the users' connections. */
  replaceConnections?(real: ConnectionFinder): ConnectionFinder;
}

export interface ServerParts {
  readonly app: App;
  readonly hub: Hub;
  readonly accounts: Accounts;
  readonly sources: Sources;
  readonly inbox: Inbox;
  /** Warns in the log of consents that end soon. Of several nodes, each warns of its own users. */
  remindOfConsent(): Promise<void>;
  /** Stops watching all connections. The store stays open for remaining writes. */
  close(): void;
}

/** Assembles a whole server. It does no I/O until one of its parts is used. */
export function createServer(deps: ServerDeps): ServerParts {
  const { settings, clock, log, accounts, store, vault, metrics, random = Math.random } = deps;
  const { cluster } = deps;
  const { config } = settings;
  const storeStatus = storingStatuses(accounts.connections, log);
  const ownInbox = createInbox(clock, (connectionId) =>
    // The connection works, although nobody may be watching it now.
    storeStatus(connectionId, { state: "ok", since: clock.wallMs() }),
  );
  const inbox = cluster?.shareInbox(ownInbox, artworksIn(cluster, vault)) ?? ownInbox;
  const sources = createSources({
    pushed: inbox,
    ...(metrics && { onCall: metrics.upstreamCall, onPoll: metrics.polledAgain }),
    ...(deps.fetch && { fetch: deps.fetch }),
    ...(deps.machine && { machine: deps.machine }),
    ...(cluster && { ledgerOf: cluster.ledgerOf }),
    clock,
    settings: config,
    memory: accounts.upstreams,
  });
  const real = createConnectionFinder(accounts, sources, config.demo, log);
  const hubDeps: HubDeps = {
    ...(deps.replaceConnections?.(real) ?? real),
    clock,
    log,
    random,
    privacyOf: (userId) => accounts.privacy.of(userId),
    onStatus: storeStatus,
  };
  const relay = cluster && relayIn(cluster, hubDeps, vault);
  const hub = createHub({ ...hubDeps, ...(relay && { relay }) });
  if (cluster && relay) {
    const { bus, leases } = cluster;
    metrics?.watch({
      shards: leases.held,
      relayed_channels: relay.relayed,
      watched_users: relay.watched,
      bus_delay_seconds: () => (bus.up ? (bus.delayMs ?? NaN) / 1000 : NaN),
    });
  }
  const app = createApp({
    ...(metrics && { metrics }),
    ...(deps.artworkCache && { artworkCache: deps.artworkCache }),
    ...(deps.fetch && { fetch: deps.fetch }),
    inbox,
    accounts,
    hub,
    sources,
    vault,
    clock,
    log,
    settings,
    baseUrl: deps.baseUrl,
    listeningAddress: deps.listeningAddress,
    commands: deps.commands,
    snapshot: store.file?.snapshot,
    ...(cluster &&
      relay && {
        shared: {
          relay,
          admissions: cluster.admissions,
          findArtwork: cluster.pictures.find,
        },
      }),
    probeWrite() {
      // A node that others cannot hear shows nothing new, so browsers should go elsewhere.
      if (cluster && !cluster.bus.up) throw new Error("the other nodes are not heard");
      return store.probeWrite();
    },
  });

  return {
    app,
    hub,
    accounts,
    sources,
    inbox,
    remindOfConsent: createConsentReminder({
      accounts,
      sources,
      clock,
      log,
      isOurs: cluster?.leases.isOurs ?? (() => true),
    }),
    close() {
      hub.stop();
      relay?.stop();
    },
  };
}

/**
 * Stores statuses of connections, which are kept until they can be stored. A lock or a full disk
 * concerns all of them, so the log says once that they cannot, and once that they can again.
 */
function storingStatuses({ storeStatus, onStatus }: Accounts["connections"], log: Log) {
  let unstored = 0;
  onStatus(() => {
    if (unstored > 0) log.info("connections' statuses are stored again", { waited: unstored });
    unstored = 0;
  });
  return async (connectionId: number, status: ReportedStatus): Promise<void> => {
    try {
      await storeStatus(connectionId, status);
    } catch (error) {
      unstored += 1;
      if (unstored > 1) return;
      log.error("connections' statuses cannot be stored", { reason: describeError(error) });
    }
  };
}

/** The covers of all nodes, by the names under which they are served. */
function artworksIn({ pictures }: Cluster, { opaqueName }: Pick<Vault, "opaqueName">) {
  const keepAll = (userId: number, artworks: readonly Artwork[]) =>
    pictures.keep(
      userId,
      artworks.map((artwork) => ({ id: opaqueName(artwork.key), artwork })),
    );
  return {
    artworkFrom: (told: ArtworkReference) => pictures.received(opaqueName(told.key), told),
    keepAll,
    keep: (userId: number, artwork: Artwork) => keepAll(userId, [artwork]),
  };
}

/** Watches on this node the users whose shards it leases, and hears all others. */
function relayIn(cluster: Cluster, hubDeps: HubDeps, vault: Pick<Vault, "opaqueName">): Relay {
  const watchHere = (of: WatchingDeps) => new ConnectionSet(of, hubDeps);
  const { artworkFrom, keepAll } = artworksIn(cluster, vault);
  const relay = cluster.createRelay({
    ...hubDeps,
    watch: watchHere,
    artworkFrom,
    onPublish(userId, connections) {
      keepAll(
        userId,
        connections.flatMap(({ state }) =>
          state.kind === "heard" ? (state.playback?.album.artworks ?? []) : [],
        ),
      );
    },
  });
  // Every node plays the demo by itself: it is nobody's.
  const watch = (of: WatchingDeps) =>
    of.userId === DEMO_LISTENER ? watchHere(of) : relay.watch(of);
  return { ...relay, watch };
}
