import type { BoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";
import { DISCONNECTED_MS, type Lifetime } from "../ingest/expiry.ts";
import type { Inbox, InboxReport as Pushed } from "../ingest/inbox.ts";
import type { Leases } from "./leases.ts";
import type { Node } from "./message.ts";
import type { ReportStore } from "./report-store.ts";

/** The last report of a connection, as far as this node knows. Its content is in the inbox. */
export interface KnownReport {
  readonly version: number;
  readonly node: Node;
  /** `null` while nothing plays. */
  readonly lifetime: Lifetime | null;
  /** Monotonic. */
  readonly receivedAtMs: number;
}

/** A node that is not among the living may have come after the last beat, or be about to return. */
const GONE_FOR_MS = 4_000;

interface ConnectedDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly inbox: Pick<Inbox, "shorten">;
  readonly leases: Pick<Leases, "nodes" | "standing" | "lapses" | "onChange">;
  readonly known: BoundedMap<number, KnownReport>;
  readonly node: Node;
  /** What still counts of a report. */
  pushedNow(connectionId: number, report: KnownReport): Pushed | undefined;
  readonly store: ReportStore["store"];
}

/**
 * Some reports count for as long as their program is connected to a node. When that node is gone,
 * they end; when this node was taken for gone but was not, they are stored again.
 */
export function followConnected(deps: ConnectedDeps) {
  const { clock, inbox, leases, known, node, pushedNow, store } = deps;
  /** Since when nodes are gone to which programs are connected (monotonic). */
  const goneSinceMs = new Map<Node, number>();
  let { lapses } = leases;

  /** What counts only because a program is connected to the node that received it. */
  const connectedReport = (connectionId: number, report: KnownReport): Pushed | undefined => {
    if (report.lifetime?.kind !== "whileConnected") return undefined;
    const pushed = pushedNow(connectionId, report);
    return pushed?.playback.track.durationMs === null ? pushed : undefined;
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

  leases.onChange(followLeases);

  return { connectedReport };
}
