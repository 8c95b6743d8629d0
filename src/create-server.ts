import { type AppDeps, createApp } from "./app.ts";
import { createConnectionFinder, type FindConnections } from "./channels/connection-finder.ts";
import { createHub, type Hub } from "./channels/hub.ts";
import { createCoverSearch } from "./covers/search.ts";
import { createCoverServices } from "./covers/services.ts";
import { createInbox } from "./ingest/inbox.ts";
import { storingStatuses } from "./music/storing-statuses.ts";
import { createConsentReminder } from "./sources/consent-reminder.ts";
import type { Machine } from "./sources/here/found.ts";
import { createSources } from "./sources/index.ts";
import { broadcastPlaceOf } from "./sources/pushed.ts";
import { createBackupRestorer } from "./vault/backup-restorer.ts";

export interface ServerDeps extends Omit<
  AppDeps,
  "hub" | "sources" | "inbox" | "broadcasts" | "takeCopy" | "probeWrite" | "restorer"
> {
  /** Has the server start again with a backup, after what it answers now. */
  restartRestored(): void;
  /** Where players are looked for. */
  readonly machine: Machine;
  /** The users' connections, from those that are stored. */
  connectionsFrom(stored: FindConnections): FindConnections;
}

/** Assembles a whole server. It does no I/O until one of its parts is used. */
export function createServer(deps: ServerDeps) {
  const { settings, clock, log, accounts, store, random } = deps;
  const storeStatus = storingStatuses(accounts.connections, log);
  const inbox = createInbox(clock, (connectionId) =>
    // The connection works, although nobody may be watching it now.
    storeStatus(connectionId, { state: "ok", since: clock.wallMs() }),
  );
  const broadcasts = broadcastPlaceOf(settings.config);
  const sources = createSources({
    ...deps,
    pushed: inbox,
    broadcasts,
    settings: settings.config,
    memory: accounts.upstreams,
  });
  const found = createConnectionFinder(accounts, sources, settings.config.demo, log);
  const coverSearch = createCoverSearch({
    clock,
    log,
    services: createCoverServices(settings.config.coverSearch, deps),
    known: accounts.foundCovers,
    coverlessOf: (userId) => hub.coverlessOf(userId),
  });
  const hub: Hub = createHub({
    connectionsOf: deps.connectionsFrom(found),
    clock,
    log,
    random,
    onStatus: storeStatus,
    privacyOf: accounts.privacy.of,
    foundCover: coverSearch.coverOf,
  });
  coverSearch.onFound(hub.notify);
  const app = createApp({
    ...deps,
    inbox,
    broadcasts,
    hub,
    sources,
    takeCopy: store.takeCopy,
    probeWrite: store.probeWrite,
    restorer: createBackupRestorer({
      store,
      clock,
      folder: settings.config.data,
      secretKey: settings.config.secretKey,
      restart: deps.restartRestored,
    }),
  });

  return {
    app,
    hub,
    accounts,
    sources,
    inbox,
    /** Warns in the log of consents that end soon. */
    remindOfConsent: createConsentReminder({ ...deps, sources }),
    /** Stops watching all connections. The store stays open for remaining writes. */
    close: hub.stop,
  };
}

export type ServerParts = ReturnType<typeof createServer>;
