import { createBoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";
import { nextTurn } from "../next-turn.ts";

/**
 * Limits the processor time that the answers to one user take, in total, so that nobody's requests
 * hold up the others. What a request waits for is not counted.
 */
export type ProcessorBudget = ReturnType<typeof createProcessorBudget>;

/** Milliseconds of processor time that a user gets in each second. */
const MS_A_SECOND = 200;
/** What a user who has asked for nothing may take at once: a whole dashboard that is opened quickly. */
const MOST_MS = 2_000;
/** An answer that takes longer than that is not waited for longer, so that a wait has an end. */
const MOST_OWED_MS = 2_000;
/**
 * What follows a wait is charged when the answer is done: the work that nobody was charged for since
 * the last charge, at most this much, as some of it may have been for others.
 */
const MOST_AFTER_WAIT_MS = 100;
/** Users whose spending is remembered: those who were answered last. */
const MOST_USERS = 10_000;

export function createProcessorBudget(clock: Pick<Clock, "monotonicMs" | "processorMs" | "sleep">) {
  /** When each user has all of it again: an answer moves that on. Monotonic time. */
  const restoredAtMs = createBoundedMap<number, number>(MOST_USERS);
  let charged: number | undefined;
  let beganAtMs = 0;
  /** The processor time up to which all is charged, or is nobody's. */
  let accountedMs = 0;
  /** Numbers what was begun: an end that comes late must not end something else. */
  let begun = 0;

  const leftOf = (userId: number): number => {
    const restoringMs = (restoredAtMs.get(userId) ?? 0) - clock.monotonicMs();
    return MOST_MS - (Math.max(0, restoringMs) * MS_A_SECOND) / 1_000;
  };

  const charge = (userId: number, ms: number) => {
    const leftMs = Math.max(-MOST_OWED_MS, leftOf(userId) - ms);
    const restoringMs = ((MOST_MS - leftMs) * 1_000) / MS_A_SECOND;
    restoredAtMs.set(userId, clock.monotonicMs() + restoringMs);
  };

  const end = (number = begun): boolean => {
    if (charged === undefined || number !== begun) return false;
    accountedMs = clock.processorMs();
    charge(charged, accountedMs - beganAtMs);
    charged = undefined;
    return true;
  };

  /** Ends what was begun for a user, which may have waited meanwhile. */
  const finish = (userId: number, number: number) => {
    if (end(number)) return;
    const nowMs = clock.processorMs();
    charge(userId, Math.min(MOST_AFTER_WAIT_MS, nowMs - accountedMs));
    accountedMs = nowMs;
  };

  const begin = (userId: number): number => {
    end();
    charged = userId;
    beganAtMs = clock.processorMs();
    accountedMs = beganAtMs;
    begun += 1;
    return begun;
  };

  /** What goes on after this turn has waited: meanwhile the thread works for others. */
  const beginInThisTurn = (userId: number): number => {
    const number = begin(userId);
    setImmediate(end, number);
    return number;
  };

  /** Milliseconds until the user may have an answer again; 0 when that is now. */
  const waitMs = (userId: number): number => {
    const leftMs = leftOf(userId);
    return leftMs > 0 ? 0 : Math.ceil(((1 - leftMs) * 1_000) / MS_A_SECOND);
  };

  return {
    waitMs,
    /**
     * Charges a user for the work of the thread from now on: until the turn of the event loop ends, or
     * until somebody else is charged.
     */
    begin: (userId: number) => void beginInThisTurn(userId),
    /** Does work for a user, and charges it until it is done or waits for something. */
    spend<Result>(userId: number, work: () => Result): Result {
      const number = beginInThisTurn(userId);
      let result: Result | undefined;
      try {
        result = work();
        return result;
      } finally {
        if (result instanceof Promise) {
          const done = () => finish(userId, number);
          result.then(done, done);
        } else {
          end(number);
        }
      }
    },
    /** For long work, between its parts: others are answered, and the user's pace is kept. */
    async letOthersIn(userId: number) {
      end();
      await nextTurn();
      for (let ms = waitMs(userId); ms > 0; ms = waitMs(userId)) {
        await clock.sleep(ms);
      }
      beginInThisTurn(userId);
    },
  };
}
