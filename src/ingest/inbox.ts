import { createBoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";
import type { Playback } from "../playback.ts";
import { createWaking } from "../upstream/message-queue.ts";
import { expiresAtMs, type Lifetime } from "./expiry.ts";

/** What plays according to a program, and how long that counts. */
export interface InboxReport {
  readonly playback: Playback;
  readonly lifetime: Lifetime;
  /** Which of the program's players plays, where it says so. */
  readonly player?: string | undefined;
}

/** What is known of the messages to one connection. Times are Unix milliseconds. */
export interface Post {
  /** When the last message was understood; `null` when none was. */
  readonly receivedAt: number | null;
  /** The last message, if it was refused, and the sentence that says why. */
  readonly refusal: { readonly at: number; readonly reason: string } | null;
}

/**
 * What programs last pushed to each connection, also while nobody watches. It is kept in memory: after a
 * restart each program has to report again.
 */
export type Inbox = ReturnType<typeof createInbox>;

interface Kept extends Pick<InboxReport, "playback" | "player"> {
  /** Monotonic milliseconds. */
  readonly receivedAtMs: number;
  readonly untilMs: number;
}

/** Limits the memory; the connection that was silent longest is forgotten first. */
const MOST_CONNECTIONS = 10_000;

const NO_POST: Post = { receivedAt: null, refusal: null };

/** @param onFirst is called when the first message to a connection was understood */
export function createInbox(clock: Clock, onFirst?: (connectionId: number) => void) {
  const reports = createBoundedMap<number, Kept>(MOST_CONNECTIONS);
  const posts = createBoundedMap<number, Post>(MOST_CONNECTIONS);
  const watchers = new Map<number, Set<() => void>>();
  const listeners: ((connectionId: number) => void)[] = [];

  const current = (connectionId: number): Kept | undefined => {
    const kept = reports.get(connectionId);
    if (kept === undefined || kept.untilMs > clock.monotonicMs()) return kept;
    reports.take(connectionId);
    return undefined;
  };

  const keep = (connectionId: number, kept: Kept | undefined) => {
    if (kept) reports.set(connectionId, kept);
    else reports.take(connectionId);
    for (const wake of watchers.get(connectionId) ?? []) wake();
  };

  const note = (connectionId: number, post: Post) => {
    posts.set(connectionId, post);
    for (const listener of listeners) listener(connectionId);
  };

  return {
    /** Takes a report that was received just now; `null` means that nothing plays. */
    put(connectionId: number, report: InboxReport | null) {
      if (report === null) return keep(connectionId, undefined);
      const { playback, lifetime, player } = report;
      const receivedAtMs = clock.monotonicMs();
      const untilMs = expiresAtMs(playback, lifetime, receivedAtMs);
      keep(connectionId, { playback, player, receivedAtMs, untilMs });
    },
    /** The last report, while it counts. */
    report: current,
    /** What plays now; `null` when nothing does, or the last report has expired. */
    current: (connectionId: number) => current(connectionId)?.playback ?? null,
    /** Lets what came last count for at most `ms` more, unless more comes. */
    shorten(connectionId: number, ms: number) {
      const kept = current(connectionId);
      if (!kept) return;
      keep(connectionId, { ...kept, untilMs: Math.min(kept.untilMs, clock.monotonicMs() + ms) });
    },
    /** Notes that a message was understood, whatever it contained. */
    noteReceived(connectionId: number) {
      if ((posts.get(connectionId) ?? NO_POST).receivedAt === null) onFirst?.(connectionId);
      note(connectionId, { receivedAt: clock.wallMs(), refusal: null });
    },
    /** Notes why a message was refused. What was playing stays. */
    noteRefused(connectionId: number, reason: string) {
      const { receivedAt } = posts.get(connectionId) ?? NO_POST;
      note(connectionId, { receivedAt, refusal: { at: clock.wallMs(), reason } });
    },
    postOf: (connectionId: number) => posts.get(connectionId) ?? NO_POST,
    /** Calls back after each message, understood or refused. */
    onPost: (listener: (connectionId: number) => void) => void listeners.push(listener),
    /** Yields what plays at once and on each change, `null` when it ends or expires; at first `undefined` for nothing. */
    async *watch(connectionId: number, signal: AbortSignal) {
      const { wake, woken } = createWaking(clock);
      const waking = watchers.get(connectionId) ?? new Set();
      watchers.set(connectionId, waking.add(wake));
      signal.addEventListener("abort", wake);
      let delivered: Playback | null | undefined;
      try {
        if (!current(connectionId)) yield undefined;
        while (!signal.aborted) {
          const nothing = delivered === undefined ? undefined : null;
          const { playback = nothing, untilMs = Infinity } = current(connectionId) ?? {};
          if (playback !== delivered) {
            delivered = playback;
            yield playback;
          } else {
            const leftMs = Math.ceil(untilMs - clock.monotonicMs());
            await woken(leftMs === Infinity ? undefined : leftMs);
          }
        }
      } finally {
        signal.removeEventListener("abort", wake);
        waking.delete(wake);
        if (waking.size === 0) watchers.delete(connectionId);
      }
    },
  };
}
