import { attemptEach } from "../../attempt-each.ts";
import { changeOf, type Change, type ChangeListener } from "../change.ts";
import type { ChangeFeed } from "../change-feed.ts";
import type { DatabaseNetwork } from "../store.ts";
import { createListener } from "./listener.ts";
import { inTime, type Pool, SilenceError } from "./pool.ts";

/**
 * The channel on which the triggers publish what changed: a user's id, or nothing for all users, and
 * the table, such as `12 widgets`.
 */
export const CHANGES = "marquee_changes";

/** A feed that receives notices over a connection of its own, once somebody has asked for changes. */
export interface NotifiedFeed extends ChangeFeed, DatabaseNetwork {
  /** Whether changes arrive. True before anybody has asked. */
  readonly isListening: boolean;
  close(): Promise<void>;
}

/** Our own word among the notices; what was sent before it has arrived before it. */
const MARK = "mark ";
const ARRIVES_WITHIN_MS = 2_000;
/** More changes than these at once are taken for a change of everything. */
const MOST_USERS = 1_000;
const NOTICE = /^(?:(\d{1,15}))?(?: ([a-z_]{1,40}))?$/;

export function createNotifiedFeed(url: string, pool: Pick<Pool, "query">): NotifiedFeed {
  const listeners: ChangeListener[] = [];
  const reachListeners: Parameters<DatabaseNetwork["onReach"]>[0][] = [];
  const marks = new Map<string, () => void>();
  /** Errors of listeners since the last check. */
  let failures: unknown[] = [];
  let up = Promise.withResolvers<void>();
  let isStarted = false;

  const queue = createChangeQueue(async (change) => {
    try {
      await attemptEach(listeners, (listener) => listener(change));
      return true;
    } catch (error) {
      failures.push(error);
      return false;
    }
  });

  const listener = createListener({
    url,
    channels: {
      [CHANGES]: (text) => {
        if (!text.startsWith(MARK)) void queue.note(text);
        else if (marks.has(text)) {
          void queue.caughtUp().then(marks.get(text));
        }
      },
    },
    onUp() {
      // Whatever was sent meanwhile was missed.
      void queue.note("");
      up.resolve();
      for (const listen of reachListeners) listen(true);
    },
    onDown() {
      up = Promise.withResolvers();
      for (const listen of reachListeners) listen(false);
    },
  });

  /** Resolves when everything that was sent before this call has arrived. */
  const catchUp = async () => {
    const mark = MARK + crypto.randomUUID();
    const arrived = Promise.withResolvers<void>();
    marks.set(mark, arrived.resolve);
    try {
      await pool.query("SELECT pg_notify($1, $2)", [CHANGES, mark]);
      await inTime(arrived.promise, ARRIVES_WITHIN_MS);
    } catch (error) {
      if (error instanceof SilenceError) listener.reconnect();
      throw error;
    } finally {
      marks.delete(mark);
    }
  };
  return {
    get isListening() {
      return !isStarted || listener.isUp;
    },
    onChange: (listener) => void listeners.push(listener),
    onReach: (listener) => void reachListeners.push(listener),
    async publishChanges() {
      // It is stored already: if its notice does not arrive, everything is taken for changed.
      if (listener.isUp) await catchUp().catch(() => queue.note(""));
      else await queue.note("");
    },
    async checkForChanges() {
      if (!isStarted) {
        isStarted = true;
        listener.start();
        await inTime(up.promise);
      }
      queue.noteMissed();
      if (listener.isUp) await catchUp();
      const [first] = failures;
      failures = [];
      if (first !== undefined) throw first;
    },
    close: listener.stop,
  };
}

interface ChangeQueue {
  /**
   * Plans to follow a notice; one that cannot be read is taken for a change of everything. Resolves
   * when it has been followed.
   */
  note(notice: string): Promise<void>;
  /** Plans to follow again what could not be followed. */
  noteMissed(): void;
  /** Resolves when everything that was noted before this call has been followed, or missed. */
  caughtUp(): Promise<void>;
}

/**
 * Follows a user's changes at a time, and notices that came together at once.
 * @param follow returns whether it could
 */
function createChangeQueue(follow: (change: Change) => Promise<boolean>): ChangeQueue {
  /** The tables that have changed, by user; `"all"` when everything may have. */
  let next: Map<number | undefined, Set<string>> | "all" = new Map();
  /** Resolves when `next` has been followed. */
  let nextFollowed = Promise.withResolvers<void>();
  /** Resolves when what is being followed has been followed. */
  let lastFollowed: Promise<void> = Promise.resolve();
  let isFollowing = false;
  /** Notices of what could not be followed. */
  let missed: string[] = [];

  const isNoticed = () => next === "all" || next.size > 0;

  /** A user at a time; a flood of notices is one change of everybody's. */
  const followAll = async () => {
    isFollowing = true;
    // Notices that came together are followed together.
    await Promise.resolve();
    while (isNoticed()) {
      const noticed = next;
      const followed = nextFollowed;
      [next, nextFollowed, lastFollowed] = [new Map(), Promise.withResolvers(), followed.promise];
      const changes = noticed === "all" ? [[undefined, undefined] as const] : noticed;
      for (const [userId, tables] of changes) {
        if (await follow(changeOf(userId, tables))) continue;
        for (const table of tables ?? [""]) missed.push(`${userId ?? ""} ${table}`);
      }
      followed.resolve();
    }
    isFollowing = false;
  };

  const note = (notice: string): Promise<void> => {
    const [, userId, table] = NOTICE.exec(notice) ?? [];
    if (table === undefined || next === "all" || next.size >= MOST_USERS) next = "all";
    else {
      const id = userId === undefined ? undefined : Number(userId);
      next.set(id, (next.get(id) ?? new Set()).add(table));
    }
    const followed = nextFollowed.promise;
    if (!isFollowing) void followAll();
    return followed;
  };

  return {
    note,
    noteMissed() {
      const notices = missed;
      missed = [];
      for (const notice of notices) void note(notice);
    },
    caughtUp: () => (isNoticed() ? nextFollowed.promise : lastFollowed),
  };
}
