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
