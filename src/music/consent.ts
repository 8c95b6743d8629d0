const DAY_MS = 86_400_000;
/** There is no warning if a consent ends later. */
export const LONGEST_WARNING_MS = 30 * DAY_MS;

/** How urgent it is to link again before the consent ends. */
export type ConsentWarning = "none" | "month" | "week";

export function consentWarning(linkedUntil: number | null, nowMs: number): ConsentWarning {
  if (linkedUntil === null) return "none";
  const leftMs = linkedUntil - nowMs;
  if (leftMs <= 7 * DAY_MS) return "week";
  return leftMs <= LONGEST_WARNING_MS ? "month" : "none";
}
