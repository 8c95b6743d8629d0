/** Why music cannot be heard although the connection itself stands. */
export const FAILURE_REASONS = [
  "unreachable",
  "limited",
  "notOnAppList",
  "noPremium",
  "appRefused",
  "appMissing",
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/**
 * How a connection does, as last seen by a running server. Times are Unix milliseconds; `null`
 * where nobody knows since when.
 * `linkedUntil` is the day on which the upstream's consent ends, where it ends by itself.
 */
export type ConnectionStatus = { readonly linkedUntil: number | null } & StoredStatus;

export type StoredStatus =
  | { readonly state: "untried" }
  | { readonly state: "ok"; readonly since: number }
  | { readonly state: "retrying"; readonly since: number; readonly reason: FailureReason }
  | { readonly state: "limited"; readonly since: number; readonly until: number }
  | { readonly state: "needsLinking"; readonly since: number | null };

/** What a running server finds out; a refused connection is remembered with the connection itself. */
export type ReportedStatus = Extract<StoredStatus, { state: "ok" | "retrying" | "limited" }>;

/** A status as it stands now: a pause may have ended while nobody listened. */
export const statusAt = (status: StoredStatus, nowMs: number): StoredStatus =>
  status.state === "limited" && status.until <= nowMs
    ? { state: "ok", since: status.until }
    : status;

const DAY_MS = 86_400_000;
/** A consent that ends later is warned of by nobody. */
export const LONGEST_WARNING_MS = 30 * DAY_MS;

/** How pressing it is to link again before the consent ends. */
export type ConsentWarning = "none" | "month" | "week";

export function consentWarning(linkedUntil: number | null, nowMs: number): ConsentWarning {
  if (linkedUntil === null) return "none";
  const leftMs = linkedUntil - nowMs;
  if (leftMs <= 7 * DAY_MS) return "week";
  return leftMs <= LONGEST_WARNING_MS ? "month" : "none";
}
