import type { WidgetState } from "./state.ts";
import { isWithdrawn } from "./view.ts";

export interface DelayHandlers {
  /** `lateMs`: for how long the state has been the one to show; negative if it will be later. */
  onState(state: WidgetState, lateMs: number): void;
  onLost(): void;
}

/**
 * Shows states as much later as the streamer's video is.
 * Holds back what is received. While there is nothing else to show, at first and after a lost
 * connection, a state is shown at once, with its position as it was that long ago. What the user
 * hides is gone at once.
 */
export function createDelay(seconds: number, handlers: DelayHandlers) {
  const delayMs = seconds * 1000;
  const waiting = new Set<ReturnType<typeof setTimeout>>();
  let isBlank = true;

  const show = (state: WidgetState | undefined, lateMs: number) => {
    isBlank = state === undefined;
    if (state) handlers.onState(state, lateMs);
    else handlers.onLost();
  };

  const take = (state: WidgetState | undefined) => {
    if (delayMs === 0) return show(state, 0);
    const dueAtMs = performance.now() + delayMs;
    const timer = setTimeout(() => {
      waiting.delete(timer);
      // A page that was asleep is late.
      show(state, performance.now() - dueAtMs);
    }, delayMs);
    waiting.add(timer);
  };

  const stop = () => {
    for (const timer of waiting) clearTimeout(timer);
    waiting.clear();
  };

  return {
    receive(state: WidgetState) {
      if (isWithdrawn(state)) {
        // What waits is what the user hides, or older.
        stop();
        show(state, 0);
      } else if (isBlank && waiting.size === 0) show(state, -delayMs);
      else take(state);
    },
    /** The connection is lost: what was received before is still shown in its time. */
    loses: () => take(undefined),
    /** Whether something waits to be shown. */
    waits: () => waiting.size > 0,
    /** Forgets what waits. */
    stop,
  };
}
