import type { Hook, Hooks } from "./store.ts";
import type { NumberedEvent } from "./message.ts";
import type { Parts } from "../http/parts.ts";

/** How one try has ended. */
export interface Try {
  /** Unix milliseconds. */
  readonly at: number;
  readonly event: string;
  /** The HTTP status; `null` where nobody answered. */
  readonly status: number | null;
}

/** Sends events to one hook, one at a time and at most one a second. */
export type HookDelivery = ReturnType<typeof createHookDelivery>;

export interface DeliveryDeps extends Pick<Parts, "clock"> {
  readonly hooks: Pick<Hooks, "note">;
  /** Sends an event, and resolves with the HTTP status. Rejects when nobody answers in time. */
  send(hook: Hook, event: NumberedEvent): Promise<number>;
}

/** Whether an address has taken an event. */
export const isTaken = (status: number | null): boolean =>
  status !== null && status >= 200 && status < 300;

/** No address is sent more than one event in this time, whatever a player reports. */
const PACE_MS = 1_000;
/** When an event is tried, counted from the first try. */
const TRIED_AFTER_MS = [0, 5_000, 30_000] as const;
const MOST_TRIES_KEPT = 10;
const MOST_FAILURES = 100;
const GONE = 410;

export function createHookDelivery(hook: Hook, { clock, hooks, send }: DeliveryDeps) {
  let waiting: NumberedEvent | undefined;
  /** Whether the event that was sent is not to be tried again. */
  let isDropped = false;
  let isSending = false;
  let isStopped = hook.off !== null;
  let failures = hook.failures;
  let wake = () => {};
  let tries: readonly Try[] = [];
  let lastTryAtMs = Number.NEGATIVE_INFINITY;

  const attempt = async (event: NumberedEvent): Promise<number | null> => {
    lastTryAtMs = clock.monotonicMs();
    const status = await send(hook, event).catch(() => null);
    const one: Try = { at: clock.wallMs(), event: event.type, status };
    tries = [one, ...tries].slice(0, MOST_TRIES_KEPT);
    return status;
  };

  /** Waits, unless a newer event comes. */
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });

  /** Its status; `null` where nobody answered. Gives up for a newer event. */
  const tryAll = async (event: NumberedEvent): Promise<number | null> => {
    let status: number | null = null;
    isDropped = false;
    const firstAtMs = clock.monotonicMs();
    for (const afterMs of TRIED_AFTER_MS) {
      const waitMs = firstAtMs + afterMs - clock.monotonicMs();
      if (waitMs > 0 && !waiting && !isDropped) await pause(waitMs);
      if (isStopped || isDropped || (afterMs > 0 && waiting)) return status;
      status = await attempt(event);
      if (isTaken(status) || status === GONE) return status;
    }
    return status;
  };

  const noteResult = async (status: number | null): Promise<void> => {
    const before = failures;
    failures = isTaken(status) ? 0 : failures + 1;
    const off = status === GONE ? "gone" : failures >= MOST_FAILURES ? "failing" : null;
    if (off) isStopped = true;
    if (before !== failures) await hooks.note(hook.id, { failures, off }).catch(() => {});
  };

  const run = async () => {
    isSending = true;
    while (waiting && !isStopped) {
      const waitMs = lastTryAtMs + PACE_MS - clock.monotonicMs();
      if (waitMs > 0) {
        // A newer event ends the pause too, takes the place of this one, and waits for the rest.
        await pause(waitMs);
        continue;
      }
      const event = waiting;
      waiting = undefined;
      await noteResult(await tryAll(event));
    }
    isSending = false;
  };

  return {
    /** A newer event takes the place of one that waits: a song is soon stale. */
    deliver(event: NumberedEvent) {
      if (isStopped) return;
      waiting = event;
      wake();
      if (!isSending) void run();
    },
    /** Nothing that waits is sent any more, and nothing is tried again. */
    drop() {
      waiting = undefined;
      isDropped = true;
      wake();
    },
    /** The last tries, the newest first. */
    tries: () => tries,
    stop() {
      isStopped = true;
      wake();
    },
  };
}
