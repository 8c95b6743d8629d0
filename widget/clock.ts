/**
 * Calls `draw` once a second, each time the position it answers (milliseconds) has passed a whole
 * second, until the result is called.
 */
export function startClock(draw: () => number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const turn = () => {
    const positionMs = draw();
    timer = setTimeout(turn, 1000 - (positionMs % 1000) + EARLY_TIMER_MS);
  };
  turn();
  return () => clearTimeout(timer);
}

/** A timer that fired a moment early would draw the same second twice. */
const EARLY_TIMER_MS = 5;
