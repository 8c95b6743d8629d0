/** Which characters each file of a font has, so that browsers load only those that a text needs. */
export const UNICODE_RANGES = {
  latin:
    "U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD",
  "latin-ext":
    "U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF",
} as const;

/** The characters that a file of a font has. */
export type Subset = keyof typeof UNICODE_RANGES;

/**
 * The fonts that come with Marquee, each in one weight: a grotesk, a serif, a pixel font and a
 * condensed one. Of each file it says how its SHA-256 begins: browsers keep what they have loaded.
 */
const SHIPPED_FONTS = {
  "Bricolage Grotesque": { latin: "3e1b5f0a", "latin-ext": "e101adfe" },
  Lora: { latin: "7bbfe9f3", "latin-ext": "1af859ef" },
  "Jersey 15": { latin: "244065ac", "latin-ext": "c2222da8" },
  "Sofia Sans Condensed": { latin: "a88f4147", "latin-ext": "a39aace8" },
} as const satisfies Record<string, Readonly<Record<Subset, string>>>;

/**
 * Letters that are small for their size are drawn larger, so that a look fits with them and with the
 * fonts that stand in for them. A text of 19.2 px, such as the title in the look of the same kind, then
 * has letters 15 px high: one pixel for each of theirs.
 */
export const SIZE_ADJUSTMENTS: Partial<Record<ShippedFontName, string>> = {
  "Jersey 15": "140.625%",
};

/** The family's name in options and CSS. */
export type ShippedFontName = keyof typeof SHIPPED_FONTS;

export const SHIPPED_FONT_NAMES = Object.keys(SHIPPED_FONTS) as readonly ShippedFontName[];
export const SUBSETS = Object.keys(UNICODE_RANGES) as readonly Subset[];

/** The name of a file in its address, without the ending. */
export const shippedFontId = (name: ShippedFontName, subset: Subset): string =>
  `${name.toLowerCase().replaceAll(" ", "-")}-${subset}-${SHIPPED_FONTS[name][subset]}`;
