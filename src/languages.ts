/**
 * The languages of all texts for people, each with its BCP 47 tag for HTML and dates.
 * Paths and options use the short name: the texts under `pt` are Brazilian Portuguese, but serve
 * all readers of Portuguese.
 */
const TAGS = { en: "en", fr: "fr", es: "es", pt: "pt-BR", de: "de" } as const;

export type Language = keyof typeof TAGS;

export const LANGUAGES = Object.keys(TAGS) as readonly Language[];

export const languageTag = (language: Language): string => TAGS[language];

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(TAGS, text);
}

/** The language with this name, else `otherwise`. */
export function languageOr(text: string | null | undefined, otherwise: Language): Language {
  return text && isLanguage(text) ? text : otherwise;
}

/** Browsers send fewer; the others are not read. */
const MOST_PREFERENCES = 20;

/**
 * The best supported language for an `Accept-Language` header (RFC 9110 § 12.5.4), else English.
 * Regions are ignored: `pt-BR` and `pt-PT` both mean Portuguese.
 */
export function negotiateLanguage(header: string | null): Language {
  const preferences = (header ?? "").split(",", MOST_PREFERENCES).map((part) => {
    const [range = "", ...parameters] = part
      .toLowerCase()
      .split(";")
      .map((text) => text.trim());
    const quality = parameters.map((one) => /^q=([\d.]+)$/.exec(one)?.[1]).find(Boolean);
    return { language: range.split("-")[0] ?? "", quality: Number(quality ?? 1) };
  });
  const best = preferences
    .filter(({ language, quality }) => isLanguage(language) && quality > 0)
    .toSorted((one, other) => other.quality - one.quality)[0]?.language;
  return languageOr(best, "en");
}
