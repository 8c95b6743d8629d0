import type { Accounts } from "./accounts/accounts.ts";
import type { Vault } from "./accounts/secrets.ts";
import { type App, createApp } from "./app.ts";
import type { DiskCache } from "./artwork/disk-cache.ts";
import { createHub, type Hub } from "./channels/hub.ts";
import { type ConnectionFinder, createConnectionFinder } from "./channels/connection-finder.ts";
import type { Clock } from "./clock.ts";
import type { ResolvedConfig } from "./config.ts";
import type { Store } from "./db/store.ts";
import type { Inboxes } from "./ingest/door.ts";
import { createInbox, type Inbox } from "./ingest/inbox.ts";
import { describeError, type Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Machine } from "./sources/found.ts";
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
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** Host and port where programs on this machine reach the server. */
  readonly listeningAddress: string;
  /** Counts events for `/metrics`. Without it, nothing is counted and `/metrics` does not exist. */
  readonly metrics?: Metrics;
  /** Keeps resized covers across restarts. */
  readonly artworkCache?: DiskCache;
  /** Replaces the network. */
  readonly fetch?: Fetch;
  /** Replaces where players of this machine are looked for. */
  readonly machine?: Machine;
  /** Replaces whose connections the secrets of other programs open. */
  readonly inboxes?: Inboxes;
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
  /** Stops watching all connections. The store stays open for remaining writes. */
  close(): void;
}

/** Assembles a whole server. It does no I/O until one of its parts is used. */
export function createServer(deps: ServerDeps): ServerParts {
  const { settings, clock, log, accounts, store, vault, metrics, random = Math.random } = deps;
  const { config } = settings;
  const inbox = createInbox(clock, async (connectionId) => {
    // The connection works, although nobody may be watching it now.
    const status = { state: "ok", since: clock.wallMs() } as const;
    await accounts.connections.storeStatus(connectionId, status).catch((error: unknown) => {
      log.error("a connection's status could not be stored", { reason: describeError(error) });
    });
  });
  const sources = createSources({
    pushed: inbox,
    ...(metrics && { onCall: metrics.upstreamCall, onPoll: metrics.polledAgain }),
    ...(deps.fetch && { fetch: deps.fetch }),
    ...(deps.machine && { machine: deps.machine }),
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
    ...(deps.fetch && { fetch: deps.fetch }),
    inbox,
    inboxes: deps.inboxes ?? accounts.connections,
    accounts,
    hub,
    sources,
    vault,
    clock,
    log,
    settings,
    baseUrl: deps.baseUrl,
    listeningAddress: deps.listeningAddress,
    snapshot: store.file?.snapshot,
    probeWrite: store.probeWrite,
  });

  return { app, hub, accounts, sources, inbox, close: hub.stop };
}
