const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;

/**
 * How long to wait before asking a failing upstream again, in milliseconds. The delay doubles from
 * a quarter of a second to ten seconds. A random quarter is added or taken away, so that many
 * users do not retry at once.
 * @param failures how many failures in a row, 1 for the first
 * @param random a number from 0 to 1
 */
export function retryDelayMs(failures: number, random: number): number {
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 16), LONGEST_DELAY_MS);
  return delayMs * (0.75 + random / 2);
}
