import type { Vault } from "../../vault/vault.ts";
import type { Clock } from "../../clock.ts";
import { createListener } from "../../db/postgres/listener.ts";
import { createPool, type Pool } from "../../db/postgres/pool.ts";
import { describeError, type Log } from "../../log.ts";
import { LARGEST_COVER_BYTES, loadCover } from "../../upstream/cover.ts";
import { createUpstream, NETWORK } from "../../upstream/index.ts";
import { ConnectionSet, type WatchingDeps } from "../../channels/connection-set.ts";
import { DEMO_LISTENER } from "../../channels/connection-finder.ts";
import type { Artwork } from "../../playback.ts";
import type { Bus } from "../bus.ts";
import type { Cluster } from "../cluster.ts";
import { createLeases, type Leases } from "../leases.ts";
import { createMessageSeal } from "../message-seal.ts";
import { createSharedRelay } from "../relay.ts";
import type { ArtworkFrom } from "../shift.ts";
import { shareInbox } from "../shared-inbox.ts";
import { createPostgresAdmissions } from "./admissions.ts";
import { createPostgresBus } from "./bus.ts";
import { createPostgresLeases } from "./lease-table.ts";
import { createPostgresLedgers } from "./ledger.ts";
import { createPostgresCovers } from "./covers.ts";
import { createPostgresReports } from "./report-table.ts";

export interface ClusterOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The database's address, as `--database` takes it. Its tables are there already. */
  readonly url: string;
  readonly vault: Pick<Vault, "messageKeys" | "follow" | "opaqueName">;
}

/** For beats, messages, budgets, limits and covers, which do not wait for each other. */
const CONNECTIONS = 4;

export interface SharedCluster extends Cluster {
  readonly bus: Bus;
  readonly leases: Leases;
}

/** Joins the nodes that share a database. The server's own pool stays for its accounts. */
export function openCluster({ clock, log, url, vault }: ClusterOptions): SharedCluster {
  const pool = createPool(url, CONNECTIONS);
  // A name that is new with each start: what an earlier run of this server sent is another's.
  const node = crypto.randomUUID().slice(0, 8);
  const listen: Parameters<typeof createPostgresBus>[0]["listen"] = (options) =>
    createListener({ url, ...options });
  const seal = createMessageSeal(vault, clock.monotonicMs);
  const bus = createPostgresBus({ clock, log, pool, listen, node, seal });
  const ledgers = createPostgresLedgers({
    clock,
    pool,
    bus,
    watchedElsewhere: (upstream) => leases.watchedElsewhere(upstream),
  });
  const leases = createLeases({
    clock,
    log,
    bus,
    table: createPostgresLeases(pool),
    watched: ledgers.watched,
  });
  void warnIfOpenToAll(pool, log);
  const upstream = createUpstream({ clock, trustedOrigins: [], network: NETWORK });
  const loadFrom = (url: string) =>
    loadCover(
      new URL(url),
      (at) => upstream.fetch(at, { largestBytes: LARGEST_COVER_BYTES }),
      (_, to) => to.protocol === "https:",
    );
  const covers = createPostgresCovers({ clock, pool, log, bus, loadFrom });
  const { opaqueName } = vault;
  const artworkFrom: ArtworkFrom = (named) => covers.received(opaqueName(named.key), named);
  const keepAll = (userId: number, artworks: readonly Artwork[]) =>
    covers.keep(
      userId,
      artworks.map((artwork) => ({ id: opaqueName(artwork.key), artwork })),
    );
  const keepOne = (userId: number, artwork: Artwork) => keepAll(userId, [artwork]);
  return {
    bus,
    leases,
    isUp: () => bus.up,
    isOurs: leases.isOurs,
    onShift: leases.onChange,
    ledgerOf: ledgers.ledgerOf,
    admissions: createPostgresAdmissions(pool),
    findArtwork: covers.find,
    keepArtwork: keepOne,
    createRelay(deps) {
      const watchHere = (of: WatchingDeps) => new ConnectionSet(of, deps);
      const relay = createSharedRelay({
        ...deps,
        bus,
        leases,
        artworkFrom,
        watch: watchHere,
        onPublish: (userId, connections) =>
          keepAll(
            userId,
            connections.flatMap(({ state }) =>
              state.kind === "reported" ? (state.playback?.album.artworks ?? []) : [],
            ),
          ),
      });
      // Every node plays the demo: it is nobody's.
      const watch = (of: WatchingDeps) =>
        of.userId === DEMO_LISTENER ? watchHere(of) : relay.watch(of);
      return { ...relay, watch };
    },
    shareInbox: (own) =>
      shareInbox(own, {
        clock,
        log,
        bus,
        leases,
        table: createPostgresReports(pool),
        artworkFrom,
        keep: keepOne,
      }),
    release: leases.release,
    async close() {
      await leases.release();
      await bus.close();
      await pool.close();
    },
  };
}

/** Whether any role of the PostgreSQL server may connect to this database, as by default. */
export async function isOpenToAll(pool: Pick<Pool, "query">): Promise<boolean> {
  const [row] = await pool.query(
    "SELECT has_database_privilege('public', current_database(), 'CONNECT')",
  );
  return row?.[0] === true;
}

/** Others could see when nodes talk, and keep them busy with notices of no meaning. */
async function warnIfOpenToAll(pool: Pick<Pool, "query">, log: Log): Promise<void> {
  try {
    if (!(await isOpenToAll(pool))) return;
    log.warn(
      "every role of the PostgreSQL server may connect to this database: run REVOKE CONNECT ON DATABASE … FROM PUBLIC",
    );
  } catch (error) {
    log.warn("it is not known who may connect to the database", { reason: describeError(error) });
  }
}
