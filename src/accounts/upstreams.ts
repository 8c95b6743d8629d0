import { eq } from "drizzle-orm";
import { upstreams } from "../db/schema.ts";
import { type AccountsContext, readSealed } from "./context.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import { THE_SERVER } from "../vault/vault.ts";

/** This server's app registration with an upstream. */
export interface UpstreamApp {
  readonly clientId: string;
  readonly clientSecret: string | null;
}

/** A pause that an upstream asked for, in Unix milliseconds. */
export interface UpstreamPause {
  readonly from: number;
  readonly until: number;
}

/** What this server stores about its upstreams, for all users. */
export type Upstreams = ReturnType<typeof createUpstreams>;

export function createUpstreams({ store, vault, log }: AccountsContext, deferred: DeferredWrites) {
  const { queries } = store;
  const rowOf = (source: string) =>
    queries.select().from(upstreams).where(eq(upstreams.source, source)).get();
  const put = (row: typeof upstreams.$inferInsert) =>
    queries
      .insert(upstreams)
      .values(row)
      .onConflictDoUpdate({ target: upstreams.source, set: row })
      .run();
  /** The sources whose app is damaged, as far as the log says so. */
  const damaged = new Set<string>();
  return {
    /** `undefined` also for one that is damaged, as the log says: the owner enters it again. */
    appOf(source: string) {
      const sealed = rowOf(source)?.sealedApp;
      if (!sealed) return undefined;
      const app = readSealed(vault, "upstream-app", THE_SERVER, sealed) as UpstreamApp | undefined;
      if (!app && !damaged.has(source)) {
        damaged.add(source);
        log?.error("the stored app of a service is damaged: enter it again", { source });
      }
      return app;
    },
    /** Stores the app, encrypted, and replaces any other. */
    async enterApp(source: string, app: UpstreamApp) {
      const sealedApp = vault.seal("upstream-app", THE_SERVER, JSON.stringify(app));
      await store.write({ what: "upstreams" }, () => put({ source, sealedApp }));
    },
    pauseOf(source: string) {
      const { pausedFrom, pausedUntil } = rowOf(source) ?? {};
      return pausedFrom != null && pausedUntil != null
        ? { from: pausedFrom, until: pausedUntil }
        : undefined;
    },
    /** Rejects if it is not stored yet. It is retried: see {@link DeferredWrites}. */
    rememberPause: (source: string, { from, until }: UpstreamPause) =>
      deferred.write(`pause of ${source}`, () =>
        put({ source, pausedFrom: from, pausedUntil: until }),
      ),
  };
}
