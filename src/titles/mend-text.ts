import type * as entities from "entities/decode";

/** It is loaded with the first sign: it unpacks all that there are, which would make each start longer. */
const library = () => require("entities/decode") as typeof entities;

/**
 * A text whose encoding is mended: HTML's signs decoded once, UTF-8 that was encoded twice decoded
 * until it is encoded once, no spaces around it. What was written on purpose stays as it is.
 */
export const mendText = (text: string): string =>
  withoutDoubleUtf8(text.includes("&") ? library().decodeHTMLStrict(text) : text).trim();

/** A text that {@link mendText} turns into this one, for texts that it is still to be applied to. */
export const unmended = (text: string): string =>
  mendText(text) === text ? text : text.replaceAll("&", "&amp;");

/** The signs of windows-1252 for 0x80 to 0x9F; five of them are control characters. */
const SIGNS = new TextDecoder("windows-1252").decode(
  Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index),
);
/** What begins a sequence of UTF-8, read as windows-1252. */
const LEAD = /[\u00c2-\u00f4]/;
/**
 * Behind such a letter, typographic signs are ordinary (`CAFÉ…`, `BEYONCÉ’S`). These sequences
 * are not, and show that the others of a text are none either.
 */
const TELLING = /[\u00c2-\u00f4][\u0080-\u00bf€ƒ†‡ˆ‰ŠŒŽ˜šœžŸ]|Ã[‚„…‹‘’“”•–—™›]\p{L}/u;

/**
 * `BjÃ¶rk` as `Björk`, where that is certain: all signs are bytes of Latin-1 or windows-1252, and
 * together they are valid UTF-8. Servers that take UTF-8 for Latin-1 make such texts.
 */
function withoutDoubleUtf8(text: string): string {
  if (!LEAD.test(text)) return text;
  const bytes = Array.from(text, byteOf);
  const isLatin1 = !/[^\u0000-\u00ff]/.test(text);
  if (bytes.includes(undefined) || !(isLatin1 || TELLING.test(text))) return text;
  try {
    const once = new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.from(bytes, (byte) => byte ?? 0),
    );
    return withoutDoubleUtf8(once);
  } catch {
    return text;
  }
}

function byteOf(sign: string): number | undefined {
  const point = sign.codePointAt(0) ?? 0;
  if (point <= 0xff) return point;
  const index = SIGNS.indexOf(sign);
  return index === -1 ? undefined : 0x80 + index;
}
