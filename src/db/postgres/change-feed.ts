import type { ChangeFeed } from "../change-feed.ts";
import type { DatabaseNetwork } from "../store.ts";
import { createListener } from "./listener.ts";
import { inTime, type Pool, SilenceError } from "./pool.ts";

/** The channel on which the triggers tell whose data changed: a user's id, or nothing for all. */
export const CHANGES = "marquee_changes";

/** A feed that hears notices over a connection of its own, once somebody has asked for changes. */
export interface NotifiedFeed extends ChangeFeed, DatabaseNetwork {
  /** Whether changes are heard. True before anybody has asked. */
  readonly isHearing: boolean;
  close(): Promise<void>;
}

/** Our own word among the notices; what was told before it has been heard before it. */
const MARK = "mark ";
const HEAR_WITHIN_MS = 2_000;

export function createNotifiedFeed(url: string, pool: Pick<Pool, "query">): NotifiedFeed {
  const listeners: Parameters<ChangeFeed["onChange"]>[0][] = [];
  const reachListeners: Parameters<DatabaseNetwork["onReach"]>[0][] = [];
  const marks = new Map<string, () => void>();
  let failures: unknown[] = [];
  /** One notice after the other, each with all its listeners. */
  let lastTurn: Promise<void> = Promise.resolve();
  let up = Promise.withResolvers<void>();
  let isStarted = false;

  const tell = (userId: number | undefined) => {
    lastTurn = lastTurn.then(async () => {
      for (const hear of listeners) {
        try {
          await hear(userId);
        } catch (error) {
          // The other listeners still have to follow the change.
          failures.push(error);
        }
      }
    });
    return lastTurn;
  };

  const listener = createListener({
    url,
    channels: {
      [CHANGES]: (text) => {
        if (text.startsWith(MARK)) void lastTurn.then(marks.get(text));
        else void tell(text === "" ? undefined : Number(text));
      },
    },
    onUp() {
      // Whatever was told meanwhile was missed.
      void tell(undefined);
      up.resolve();
      for (const hear of reachListeners) hear(true);
    },
    onDown() {
      up = Promise.withResolvers();
      for (const hear of reachListeners) hear(false);
    },
  });

  /** Resolves when everything that was told before this call has been heard. */
  const catchUp = async () => {
    const mark = MARK + crypto.randomUUID();
    const heard = Promise.withResolvers<void>();
    marks.set(mark, heard.resolve);
    try {
      await pool.query("SELECT pg_notify($1, $2)", [CHANGES, mark]);
      await inTime(heard.promise, HEAR_WITHIN_MS);
    } catch (error) {
      if (error instanceof SilenceError) listener.reconnect();
      throw error;
    } finally {
      marks.delete(mark);
    }
  };
  const throwFailure = () => {
    const [first] = failures;
    failures = [];
    if (first !== undefined) throw first;
  };

  return {
    get isHearing() {
      return !isStarted || listener.isUp;
    },
    onChange: (hear) => void listeners.push(hear),
    onReach: (hear) => void reachListeners.push(hear),
    async tellChanges() {
      // It is stored already: if it cannot be heard, everything is taken for changed.
      if (listener.isUp) await catchUp().catch(() => tell(undefined));
      else await tell(undefined);
      throwFailure();
    },
    async checkForChanges() {
      if (!isStarted) {
        isStarted = true;
        listener.start();
        await inTime(up.promise);
      }
      if (listener.isUp) await catchUp();
      throwFailure();
    },
    close: listener.stop,
  };
}
