/**
 * Calls `draw` each time the position that it returns (milliseconds) passes a whole second. The
 * returned function stops the clock.
 * @param rate milliseconds of the position per millisecond
 */
export function startClock(draw: () => number, rate = 1): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const turn = () => {
    const positionMs = draw();
    timer = setTimeout(turn, (1000 - (positionMs % 1000)) / rate + EARLY_TIMER_MS);
  };
  turn();
  return () => clearTimeout(timer);
}

/** Added to each wait: a timer that fires slightly early would draw the same second twice. */
const EARLY_TIMER_MS = 5;
