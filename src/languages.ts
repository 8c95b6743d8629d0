/**
 * The languages of everything that people read, each with its tag in HTML and dates (BCP 47).
 * Paths and options keep the short name: the texts under `pt` are Brazil's, and readers from
 * elsewhere take them too.
 */
const TAGS = { en: "en", fr: "fr", es: "es", pt: "pt-BR", de: "de" } as const;

export type Language = keyof typeof TAGS;

export const LANGUAGES = Object.keys(TAGS) as readonly Language[];

export const languageTag = (language: Language): string => TAGS[language];

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(TAGS, text);
}

/** The language that a text names, else the other. */
export function languageOr(text: string | null | undefined, otherwise: Language): Language {
  return text && isLanguage(text) ? text : otherwise;
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
  return languageOr(best, "en");
}
