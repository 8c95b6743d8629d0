import { promisify } from "node:util";
import { crc32, deflate, inflate } from "node:zlib";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const [compress, expand] = [promisify(deflate), promisify(inflate)];

/** A picture as a square PNG file: as large as fits, with transparent edges where it is no square. */
export async function squarePng(picture: Uint8Array, sidePx: number): Promise<Uint8Array> {
  const image = new Bun.Image(picture).resize(sidePx, sidePx, { fit: "inside" });
  const png = await image.png().bytes();
  const { width, height } = image;
  if (width === sidePx && height === sidePx) return png;
  const rgba = await pixelsOf(png, width, height);
  const square = new Uint8Array(4 * sidePx * sidePx);
  const left = Math.floor((sidePx - width) / 2);
  const top = Math.floor((sidePx - height) / 2);
  for (let row = 0; row < height; row++) {
    const at = 4 * ((top + row) * sidePx + left);
    square.set(rgba.subarray(4 * row * width, 4 * (row + 1) * width), at);
  }
  return encode(square, sidePx);
}

/** A transparent square as a PNG file. */
export const transparentPng = (sidePx: number): Promise<Uint8Array> =>
  encode(new Uint8Array(4 * sidePx * sidePx), sidePx);

/** https://www.w3.org/TR/png-3/ with 8 bits for each of red, green, blue and alpha. */
async function encode(rgba: Uint8Array, sidePx: number): Promise<Uint8Array> {
  const rowBytes = 4 * sidePx;
  const rows = new Uint8Array(sidePx * (rowBytes + 1));
  for (let row = 0; row < sidePx; row++)
    rows.set(rgba.subarray(row * rowBytes, (row + 1) * rowBytes), row * (rowBytes + 1) + 1);
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

/** The pixels of a PNG file that Bun wrote, as red, green, blue and alpha. */
async function pixelsOf(png: Uint8Array, width: number, height: number): Promise<Uint8Array> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const parts: Uint8Array[] = [];
  let channels = 4;
  for (let at = 8; at + 12 <= png.length; at += 12 + view.getUint32(at)) {
    const name = String.fromCharCode(...png.subarray(at + 4, at + 8));
    const content = png.subarray(at + 8, at + 8 + view.getUint32(at));
    if (name === "IHDR") channels = content[9] === 2 ? 3 : 4;
    if (name === "IDAT") parts.push(content);
  }
  const rows = unfilter(await expand(Buffer.concat(parts)), width * channels, height, channels);
  if (channels === 4) return rows;
  const rgba = new Uint8Array(4 * width * height).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++)
    rgba.set(rows.subarray(3 * pixel, 3 * pixel + 3), 4 * pixel);
  return rgba;
}

/** Takes the filters off that make rows compress better: https://www.w3.org/TR/png-3/#9Filters */
function unfilter(filtered: Uint8Array, rowBytes: number, height: number, channels: number) {
  const rows = new Uint8Array(rowBytes * height);
  const byteAt = (at: number): number => rows[at] ?? 0;
  for (let row = 0; row < height; row++) {
    const filter = filtered[row * (rowBytes + 1)] ?? 0;
    for (let column = 0; column < rowBytes; column++) {
      const at = row * rowBytes + column;
      const left = column < channels ? 0 : byteAt(at - channels);
      const up = row === 0 ? 0 : byteAt(at - rowBytes);
      const corner = row === 0 || column < channels ? 0 : byteAt(at - rowBytes - channels);
      rows[at] = (filtered[at + row + 1] ?? 0) + expected(filter, left, up, corner);
    }
  }
  return rows;
}

function expected(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
