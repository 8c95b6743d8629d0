/**
 * The position (ms) behind an answer that is cut to whole seconds: as near to the expected one as
 * the answer allows. So the position does not jump to and fro within the second.
 */
export const withinSecond = (seconds: number, expectedMs: number): number =>
  Math.min(Math.max(expectedMs, seconds * 1000), seconds * 1000 + 999);
