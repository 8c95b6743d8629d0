import { createBoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";
import { expiresAtMs } from "../ingest/expiry.ts";
import type { InboxReport as Pushed } from "../ingest/inbox.ts";
import type { Bus } from "./bus.ts";
import type { Node, PushedReport } from "./message.ts";

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

/** A report that this node has received and that is being stored. */
export interface Waiting {
  readonly pushed: Pushed | null;
  /** Monotonic. */
  readonly receivedAtMs: number;
  readonly done: PromiseWithResolvers<void>;
}

/** Stores what programs report to this node, and sends it to all nodes. */
export interface ReportStore {
  /** Resolves when the report has come back from the bus. @throws {NotStoredError} */
  store(connectionId: number, pushed: Pushed | null, receivedAtMs: number): Promise<void>;
  /** What this node has sent under a version, until it is taken. */
  sent(version: number): Waiting | undefined;
  /** It has come back. */
  takeSent(version: number): Waiting | undefined;
  /** Whether a newer report of a connection waits to be stored. */
  isWaiting(connectionId: number): boolean;
  /** Resolves when the last report of a connection is stored, or is not. */
  settled(connectionId: number): Promise<void> | undefined;
  /** Stores what could not be stored, unless more has come since. */
  storeFailed(): void;
}

/** Of more connections than these, no report is kept. */
export const MOST_CONNECTIONS = 10_000;
/** A program waits so long for its answer at most. */
export const STORED_WITHIN_MS = 3_000;
/** How long the table remembers that nothing plays. */
const AN_HOUR_MS = 3_600_000;

/** A report may be lost, because the database cannot be reached. */
export class NotStoredError extends Error {
  override readonly name = "NotStoredError";
}

export function createReportStore({
  clock,
  bus,
  table,
}: {
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  readonly bus: Pick<Bus, "node" | "send">;
  readonly table: Pick<ReportTable, "store">;
}): ReportStore {
  /** Not yet being stored: only the last one of each connection counts. */
  const waiting = createBoundedMap<number, Waiting>(MOST_CONNECTIONS);
  /** Stored and sent, by version, until they come back. */
  const sent = new Map<number, Waiting>();
  /** The last report of a connection that is on its way, whatever becomes of it. */
  const onTheWay = new Map<number, Promise<void>>();
  let isStoring = false;

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
        const versions = await table.store(bus.node, reports);
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

  return {
    store,
    sent: (version) => sent.get(version),
    takeSent(version) {
      const own = sent.get(version);
      sent.delete(version);
      return own;
    },
    isWaiting: (connectionId) => waiting.get(connectionId) !== undefined,
    settled: (connectionId) => onTheWay.get(connectionId),
    storeFailed() {
      const failed = later;
      later = new Map();
      for (const [id, { pushed, receivedAtMs }] of failed) {
        if (!waiting.get(id)) void store(id, pushed, receivedAtMs);
      }
    },
  };
}
