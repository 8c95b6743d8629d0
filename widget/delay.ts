import type { WidgetState } from "./state.ts";
import { isWithdrawn } from "./view.ts";

export interface DelayHandlers {
  /** `lateMs`: for how long the state has been the one to show; negative if it will be later. */
  onState(state: WidgetState, lateMs: number): void;
  onLost(): void;
}

/** Of more changes than this in one delay, the newest replaces the one before it. */
const MOST_WAITING = 100;

/**
 * Shows states as much later as the streamer's video is.
 * Holds back what is received. While there is nothing else to show, at first and after a lost
 * connection, a state is shown at once, with its position as it was that long ago. What the user
 * hides is gone at once.
 */
export function createDelay(seconds: number, handlers: DelayHandlers) {
  const delayMs = seconds * 1000;
  const waiting: { readonly dueAtMs: number; readonly state: WidgetState | undefined }[] = [];
  let isBlank = true;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const show = (state: WidgetState | undefined, lateMs: number) => {
    isBlank = state === undefined;
    if (state) handlers.onState(state, lateMs);
    else handlers.onLost();
  };

  /** Shows the latest of what is due: a page that was asleep skips what it missed. */
  const showDue = () => {
    clearTimeout(timer);
    const nowMs = performance.now();
    const later = waiting.findIndex(({ dueAtMs }) => dueAtMs > nowMs);
    const due = waiting.splice(0, later < 0 ? waiting.length : later).at(-1);
    const next = waiting[0];
    if (next) timer = setTimeout(showDue, next.dueAtMs - nowMs);
    if (due) show(due.state, nowMs - due.dueAtMs);
  };

  const take = (state: WidgetState | undefined) => {
    if (waiting.length === MOST_WAITING) waiting.pop();
    waiting.push({ dueAtMs: performance.now() + delayMs, state });
    showDue();
  };

  const stop = () => {
    clearTimeout(timer);
    waiting.length = 0;
  };

  return {
    receive(state: WidgetState) {
      if (isWithdrawn(state)) {
        // What waits is what the user hides, or older.
        stop();
        show(state, 0);
      } else if (isBlank && waiting.length === 0) show(state, -delayMs);
      else take(state);
    },
    /** The connection is lost: what was received before is still shown in its time. */
    loses: () => take(undefined),
    /** Whether something waits to be shown. */
    waits: () => waiting.length > 0,
    /** Forgets what waits. */
    stop,
  };
}
