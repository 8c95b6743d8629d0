import bricolage from "@fontsource/bricolage-grotesque/files/bricolage-grotesque-latin-800-normal.woff2" with { type: "file" };
import bricolageExt from "@fontsource/bricolage-grotesque/files/bricolage-grotesque-latin-ext-800-normal.woff2" with { type: "file" };
import jersey from "@fontsource/jersey-15/files/jersey-15-latin-400-normal.woff2" with { type: "file" };
import jerseyExt from "@fontsource/jersey-15/files/jersey-15-latin-ext-400-normal.woff2" with { type: "file" };
import lora from "@fontsource/lora/files/lora-latin-600-normal.woff2" with { type: "file" };
import loraExt from "@fontsource/lora/files/lora-latin-ext-600-normal.woff2" with { type: "file" };
import sofia from "@fontsource/sofia-sans-condensed/files/sofia-sans-condensed-latin-800-normal.woff2" with { type: "file" };
import sofiaExt from "@fontsource/sofia-sans-condensed/files/sofia-sans-condensed-latin-ext-800-normal.woff2" with { type: "file" };
import licence from "./OFL.txt" with { type: "file" };
import {
  SHIPPED_FONT_NAMES,
  shippedFontId,
  type ShippedFontName,
  type Subset,
  SUBSETS,
} from "./shipped-fonts.ts";

const paths: Readonly<Record<ShippedFontName, Readonly<Record<Subset, string>>>> = {
  "Bricolage Grotesque": { latin: bricolage, "latin-ext": bricolageExt },
  Lora: { latin: lora, "latin-ext": loraExt },
  "Jersey 15": { latin: jersey, "latin-ext": jerseyExt },
  "Sofia Sans Condensed": { latin: sofia, "latin-ext": sofiaExt },
};

/** The paths of the files of the fonts that come with Marquee, by the names in their addresses. */
export const SHIPPED_FONT_FILES: ReadonlyMap<string, string> = new Map(
  SHIPPED_FONT_NAMES.flatMap((name) =>
    SUBSETS.map((subset) => [shippedFontId(name, subset), paths[name][subset]] as const),
  ),
);

/** The path of the text of their licence. */
export const SHIPPED_FONTS_LICENCE = licence;
