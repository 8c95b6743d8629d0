import { createBoundedMap } from "../bounded-map.ts";
import { atMost, type Clock } from "../clock.ts";
import { DISCONNECTED_MS, expiresAtMs, type Lifetime } from "../ingest/expiry.ts";
import type { Inbox, InboxReport as Pushed } from "../ingest/inbox.ts";
import { describeError, type Log } from "../log.ts";
import type { Artwork } from "../playback.ts";
import type { Bus } from "./bus.ts";
import type { Leases } from "./leases.ts";
import type { Node, PushedReport } from "./message.ts";
import { type ArtworkFrom, shiftPlayback } from "./shift.ts";

/** A report to be stored. */
export interface NewReport {
  readonly connectionId: number;
  /** `null` while nothing plays. */
  readonly report: PushedReport | null;
  /** Milliseconds since it was received. */
  readonly ageMs: number;
  /** How long it counts since it was received; `Infinity` while the program is connected. */
  readonly lastsMs: number;
}

export interface StoredReport extends Omit<NewReport, "lastsMs"> {
  readonly version: number;
  /** To which node the program reported. */
  readonly node: Node;
}

/** The table of the last report for each connection, which all nodes share. */
export interface ReportTable {
  /**
   * Stores one report for each of some connections. Resolves with its version by connection: one
   * that is missing was not stored, because a newer one is there.
   */
  store(node: Node, reports: readonly NewReport[]): Promise<ReadonlyMap<number, number>>;
  /** All that still count. */
  load(): Promise<readonly StoredReport[]>;
}

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

/** A report that this node has received and that is being stored. */
interface Waiting {
  readonly pushed: Pushed | null;
  /** Monotonic. */
  readonly receivedAtMs: number;
  readonly done: PromiseWithResolvers<void>;
}

/** The last report of a connection, as far as this node knows. Its content is in the inbox. */
interface Known {
  readonly version: number;
  readonly node: Node;
  /** `null` while nothing plays. */
  readonly lifetime: Lifetime | null;
  /** Monotonic. */
  readonly receivedAtMs: number;
}

const MOST_CONNECTIONS = 10_000;
/** A program waits so long for its answer at most. */
const STORED_WITHIN_MS = 3_000;
const LOAD_AGAIN_MS = 500;
/** A node that is not among the living may have come after the last beat, or be about to return. */
const GONE_FOR_MS = 4_000;

/** A report may be lost, because the database cannot be reached. */
export class NotStoredError extends Error {
  override readonly name = "NotStoredError";
}

/**
 * The inboxes of all nodes as one: programs report to any of them. A report is stored in a table
 * first, which gives it a version, and then sent to all nodes. It counts, and the program gets its
 * answer, when it has come back from the bus: by then no node's end can lose it. A node that starts
 * or was away reads the table.
 */
export function shareInbox(inbox: Inbox, deps: SharedInboxDeps): Inbox {
  const { clock, log, bus, leases, table, artworkFrom } = deps;
  const { node } = bus;
  const known = createBoundedMap<number, Known>(MOST_CONNECTIONS);
  /** Not yet being stored: only the last one of each connection counts. */
  const waiting = createBoundedMap<number, Waiting>(MOST_CONNECTIONS);
  /** Stored and sent, by version, until they come back. */
  const sent = new Map<number, Waiting>();
  /** The last report of a connection that is on its way, whatever becomes of it. */
  const onTheWay = new Map<number, Promise<void>>();
  let isStoring = false;
  /** While reports may have been missed: then whoever begins to watch waits. */
  let behind: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  /** Counts how often reports may have been missed. */
  let misses = 0;
  /** Connections of which something has come while the table is being read. */
  let changedMeanwhile: Set<number> | undefined;
  /** Since when nodes are gone to which programs are connected (monotonic). */
  const goneSinceMs = new Map<Node, number>();
  let { lapses } = leases;

  const toStore = (connectionId: number, { pushed, receivedAtMs }: Waiting): NewReport => ({
    connectionId,
    report: pushed && { receivedAtMs, ...pushed },
    ageMs: clock.monotonicMs() - receivedAtMs,
    lastsMs: pushed
      ? expiresAtMs(pushed.playback, pushed.lifetime, receivedAtMs) - receivedAtMs
      : AN_HOUR_MS,
  });

  const send = (version: number, { connectionId, report }: NewReport, waited: Waiting) => {
    sent.set(version, waited);
    const ageMs = clock.monotonicMs() - waited.receivedAtMs;
    bus.send(["pushed", connectionId, version, report, ageMs]);
    clock.after(STORED_WITHIN_MS, () => {
      if (sent.delete(version)) waited.done.reject(new NotStoredError("no node got the report"));
    });
  };

  /** One statement after the other; what comes meanwhile goes with the next. */
  const storeAll = async () => {
    isStoring = true;
    for (;;) {
      const storing = new Map(waiting.entries());
      if (storing.size === 0) break;
      waiting.clear();
      const reports = [...storing].map(([id, waited]) => toStore(id, waited));
      try {
        const versions = await table.store(node, reports);
        for (const report of reports) {
          const waited = storing.get(report.connectionId);
          const version = versions.get(report.connectionId);
          if (!waited) continue;
          if (version === undefined) waited.done.resolve();
          else send(version, report, waited);
        }
      } catch (error) {
        const failed = new NotStoredError("the report cannot be stored", { cause: error });
        for (const { done } of storing.values()) done.reject(failed);
        keepForLater(storing);
      }
    }
    isStoring = false;
  };

  /** What could not be stored is stored once the database is back, unless more has come since. */
  let later = new Map<number, Waiting>();
  const keepForLater = (failed: ReadonlyMap<number, Waiting>) => {
    for (const [connectionId, waited] of failed) {
      later.delete(connectionId);
      if (later.size < MOST_CONNECTIONS) later.set(connectionId, waited);
    }
  };

  const store = (
    connectionId: number,
    pushed: Pushed | null,
    receivedAtMs: number,
  ): Promise<void> => {
    const before = waiting.get(connectionId);
    const done = Promise.withResolvers<void>();
    const settled = done.promise
      .catch(() => {})
      .finally(() => {
        if (onTheWay.get(connectionId) === settled) onTheWay.delete(connectionId);
      });
    onTheWay.set(connectionId, settled);
    waiting.set(connectionId, { pushed, receivedAtMs, done });
    later.delete(connectionId);
    before?.done.resolve(done.promise);
    if (!isStoring) void storeAll();
    return done.promise;
  };

  const take = (
    connectionId: number,
    pushed: Pushed | null,
    report: Pick<Known, "version" | "node" | "receivedAtMs">,
  ) => {
    known.set(connectionId, { ...report, lifetime: pushed?.lifetime ?? null });
    changedMeanwhile?.add(connectionId);
    void inbox.put(connectionId, pushed, report.receivedAtMs);
  };

  /** What still counts of a report. */
  const pushedNow = (connectionId: number, { lifetime }: Known): Pushed | undefined => {
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
    const own = stored.node === node ? sent.get(version) : undefined;
    const receivedAtMs = own?.receivedAtMs ?? clock.monotonicMs() - stored.ageMs;
    const pushed = own ? own.pushed : pushedOf(stored.report, receivedAtMs);
    take(connectionId, pushed, { version, node: stored.node, receivedAtMs });
    own?.done.resolve();
  };

  /** What counts only because a program is connected to the node that received it. */
  const connectedReport = (connectionId: number, report: Known): Pushed | undefined => {
    if (report.lifetime?.kind !== "whileConnected") return undefined;
    const pushed = pushedNow(connectionId, report);
    return pushed?.playback.track.durationMs === null ? pushed : undefined;
  };

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
      if (pushed && !waiting.get(id)) void store(id, pushed, report.receivedAtMs);
    }
    const failed = later;
    later = new Map();
    for (const [id, { pushed, receivedAtMs }] of failed) {
      if (!waiting.get(id)) void store(id, pushed, receivedAtMs);
    }
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
        return;
      } catch (error) {
        log.error("pushed reports cannot be read", { reason: describeError(error) });
        await clock.sleep(LOAD_AGAIN_MS, new AbortController().signal);
      }
    }
  };

  /** A program that was connected to a node which is gone may be gone too: no node noticed it. */
  const endOrphans = () => {
    const nowMs = clock.monotonicMs();
    const gone = new Set<Node>();
    for (const [connectionId, report] of [...known.entries()]) {
      const { node: receiver } = report;
      if (receiver === node || !leases.standing || leases.nodes.includes(receiver)) continue;
      if (!connectedReport(connectionId, report)) continue;
      gone.add(receiver);
      const sinceMs = goneSinceMs.get(receiver) ?? nowMs;
      goneSinceMs.set(receiver, sinceMs);
      if (nowMs - sinceMs < GONE_FOR_MS) continue;
      void inbox.shorten(connectionId, DISCONNECTED_MS);
      known.set(connectionId, { ...report, lifetime: null });
    }
    for (const name of goneSinceMs.keys()) if (!gone.has(name)) goneSinceMs.delete(name);
  };

  const followLeases = () => {
    endOrphans();
    if (leases.lapses === lapses) return;
    lapses = leases.lapses;
    // The others may have taken this node for gone, but programs are still connected to it.
    for (const [connectionId, report] of [...known.entries()]) {
      const pushed = report.node === node ? connectedReport(connectionId, report) : undefined;
      if (pushed) void store(connectionId, pushed, report.receivedAtMs);
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
  leases.onChange(followLeases);
  bus.onMessage((message, from) => {
    switch (message[0]) {
      case "pushed": {
        const [, connectionId, version, report, ageMs] = message;
        const own = from === node ? sent.get(version) : undefined;
        sent.delete(version);
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
      await onTheWay.get(connectionId);
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

/** How long the table remembers that nothing plays. */
const AN_HOUR_MS = 3_600_000;
