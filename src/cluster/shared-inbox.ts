import { createBoundedMap } from "../bounded-map.ts";
import { atMost, type Clock } from "../clock.ts";
import type { Inbox, InboxReport as Pushed } from "../ingest/inbox.ts";
import { describeError, type Log } from "../log.ts";
import type { Artwork } from "../playback.ts";
import type { Bus } from "./bus.ts";
import type { Leases } from "./leases.ts";
import { followConnected, type KnownReport } from "./connected-programs.ts";
import type { PushedReport } from "./message.ts";
import {
  createReportStore,
  MOST_CONNECTIONS,
  NotStoredError,
  type ReportTable,
  STORED_WITHIN_MS,
  type StoredReport,
} from "./report-store.ts";
import { type ArtworkFrom, shiftPlayback } from "./shift.ts";

export interface SharedInboxDeps {
  readonly clock: Pick<Clock, "monotonicMs" | "after" | "sleep">;
  readonly log: Pick<Log, "error">;
  readonly bus: Bus;
  readonly leases: Pick<Leases, "nodes" | "standing" | "lapses" | "onChange">;
  readonly table: ReportTable;
  readonly artworkFrom: ArtworkFrom;
  /** Keeps a user's cover where all nodes find it. */
  keep(userId: number, artwork: Artwork): void;
}

const LOAD_AGAIN_MS = 500;
/**
 * The inboxes of all nodes as one: programs report to any of them. A report is stored in a table
 * first, which gives it a version, and then sent to all nodes. It counts, and the program gets its
 * answer, when it has come back from the bus: by then no node's end can lose it. A node that starts
 * or was away reads the table.
 */
export function shareInbox(inbox: Inbox, deps: SharedInboxDeps): Inbox {
  const { clock, log, bus, leases, table, artworkFrom } = deps;
  const { node } = bus;
  const known = createBoundedMap<number, KnownReport>(MOST_CONNECTIONS);
  const reports = createReportStore({ clock, bus, table });
  const { store } = reports;
  /** While reports may have been missed: then whoever begins to watch waits. */
  let behind: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  /** Counts how often reports may have been missed. */
  let misses = 0;
  /** A failure is logged once, until the table was read again. */
  let isFailing = false;
  /** Connections of which something has come while the table is being read. */
  let changedMeanwhile: Set<number> | undefined;

  const take = (
    connectionId: number,
    pushed: Pushed | null,
    report: Pick<KnownReport, "version" | "node" | "receivedAtMs">,
  ) => {
    known.set(connectionId, { ...report, lifetime: pushed?.lifetime ?? null });
    changedMeanwhile?.add(connectionId);
    void inbox.put(connectionId, pushed, report.receivedAtMs);
  };

  /** What still counts of a report. */
  const pushedNow = (connectionId: number, { lifetime }: KnownReport): Pushed | undefined => {
    const playback = inbox.current(connectionId);
    return playback && lifetime ? { playback, lifetime } : undefined;
  };

  const pushedOf = (report: PushedReport | null, receivedAtMs: number): Pushed | null =>
    report && {
      playback: shiftPlayback(report.playback, receivedAtMs - report.receivedAtMs, artworkFrom),
      lifetime: report.lifetime,
    };

  const takeStored = (stored: StoredReport) => {
    const { connectionId, version } = stored;
    const before = known.get(connectionId);
    if (before?.version === version || changedMeanwhile?.has(connectionId)) return;
    const own = stored.node === node ? reports.sent(version) : undefined;
    const receivedAtMs = own?.receivedAtMs ?? clock.monotonicMs() - stored.ageMs;
    const pushed = own ? own.pushed : pushedOf(stored.report, receivedAtMs);
    take(connectionId, pushed, { version, node: stored.node, receivedAtMs });
    own?.done.resolve();
  };

  const { connectedReport } = followConnected({
    clock,
    inbox,
    leases,
    known,
    node,
    pushedNow,
    store,
  });

  /**
   * What a crash of the database has lost, and what it could not take. What a node received that is
   * gone is stored by all others: it does no harm.
   */
  const storeAgain = (found: ReadonlySet<number>) => {
    for (const [id, report] of [...known.entries()]) {
      if (found.has(id)) continue;
      // A database that lost its last moments counts from an earlier version on.
      known.set(id, { ...report, version: 0 });
      const isGone = report.node !== node && !leases.nodes.includes(report.node);
      const isOwn = report.node === node || (isGone && !connectedReport(id, report));
      const pushed = isOwn ? pushedNow(id, report) : undefined;
      if (pushed && !reports.isWaiting(id)) void store(id, pushed, report.receivedAtMs);
    }
    reports.storeFailed();
  };

  /** Reads the table until that succeeds, or until more was missed. */
  const catchUp = async () => {
    misses += 1;
    const mine = misses;
    behind ??= Promise.withResolvers();
    while (mine === misses) {
      changedMeanwhile = new Set();
      try {
        const stored = await table.load();
        if (mine !== misses) return;
        for (const report of stored) takeStored(report);
        changedMeanwhile = undefined;
        behind?.resolve();
        behind = undefined;
        storeAgain(new Set(stored.map(({ connectionId }) => connectionId)));
        isFailing = false;
        return;
      } catch (error) {
        if (!isFailing)
          log.error("pushed reports cannot be read", { reason: describeError(error) });
        isFailing = true;
        await clock.sleep(LOAD_AGAIN_MS, new AbortController().signal);
      }
    }
  };

  const keepWanted = (userId: number, key: string) => {
    for (const [connectionId, report] of known.entries()) {
      if (report.node !== node) continue;
      const artworks = inbox.current(connectionId)?.album.artworks ?? [];
      const artwork = artworks.find((one) => one.key === key);
      if (artwork) return deps.keep(userId, artwork);
    }
  };

  bus.onUp(() => void catchUp());
  bus.onDown(() => {
    misses += 1;
    behind ??= Promise.withResolvers();
  });
  bus.onMessage((message, from) => {
    switch (message[0]) {
      case "pushed": {
        const [, connectionId, version, report, ageMs] = message;
        const own = from === node ? reports.takeSent(version) : undefined;
        if (version > (known.get(connectionId)?.version ?? 0)) {
          const receivedAtMs = own?.receivedAtMs ?? clock.monotonicMs() - ageMs;
          const pushed = own ? own.pushed : pushedOf(report, receivedAtMs);
          take(connectionId, pushed, { version, node: from, receivedAtMs });
        }
        return own?.done.resolve();
      }
      case "wanted":
        return from === node ? undefined : keepWanted(message[1], message[2]);
      case "post": {
        const [, connectionId, refusal] = message;
        if (from === node) return;
        if (refusal === null) inbox.noteReceived(connectionId);
        else inbox.noteRefused(connectionId, refusal);
        return;
      }
      default:
    }
  });

  return {
    ...inbox,
    async put(connectionId, pushed, receivedAtMs = clock.monotonicMs()) {
      const stored = store(connectionId, pushed, receivedAtMs).then(() => true);
      if (await atMost(clock, STORED_WITHIN_MS, stored)) return;
      throw new NotStoredError("the report was not stored in time");
    },
    async shorten(connectionId, ms) {
      await reports.settled(connectionId);
      const report = known.get(connectionId);
      const pushed = report?.node === node ? pushedNow(connectionId, report) : undefined;
      if (!report || !pushed) return;
      const lastsMs = clock.monotonicMs() - report.receivedAtMs + ms;
      const lifetime = { kind: "exactly", ms: lastsMs } as const;
      await store(connectionId, { ...pushed, lifetime }, report.receivedAtMs);
    },
    async *watch(connectionId, signal) {
      const ended = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => ended.resolve(), { once: true });
      while (behind && !signal.aborted) await Promise.race([behind.promise, ended.promise]);
      yield* inbox.watch(connectionId, signal);
    },
    noteReceived(connectionId) {
      inbox.noteReceived(connectionId);
      bus.send(["post", connectionId, null]);
    },
    noteRefused(connectionId, reason) {
      inbox.noteRefused(connectionId, reason);
      bus.send(["post", connectionId, reason]);
    },
  };
}
