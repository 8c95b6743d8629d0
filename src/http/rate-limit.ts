/** Whether a call is allowed, and if not, how long to wait. */
export type Verdict =
  { readonly allowed: true } | { readonly allowed: false; readonly waitMs: number };

/** The calling user, and the unit that is counted separately: one key. */
export interface Caller {
  readonly userId: number;
  readonly name: string;
}

/** A call may come this much too early, because network delays vary. */
const EARLY_MS = 250;
/** Limits the remembered callers of an endpoint: as many as ask every five seconds at 20,000 calls a second. */
const MOST_CALLERS = 100_000;

/** A number of seconds, in words. */
export const inSeconds = (seconds: number): string =>
  seconds === 1 ? "1 second" : `${seconds} seconds`;

/**
 * One call every `windowSeconds` per caller. A refused call does not lengthen the wait. After the
 * wait given in the answer, a call always succeeds.
 */
export function createRateLimit(windowSeconds: number, mostCallers = MOST_CALLERS) {
  const windowMs = windowSeconds * 1000;
  // Users, and each user's callers, ordered by their last allowed call. Entries whose wait is over
  // are at the front.
  const users = new Map<number, Map<string, number>>();
  let remembered = 0;

  const dropPastOf = (calls: Map<string, number>, nowMs: number) => {
    for (const [name, lastMs] of calls) {
      if (nowMs - lastMs < windowMs) return;
      calls.delete(name);
      remembered -= 1;
    }
  };

  const dropPast = (nowMs: number) => {
    for (const [userId, calls] of users) {
      dropPastOf(calls, nowMs);
      if (calls.size > 0) return;
      users.delete(userId);
    }
  };

  /** Removes the oldest caller of the user with the most callers, to protect other users. */
  const makeRoom = () => {
    let largest: [userId: number, calls: Map<string, number>] | undefined;
    for (const user of users) {
      if (user[1].size > (largest?.[1].size ?? 0)) largest = user;
    }
    if (!largest) return;
    const [userId, calls] = largest;
    for (const oldest of calls.keys()) {
      calls.delete(oldest);
      remembered -= 1;
      break;
    }
    if (calls.size === 0) users.delete(userId);
  };

  const remember = ({ userId, name }: Caller, nowMs: number) => {
    const calls = users.get(userId) ?? new Map<string, number>();
    dropPastOf(calls, nowMs);
    if (calls.delete(name)) remembered -= 1;
    calls.set(name, nowMs);
    users.delete(userId);
    users.set(userId, calls);
    remembered += 1;
    if (remembered > mostCallers) makeRoom();
  };

  return {
    /** The error message of a refused call. */
    message: `Rate limit exceeded: one call every ${inSeconds(windowSeconds)}`,
    /** Decides on a call at a monotonic time in milliseconds, and counts it if it is allowed. */
    admit(caller: Caller, nowMs: number): Verdict {
      const lastMs = users.get(caller.userId)?.get(caller.name);
      if (lastMs !== undefined && nowMs - lastMs < windowMs - EARLY_MS) {
        return { allowed: false, waitMs: windowMs - (nowMs - lastMs) };
      }
      dropPast(nowMs);
      remember(caller, nowMs);
      return { allowed: true };
    },
    /** The rate-limit headers for an answer sent now. */
    headers(verdict: Verdict): Readonly<Record<string, string>> {
      const waitSeconds = verdict.allowed ? windowSeconds : secondsOf(verdict.waitMs);
      return {
        "RateLimit-Policy": `"default";q=1;w=${windowSeconds}`,
        RateLimit: `"default";r=0;t=${waitSeconds}`,
        ...(!verdict.allowed && { "Retry-After": String(waitSeconds) }),
      };
    },
  };
}

/** Whole seconds to wait, at least one. */
export const secondsOf = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1000));
