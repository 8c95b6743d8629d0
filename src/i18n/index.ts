import { type Language, languageTag } from "../languages.ts";
import { de } from "./de.ts";
import { en, type Words } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { pt } from "./pt.ts";

export { fill } from "./fill.ts";

export type { Words };

export const languages: Readonly<Record<Language, Words>> = { en, fr, es, pt, de };

/** A day as people write it, such as `21 novembre 2026`, in UTC. */
export function formatDay(language: Language, unixMs: number): string {
  return new Intl.DateTimeFormat(languageTag(language), {
    dateStyle: "long",
    timeZone: "UTC",
  }).format(unixMs);
}

/**
 * A date and time as people write them, in the server's time zone. Without the date when it is the
 * same day as `nowMs`.
 */
export function formatTime(language: Language, unixMs: number, nowMs?: number): string {
  const isToday =
    nowMs !== undefined && new Date(unixMs).toDateString() === new Date(nowMs).toDateString();
  return new Intl.DateTimeFormat(languageTag(language), {
    timeStyle: "short",
    ...(!isToday && { dateStyle: "medium" }),
  }).format(unixMs);
}
