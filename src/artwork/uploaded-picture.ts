import { Refused } from "../i18n/refused.ts";
import { encode, shrink } from "./drawing.ts";

/** In bytes. */
export const LARGEST_PICTURE = 1_000_000;
/** A picture's longest side in pixels. */
export const LONGEST_SIDE_PX = 4096;
const FORMATS = new Set(["png", "jpeg", "webp"]);

/**
 * Draws a picture that a user has uploaded, as covers are drawn: what is kept and shown was made here,
 * and has nothing of the file in it but its pixels.
 * @throws {Refused} for what is no picture, or too large
 */
export async function drawUpload(file: Uint8Array): Promise<Uint8Array> {
  if (file.length > LARGEST_PICTURE) throw refused("tooLarge");
  const header = await new Bun.Image(file).metadata().catch(() => undefined);
  if (!header || !FORMATS.has(header.format)) throw refused("noPicture");
  if (Math.max(header.width, header.height) > LONGEST_SIDE_PX) throw refused("tooWide");
  try {
    const small = await shrink(file, ["512.webp"], LONGEST_SIDE_PX ** 2);
    return await encode(small, "512.webp");
  } catch {
    throw refused("noPicture");
  }
}

const refused = (reason: "noPicture" | "tooLarge" | "tooWide"): Refused =>
  new Refused(
    `cover.${reason}`,
    { side: String(LONGEST_SIDE_PX) },
    { field: "file", isMisuse: true },
  );
