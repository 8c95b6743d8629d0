import { de } from "./de.ts";
import { en, type Words } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { pt } from "./pt.ts";

export type { Words };

export const languages = { en, fr, es, pt, de } as const satisfies Record<string, Words>;

export type Language = keyof typeof languages;

export const LANGUAGES = Object.keys(languages) as readonly Language[];

/**
 * A language as HTML and dates name it (BCP 47). Paths and options keep the short name: the texts
 * under `pt` are Brazil's, and readers from elsewhere take them too.
 */
export function languageTag(language: Language): string {
  return language === "pt" ? "pt-BR" : language;
}

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}

/** Puts values in the places that a text names, such as `{source}`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

/** A day as people write it, such as `21 novembre 2026`, in UTC. */
export function formatDay(language: Language, unixMs: number): string {
  return new Intl.DateTimeFormat(languageTag(language), {
    dateStyle: "long",
    timeZone: "UTC",
  }).format(unixMs);
}

/**
 * A day and time of day as people write them, in the server's time zone; the time alone when the
 * day is that of `nowMs`.
 */
export function formatTime(language: Language, unixMs: number, nowMs?: number): string {
  const isToday =
    nowMs !== undefined && new Date(unixMs).toDateString() === new Date(nowMs).toDateString();
  return new Intl.DateTimeFormat(languageTag(language), {
    timeStyle: "short",
    ...(!isToday && { dateStyle: "medium" }),
  }).format(unixMs);
}

/**
 * The best of our languages for an `Accept-Language` header (RFC 9110 § 12.5.4), English otherwise.
 * A region counts as its language: `pt-BR` and `pt-PT` are Portuguese.
 */
export function negotiateLanguage(header: string | null): Language {
  const wishes = (header ?? "").split(",").map((part) => {
    const [range = "", ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const quality = parameters.map((one) => /^q=([\d.]+)$/.exec(one)?.[1]).find(Boolean);
    return { language: range.split("-")[0] ?? "", quality: Number(quality ?? 1) };
  });
  const best = wishes
    .filter(({ language, quality }) => isLanguage(language) && quality > 0)
    .toSorted((one, other) => other.quality - one.quality)[0]?.language;
  return best && isLanguage(best) ? best : "en";
}
