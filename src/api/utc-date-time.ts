/** A Unix time in milliseconds as `YYYY-MM-DD HH:MM:SS` in UTC. */
export function utcDateTime(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace("T", " ");
}
