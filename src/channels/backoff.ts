const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;

/**
 * How long to wait before asking a failing upstream again: doubling from a quarter of a second to
 * ten seconds, spread by a quarter either way so that many users do not come back at once.
 * @param failures how many have come in a row, 1 for the first
 * @param random a number from 0 to 1
 */
export function retryDelayMs(failures: number, random: number): number {
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 16), LONGEST_DELAY_MS);
  return delayMs * (0.75 + random / 2);
}
