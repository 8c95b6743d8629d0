import type { Clock } from "../../clock.ts";
import type { Pool } from "../../db/postgres/pool.ts";
import { describeError, type Log } from "../../log.ts";
import type { Message } from "../message.ts";

/** The channel of all nodes' notices. */
export const CHANNEL = "marquee";

/**
 * Transactions with notices are at least so far apart, and what comes meanwhile goes together: one
 * transaction at a time holds PostgreSQL's queue.
 */
const PACK_MS = 5;
/** While the database takes nothing, what waits is dropped: it is repeated later. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

/** Messages on their way to the other nodes, several in one statement. */
export interface Outgoing {
  send(message: Message): void;
  /** Whether something that was sent is lost: it has to be repeated. */
  readonly isLost: boolean;
  /** What was lost is being repeated. */
  noteRepeated(): void;
  /** Resolves when everything that waits is sent. */
  flush(): Promise<void>;
}

export interface OutgoingDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  readonly pool: Pick<Pool, "query">;
  /** Puts messages, as JSON, into as few payloads as they fit in. */
  pack(messages: readonly string[]): readonly string[];
}

export function createOutgoing({ clock, log, pool, pack }: OutgoingDeps): Outgoing {
  /** As JSON. */
  let waiting: string[] = [];
  let waitingBytes = 0;
  let sending: Promise<void> | undefined;
  let isPlanned = false;
  let sentAtMs = -Infinity;
  let isLost = false;

  const takeWaiting = (): string[] => {
    const taken = waiting;
    waiting = [];
    waitingBytes = 0;
    return taken;
  };

  const flush = async () => {
    while (waiting.length > 0) {
      const messages = takeWaiting();
      try {
        // One statement after the other keeps their order, on whichever connection they run.
        await pool.query(
          `SELECT pg_notify('${CHANNEL}', payload) FROM json_array_elements_text($1::text::json) AS payload`,
          [JSON.stringify(pack(messages))],
        );
      } catch (error) {
        if (!isLost)
          log.error("other nodes were not sent anything", { reason: describeError(error) });
        isLost = true;
        takeWaiting();
      }
    }
  };

  const plan = () => {
    if (isPlanned || sending) return;
    isPlanned = true;
    clock.after(Math.max(0, sentAtMs + PACK_MS - clock.monotonicMs()), () => {
      isPlanned = false;
      sentAtMs = clock.monotonicMs();
      sending = flush().finally(() => {
        sending = undefined;
        if (waiting.length > 0) plan();
      });
    });
  };

  return {
    send(message) {
      const text = JSON.stringify(message);
      if (waitingBytes + text.length > MOST_WAITING_BYTES) {
        takeWaiting();
        isLost = true;
      }
      waiting.push(text);
      waitingBytes += text.length;
      plan();
    },
    get isLost() {
      return isLost;
    },
    noteRepeated() {
      isLost = false;
    },
    flush: () => sending ?? flush(),
  };
}
