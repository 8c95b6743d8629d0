import type { Clock } from "../../clock.ts";
import type { Pool } from "../../db/postgres/pool.ts";
import type { Ledger, LedgerOf } from "../../sources/polling/ledger.ts";
import type { Bus } from "../bus.ts";

/** A grant that comes later may fall into another window, so it is left unused. */
const GRANT_HOLDS_MS = 800;

export interface PostgresLedgerDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly pool: Pick<Pool, "query">;
  readonly bus: Pick<Bus, "send" | "onMessage" | "node">;
  /** How many users of an upstream other nodes watch for subscribers. */
  watchedElsewhere(upstream: string): number;
}

/** The budgets of all nodes together, and how many users this node watches of each upstream. */
export function createPostgresLedgers({ clock, pool, bus, ...deps }: PostgresLedgerDeps) {
  const counts = new Map<string, () => number>();

  const ledgerOf: LedgerOf = ({ upstream, limits, windowMs }): Ledger => ({
    async take(wants) {
      const askedAtMs = clock.monotonicMs();
      const [row] = await pool.query(
        `SELECT take_calls($1, $2::integer, ARRAY(SELECT json_array_elements_text($3::text::json)::integer),
          ARRAY(SELECT json_array_elements_text($4::text::json)::integer))::text`,
        [upstream, windowMs, JSON.stringify(limits), JSON.stringify(wants)],
      );
      const numbers = String(row?.[0]).replace(/[{}]/g, "").split(",").map(Number);
      const roomInMs = numbers.pop() ?? 0;
      const isLate = clock.monotonicMs() - askedAtMs > GRANT_HOLDS_MS;
      return { granted: isLate ? numbers.map(() => 0) : numbers, roomInMs };
    },
    watchedElsewhere: () => deps.watchedElsewhere(upstream),
    countWatched: (count) => void counts.set(upstream, count),
    close: (pauseMs) => bus.send(["closed", upstream, pauseMs]),
    onClose(listener) {
      bus.onMessage((message, from) => {
        if (message[0] === "closed" && message[1] === upstream && from !== bus.node) {
          listener(message[2]);
        }
      });
    },
  });

  return {
    ledgerOf,
    watched: () => Object.fromEntries([...counts].map(([upstream, count]) => [upstream, count()])),
  };
}
