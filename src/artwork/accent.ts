import { luminance, type Rgb, saturation, toHex } from "../../widget/colour.ts";

const SAMPLE_SIDE_PX = 32;
const PALETTE_COLOURS = 12;

/**
 * A vivid colour of a picture that we have drawn, such as `#e07a5f`, or `null` when it has none, as
 * in a grey picture.
 * Bun reduces the picture to a palette and writes a PNG file with that palette in a separate chunk
 * (https://www.w3.org/TR/png-3/#11PLTE), so no pixels need to be decoded here.
 */
export async function accentOf(picture: Uint8Array): Promise<string | null> {
  const file = await new Bun.Image(picture)
    .resize(SAMPLE_SIDE_PX, SAMPLE_SIDE_PX, { filter: "box" })
    .png({ palette: true, colors: PALETTE_COLOURS, dither: false })
    .bytes();
  const mostVivid = readPalette(file).toSorted(
    (one, other) => vividness(other) - vividness(one),
  )[0];
  return mostVivid && vividness(mostVivid) > DULLEST ? toHex(mostVivid) : null;
}

/** A colour with less vividness than this counts as grey. */
const DULLEST = 0.12;

/** High for colours that are saturated and neither too dark nor too pale. */
function vividness(colour: Rgb): number {
  const light = Math.sqrt(luminance(colour));
  return saturation(colour) * (1 - Math.abs(light - 0.6));
}

function readPalette(png: Uint8Array): Rgb[] {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  // Eight bytes of signature, then chunks: length, name, content, checksum.
  for (let at = 8; at + 12 <= png.length; at += 12 + view.getUint32(at)) {
    const name = String.fromCharCode(...png.subarray(at + 4, at + 8));
    if (name !== "PLTE") continue;
    const content = png.subarray(at + 8, at + 8 + view.getUint32(at));
    return Array.from({ length: content.length / 3 }, (_, index): Rgb => {
      const [red = 0, green = 0, blue = 0] = content.subarray(index * 3, index * 3 + 3);
      return [red, green, blue];
    });
  }
  return [];
}
