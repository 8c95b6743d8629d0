import { promisify } from "node:util";
import { crc32, deflate, inflate } from "node:zlib";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const [compress, expand] = [promisify(deflate), promisify(inflate)];

/** Rows of pixels as PNG files have them: a byte for the filter, then red, green, blue and alpha of each pixel. */
const rowBytesOf = (widthPx: number): number => 1 + 4 * widthPx;

/** A picture as a square PNG file: as large as fits, with transparent edges where it is no square. */
export async function squarePng(picture: Uint8Array, sidePx: number): Promise<Uint8Array> {
  const image = new Bun.Image(picture).resize(sidePx, sidePx, { fit: "inside" });
  // Uncompressed files are written without filters, so their rows hold the pixels themselves.
  const rows = await rowsIn(await image.png({ compressionLevel: 0 }).bytes());
  const { width, height } = image;
  const left = Math.floor((sidePx - width) / 2);
  const top = Math.floor((sidePx - height) / 2);
  const square = transparentRows(sidePx);
  for (let row = 0; row < height; row++) {
    const pixels = rows.subarray(row * rowBytesOf(width) + 1, (row + 1) * rowBytesOf(width));
    square.set(pixels, (top + row) * rowBytesOf(sidePx) + 1 + 4 * left);
  }
  return encode(square, sidePx);
}

/** A transparent square as a PNG file. */
export const transparentPng = (sidePx: number): Promise<Uint8Array> =>
  encode(transparentRows(sidePx), sidePx);

const transparentRows = (sidePx: number) => new Uint8Array(sidePx * rowBytesOf(sidePx));

/** https://www.w3.org/TR/png-3/ with 8 bits for each of red, green, blue and alpha. */
async function encode(rows: Uint8Array, sidePx: number): Promise<Uint8Array> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, sidePx);
  header.setUint32(4, sidePx);
  header.setUint8(8, 8);
  header.setUint8(9, 6);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("IDAT", await compress(rows)),
    chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(name: string, content: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(name), content]);
  const ends = new DataView(new ArrayBuffer(8));
  ends.setUint32(0, content.length);
  ends.setUint32(4, crc32(named));
  const [length, checksum] = [new Uint8Array(ends.buffer, 0, 4), new Uint8Array(ends.buffer, 4)];
  return Buffer.concat([length, named, checksum]);
}

/** The rows of a PNG file that Bun wrote. */
function rowsIn(png: Uint8Array): Promise<Uint8Array> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = SIGNATURE.length; at + 12 <= png.length; at += 12 + view.getUint32(at)) {
    const name = String.fromCharCode(...png.subarray(at + 4, at + 8));
    if (name === "IDAT") parts.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  return expand(Buffer.concat(parts));
}
