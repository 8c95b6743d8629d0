import { type Language, languageTag } from "../languages.ts";

/**
 * A date and time as people write them, in the time zone of this machine. Without the date when it is
 * the same day as `nowMs`.
 */
export function formatTime(language: Language, unixMs: number, nowMs?: number): string {
  const isToday =
    nowMs !== undefined && new Date(unixMs).toDateString() === new Date(nowMs).toDateString();
  return new Intl.DateTimeFormat(languageTag(language), {
    timeStyle: "short",
    ...(!isToday && { dateStyle: "medium" }),
  }).format(unixMs);
}

const DAY_MS = 86_400_000;
const midnightBefore = (unixMs: number): number => new Date(unixMs).setHours(0, 0, 0, 0);

/** A day that is over or running, in the time zone of this machine: “today”, “yesterday”, or its date. */
export function formatPastDay(language: Language, unixMs: number, nowMs: number): string {
  const tag = languageTag(language);
  // Days with a change of clocks are an hour shorter or longer.
  const daysAgo = Math.round((midnightBefore(nowMs) - midnightBefore(unixMs)) / DAY_MS);
  if (daysAgo < 2)
    return new Intl.RelativeTimeFormat(tag, { numeric: "auto" }).format(-daysAgo, "day");
  const isThisYear = new Date(unixMs).getFullYear() === new Date(nowMs).getFullYear();
  return new Intl.DateTimeFormat(tag, {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(!isThisYear && { year: "numeric" }),
  }).format(unixMs);
}
