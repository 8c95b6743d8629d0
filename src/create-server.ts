import type { Accounts } from "./accounts/accounts.ts";
import type { Vault } from "./accounts/secrets.ts";
import { type App, createApp } from "./app.ts";
import type { DiskCache } from "./artwork/disk-cache.ts";
import { createHub, type Hub } from "./channels/hub.ts";
import { type ConnectionFinder, createConnectionFinder } from "./channels/connection-finder.ts";
import type { Clock } from "./clock.ts";
import type { ResolvedConfig } from "./config.ts";
import type { Store } from "./db/open.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { createSources, type Sources } from "./sources/index.ts";
import type { Fetch } from "./sources/upstream.ts";

export interface ServerDeps {
  /** The settings in force and where each came from. */
  readonly settings: ResolvedConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly accounts: Accounts;
  readonly store: Store;
  readonly vault: Vault;
  /** Where the server is reached, without a slash at the end. */
  readonly baseUrl: string;
  /** Host and port at which programs of this machine reach it. */
  readonly listeningAddress: string;
  /** Counts what happens; without it nothing is counted and there is no `/metrics`. */
  readonly metrics?: Metrics;
  /** Keeps drawn covers over restarts. */
  readonly artworkCache?: DiskCache;
  /** In place of the network. */
  readonly fetch?: Fetch;
  /** In place of chance: numbers from 0 to 1. */
  random?(): number;
  /** In place of users' own connections, or beside them. */
  replaceConnections?(real: ConnectionFinder): ConnectionFinder;
}

export interface ServerParts {
  readonly app: App;
  readonly hub: Hub;
  readonly accounts: Accounts;
  readonly sources: Sources;
  /** Watches nobody's music any more. The store stays open for what is still to be written. */
  close(): void;
}

/** Puts a whole server together; it does no I/O before something is asked of it. */
export function createServer(deps: ServerDeps): ServerParts {
  const { settings, clock, log, accounts, store, vault, metrics, random = Math.random } = deps;
  const { config } = settings;
  const sources = createSources({
    ...(metrics && { onCall: metrics.upstreamCall, onPoll: metrics.polledAgain }),
    ...(deps.fetch && { fetch: deps.fetch }),
    clock,
    settings: config,
    memory: accounts.upstreams,
  });
  const real = createConnectionFinder(accounts, sources, config.demo, log);
  const hub = createHub({
    ...(deps.replaceConnections?.(real) ?? real),
    clock,
    log,
    random,
    onRefused: (connectionId) => accounts.connections.markRefused(connectionId),
    privacyOf: (userId) => accounts.privacy.of(userId),
    onStatus: (connectionId, status) => accounts.connections.storeStatus(connectionId, status),
  });
  const app = createApp({
    ...(metrics && { metrics }),
    ...(deps.artworkCache && { artworkCache: deps.artworkCache }),
    accounts,
    hub,
    sources,
    vault,
    clock,
    log,
    settings,
    baseUrl: deps.baseUrl,
    listeningAddress: deps.listeningAddress,
    snapshot: store.snapshot,
    probeWrite: store.probeWrite,
  });

  return { app, hub, accounts, sources, close: hub.stop };
}
