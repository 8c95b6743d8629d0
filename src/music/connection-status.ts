/** Why playback cannot be read although the connection is valid. */
export const FAILURE_REASONS = [
  "unreachable",
  // Somebody answers, but not as the source's upstream does.
  "unexpected",
  // A radio's server has no stream at the address.
  "offAir",
  // Of programs on this machine whose files are read.
  "fileMissing",
  "databaseLocked",
  "databaseUnknown",
  "limited",
  "notOnAppList",
  "noPremium",
  "appRefused",
  "appMissing",
  // Of services that want a key of the server's owner instead of an app.
  "keyMissing",
  "keyRefused",
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/**
 * The status of a connection, as last stored by a running server. Times are Unix milliseconds;
 * `null` when the start is unknown.
 * `linkedUntil` is when the upstream's consent ends, where it ends by itself.
 */
export type ConnectionStatus = { readonly linkedUntil: number | null } & StoredStatus;

export type StoredStatus =
  | { readonly state: "untried" }
  | { readonly state: "ok"; readonly since: number }
  | { readonly state: "retrying"; readonly since: number; readonly reason: FailureReason }
  | { readonly state: "limited"; readonly since: number; readonly until: number }
  | { readonly state: "needsLinking"; readonly since: number | null };

/** The statuses a running server reports. A refusal is stored with the connection itself. */
export type ReportedStatus = Extract<StoredStatus, { state: "ok" | "retrying" | "limited" }>;

/** The status at `nowMs`: a pause may have ended since it was stored. */
export const statusAt = (status: StoredStatus, nowMs: number): StoredStatus =>
  status.state === "limited" && status.until <= nowMs
    ? { state: "ok", since: status.until }
    : status;
