import { createBoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";
import type { Bus } from "./bus.ts";
import type { Leases } from "./leases.ts";
import type { Node } from "./message.ts";
import { type ArtworkFrom, heardPlayback, toldPlayback } from "./word.ts";
import type { Artwork } from "../playback.ts";
import { DISCONNECTED_MS } from "../ingest/expiry.ts";
import type { Inbox, Word } from "../ingest/inbox.ts";

export interface SharedInboxDeps {
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  readonly bus: Bus;
  readonly leases: Pick<Leases, "nodes" | "standing" | "onChange">;
  readonly artworkFrom: ArtworkFrom;
  /** Keeps covers, so that other nodes can load them. */
  keep(artworks: readonly Artwork[]): void;
}

/** Where the last word of a connection has come from. */
interface Heard {
  /** The node that repeats it. */
  readonly from: Node;
  /** Whether the program has spoken to this node. */
  readonly isOwn: boolean;
  /** When the program spoke (monotonic). */
  readonly atMs: number;
  readonly isNothing: boolean;
}

const MOST_CONNECTIONS = 10_000;
/** In this time after a hello, all others have repeated what was said to them. */
const REPEATED_WITHIN_MS = 500;
const TURN_MS = 200;
/** A node that is not among the living may have come after the last beat, or be about to return. */
const GONE_FOR_MS = 4_000;

/**
 * The inboxes of all nodes as one: programs speak to any of them, and the one that watches the
 * connection has heard it. A node that starts hears the last words again from those that got them,
 * or from one that repeats the words of a node which is gone.
 */
export function shareInbox(inbox: Inbox, deps: SharedInboxDeps): Inbox {
  const { clock, bus, leases, artworkFrom, keep } = deps;
  const { node } = bus;
  const heard = createBoundedMap<number, Heard>(MOST_CONNECTIONS);
  /** Since when nodes are gone whose words nobody else repeats (monotonic). */
  const goneSinceMs = new Map<Node, number>();
  /** While words may have been missed: then the inbox is not read by who begins to watch. */
  let behind: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  /** Counts how often words may have been missed. */
  let misses = 0;

  const tell = (connectionId: number, word: Word | null, ageMs: number) => {
    if (!word) return bus.tell(["pushed", connectionId, null, ageMs]);
    const { playback, lifetime } = word;
    keep(playback.album.artworks);
    bus.tell([
      "pushed",
      connectionId,
      { playback: toldPlayback(playback, clock.monotonicMs()), lifetime },
      ageMs,
    ]);
  };

  /** A repeated word must not take the place of a newer one, so it says how old it is. */
  const repeat = (connectionId: number, { atMs, isNothing }: Heard, isNews = false) => {
    const ageMs = isNews ? 0 : Math.max(1, clock.monotonicMs() - atMs);
    if (isNothing) return tell(connectionId, null, ageMs);
    const left = inbox.remaining(connectionId);
    if (!left) return void heard.take(connectionId);
    const { playback, ms } = left;
    const lifetime =
      ms === Infinity
        ? ({ kind: "whileConnected" } as const)
        : ({ kind: "exactly", ms: Math.ceil(ms) } as const);
    tell(connectionId, { playback, lifetime }, ageMs);
  };

  const isGone = (name: Node) => leases.standing && !leases.nodes.includes(name);

  /** Repeats the word of a node that is gone, from now on. Several nodes may do that. */
  const adopt = (connectionId: number, word: Heard) => {
    const adopted = { ...word, from: node };
    heard.set(connectionId, adopted);
    // The program was connected to that node, and its end was noticed by nobody.
    const left = inbox.remaining(connectionId);
    if (left?.ms === Infinity) shorten(connectionId, left.playback, DISCONNECTED_MS);
    repeat(connectionId, adopted);
  };

  const repeatAll = () => {
    for (const [connectionId, word] of [...heard.entries()]) {
      if (word.from === node) repeat(connectionId, word);
      else if (isGone(word.from)) adopt(connectionId, word);
    }
  };

  /** Adopts the words of nodes that have been gone for a while, unless another node has done so. */
  const adoptOrphans = () => {
    const nowMs = clock.monotonicMs();
    const gone = new Set<Node>();
    for (const [connectionId, word] of [...heard.entries()]) {
      const { from } = word;
      if (from === node || !isGone(from)) continue;
      gone.add(from);
      const sinceMs = goneSinceMs.get(from) ?? nowMs;
      goneSinceMs.set(from, sinceMs);
      if (nowMs - sinceMs < GONE_FOR_MS) continue;
      adopt(connectionId, word);
    }
    for (const name of goneSinceMs.keys()) if (!gone.has(name)) goneSinceMs.delete(name);
  };

  /** One node after the other: what the first has repeated, the others need not. */
  const adoptInTurn = () => {
    const before = leases.nodes.filter((name) => name < node).length;
    clock.after(before * TURN_MS, adoptOrphans);
  };

  const shorten: Inbox["shorten"] = (connectionId, playback, ms) => {
    if (inbox.current(connectionId) !== playback) return;
    inbox.shorten(connectionId, playback, ms);
    bus.tell(["shortened", connectionId, playback.track.id, ms]);
  };

  /** After our hello, unless more was missed since then: another hello follows in that case. */
  const noteRepeatedSoon = () => {
    const noted = misses;
    clock.after(REPEATED_WITHIN_MS, () => {
      if (noted !== misses) return;
      behind?.resolve();
      behind = undefined;
    });
  };

  // What was told before may be lost.
  bus.onUp(repeatAll);
  bus.onDown(() => {
    misses += 1;
    behind ??= Promise.withResolvers();
  });
  leases.onChange(adoptInTurn);
  bus.hear((message, from) => {
    if (from === node) {
      if (message[0] === "hello") noteRepeatedSoon();
      return;
    }
    switch (message[0]) {
      case "hello":
        return repeatAll();
      case "pushed": {
        const [, connectionId, word, ageMs] = message;
        const nowMs = clock.monotonicMs();
        const atMs = nowMs - ageMs;
        const known = heard.get(connectionId);
        const isRepeated = ageMs > 0;
        if (isRepeated && known && known.atMs >= atMs) {
          if (isGone(known.from)) heard.set(connectionId, { ...known, from });
          return;
        }
        const isSame = inbox.current(connectionId)?.track.id === word?.playback.track.id;
        if (isRepeated && isSame && known?.from === node) return;
        heard.set(connectionId, { from, isOwn: false, atMs, isNothing: word === null });
        inbox.put(
          connectionId,
          word && {
            playback: heardPlayback(word.playback, nowMs, artworkFrom),
            lifetime: word.lifetime,
          },
        );
        return;
      }
      case "shortened": {
        const [, connectionId, trackId, ms] = message;
        const last = inbox.current(connectionId);
        const known = heard.get(connectionId);
        // Others took this node for gone, but the program is still connected to it.
        if (known?.isOwn) return repeat(connectionId, known, true);
        if (last?.track.id === trackId) inbox.shorten(connectionId, last, ms);
        return;
      }
      case "post": {
        const [, connectionId, refusal] = message;
        if (refusal === null) inbox.noteReceived(connectionId);
        else inbox.noteRefused(connectionId, refusal);
        return;
      }
      default:
    }
  });

  return {
    ...inbox,
    put(connectionId, word) {
      inbox.put(connectionId, word);
      const atMs = clock.monotonicMs();
      heard.set(connectionId, { from: node, isOwn: true, atMs, isNothing: word === null });
      tell(connectionId, word, 0);
    },
    shorten,
    async *watch(connectionId, signal) {
      const ended = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => ended.resolve(), { once: true });
      while (behind && !signal.aborted) await Promise.race([behind.promise, ended.promise]);
      yield* inbox.watch(connectionId, signal);
    },
    noteReceived(connectionId) {
      inbox.noteReceived(connectionId);
      bus.tell(["post", connectionId, null]);
    },
    noteRefused(connectionId, reason) {
      inbox.noteRefused(connectionId, reason);
      bus.tell(["post", connectionId, reason]);
    },
  };
}
