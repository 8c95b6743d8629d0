/**
 * Calls `draw` each time the position that it returns (milliseconds) passes a whole second. The
 * returned function stops the clock.
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

/** Added to each wait: a timer that fires slightly early would draw the same second twice. */
const EARLY_TIMER_MS = 5;
