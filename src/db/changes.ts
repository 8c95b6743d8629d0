import { attemptEach } from "../attempt-each.ts";

/** What others than the writer follow. */
export type Topic =
  | "users"
  | "keys"
  | "widgets"
  | "fonts"
  | "standInCovers"
  | "connections"
  | "privacy"
  | "history"
  | "hooks"
  | "chat"
  | "sessions"
  | "upstreams";

/** What a write has changed, as the writer says it. */
export interface Changed {
  /** Whose data; left out when it concerns all users. */
  readonly userId?: number;
  readonly what: Topic;
}

/** That data have changed. */
export interface Change {
  /** Whose data; `undefined` when it concerns all users. */
  readonly userId: number | undefined;
  /** Whether it is about one of these. */
  concerns(...topics: readonly Topic[]): boolean;
}

export type ChangeListener = (change: Change) => void | Promise<void>;

/** Tells whose data have changed, once it is stored. */
export function createChanges() {
  const listeners: ChangeListener[] = [];
  /** What a listener could not follow: topics by the user's id. */
  let missed = new Map<number | undefined, Set<Topic>>();

  const follow = async (userId: number | undefined, topics: ReadonlySet<Topic>): Promise<void> => {
    const change: Change = { userId, concerns: (...asked) => asked.some((one) => topics.has(one)) };
    try {
      await attemptEach(listeners, (listener) => listener(change));
    } catch (error) {
      missed.set(userId, topics.union(missed.get(userId) ?? new Set()));
      throw error;
    }
  };

  return {
    onChange: (listener: ChangeListener) => void listeners.push(listener),
    /**
     * Calls the listeners, one after the other. What one of them could not follow waits for
     * `followMissed`: what was written stays written.
     */
    publish: ({ userId, what }: Changed) => follow(userId, new Set([what])).catch(() => {}),
    /** Follows again what could not be followed. @throws the first error of a listener */
    async followMissed() {
      if (missed.size === 0) return;
      const again = missed;
      missed = new Map();
      await attemptEach(again, ([userId, topics]) => follow(userId, topics));
    },
  };
}
