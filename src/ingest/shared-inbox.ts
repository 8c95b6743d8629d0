import type { Clock } from "../clock.ts";
import type { Bus } from "../cluster/bus.ts";
import { type ArtworkFrom, heardPlayback, toldPlayback } from "../cluster/word.ts";
import type { Artwork } from "../playback.ts";
import type { Inbox, Word } from "./inbox.ts";

export interface SharedInboxDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly bus: Bus;
  readonly artworkFrom: ArtworkFrom;
  /** Keeps covers, so that other nodes can load them. */
  keep(artworks: readonly Artwork[]): void;
}

/** Limits what is remembered of the connections whose programs speak to this node. */
const MOST_CONNECTIONS = 10_000;

/**
 * The inboxes of all nodes as one: programs speak to any of them, and the one that watches the
 * connection has heard it. A node that starts hears the last words again from those that got them.
 */
export function shareInbox(inbox: Inbox, deps: SharedInboxDeps): Inbox {
  const { clock, bus, artworkFrom, keep } = deps;
  /** The connections whose last word came to this node. */
  const received = new Set<number>();

  const tell = (connectionId: number, word: Word | null) => {
    if (!word) return bus.tell(["pushed", connectionId, null]);
    const { playback, lifetime } = word;
    keep(playback.album.artworks);
    bus.tell([
      "pushed",
      connectionId,
      { playback: toldPlayback(playback, clock.monotonicMs()), lifetime },
    ]);
  };

  const repeat = () => {
    for (const connectionId of received) {
      const left = inbox.remaining(connectionId);
      if (!left) received.delete(connectionId);
      else {
        tell(connectionId, {
          playback: left.playback,
          lifetime:
            left.ms === Infinity
              ? { kind: "whileConnected" }
              : { kind: "exactly", ms: Math.ceil(left.ms) },
        });
      }
    }
  };

  // What was told before may be lost.
  bus.onUp(repeat);
  bus.hear((message, from) => {
    if (from === bus.node) return;
    switch (message[0]) {
      case "hello":
        return repeat();
      case "pushed": {
        const [, connectionId, word] = message;
        received.delete(connectionId);
        const nowMs = clock.monotonicMs();
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
      if (word && received.size < MOST_CONNECTIONS) received.add(connectionId);
      tell(connectionId, word);
    },
    shorten(connectionId, playback, ms) {
      if (inbox.current(connectionId) !== playback) return;
      inbox.shorten(connectionId, playback, ms);
      bus.tell(["shortened", connectionId, playback.track.id, ms]);
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
