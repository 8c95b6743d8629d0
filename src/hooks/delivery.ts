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
  /** What is sent next, and how often it was tried; `undefined` once it was taken, given up or dropped. */
  let newest: NumberedEvent | undefined;
  let tried = 0;
  let firstTryAtMs = Number.NEGATIVE_INFINITY;
  let lastTryAtMs = Number.NEGATIVE_INFINITY;
  let isSending = false;
  let isStopped = hook.off !== null;
  let failures = hook.failures;
  let tries: readonly Try[] = [];
  let cancel = () => {};

  /** Counts how an event ended: one that is given up for a newer one has failed as well. */
  const noteResult = async (status: number | null): Promise<void> => {
    const before = failures;
    failures = isTaken(status) ? 0 : failures + 1;
    const off = status === GONE ? "gone" : failures >= MOST_FAILURES ? "failing" : null;
    if (off) isStopped = true;
    if (before !== failures) await hooks.note(hook.id, { failures, off }).catch(() => {});
  };

  const tryOnce = async (event: NumberedEvent): Promise<void> => {
    isSending = true;
    lastTryAtMs = clock.monotonicMs();
    if (tried === 0) firstTryAtMs = lastTryAtMs;
    tried += 1;
    const status = await send(hook, event).catch(() => null);
    const one: Try = { at: clock.wallMs(), event: event.type, status };
    tries = [one, ...tries].slice(0, MOST_TRIES_KEPT);
    const isLast = isTaken(status) || status === GONE || tried === TRIED_AFTER_MS.length;
    if (newest === event && isLast) newest = undefined;
    if (newest !== event) await noteResult(status);
    isSending = false;
    goOn();
  };

  /** Tries what is to be sent next, now or as soon as it may be tried. */
  const goOn = () => {
    cancel();
    if (!newest || isSending || isStopped) return;
    const againAtMs = firstTryAtMs + (TRIED_AFTER_MS[tried] ?? 0);
    const waitMs = (tried === 0 ? lastTryAtMs + PACE_MS : againAtMs) - clock.monotonicMs();
    if (waitMs > 0) cancel = clock.after(waitMs, goOn);
    else void tryOnce(newest);
  };

  /** Gives up what waits to be tried again. */
  const giveUp = () => {
    if (newest && tried > 0 && !isSending && !isStopped) void noteResult(null);
  };

  return {
    /** A newer event takes the place of one that waits: a song is soon stale. */
    deliver(event: NumberedEvent) {
      giveUp();
      newest = event;
      tried = 0;
      goOn();
    },
    /** Nothing that waits is sent any more, and nothing is tried again. */
    drop() {
      giveUp();
      newest = undefined;
      cancel();
    },
    /** The last tries, the newest first. */
    tries: () => tries,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
