/** The sizes and formats of served pictures. The name is the last part of the path. */
export const renditions = {
  /** For the overlay. */
  "256.webp": { sidePx: 256, type: "image/webp" },
  /** For overlay themes with a large cover. */
  "512.webp": { sidePx: 512, type: "image/webp" },
  /** For API clients, in the format that every program can show. */
  "640.jpg": { sidePx: 640, type: "image/jpeg" },
  /** For cards, which carry the picture in them. */
  "128.jpg": { sidePx: 128, type: "image/jpeg" },
} as const;

export type Rendition = keyof typeof renditions;

/** A cover has at most 4,000 × 3,000 pixels. A file of 6 KB can say that it has many more. */
const MOST_PIXELS = 12_000_000;
/** A progressive JPEG file has about ten scans. Each goes over all its pixels, and takes 20 bytes. */
const MOST_SCANS = 32;

/** The largest file that an overlay may load for one cover, and that a card may carry. */
const MOST_OVERLAY_BYTES = 60 * 1024;
const MOST_CARD_BYTES = 16 * 1024;
/** Tried in order until a picture is small enough; the first nearly always suffices. */
const ATTEMPTS = [
  { scale: 1, quality: 82 },
  { scale: 1, quality: 60 },
  { scale: 0.75, quality: 60 },
  { scale: 0.5, quality: 60 },
] as const;

/**
 * The whole picture, uncropped and without loss, in the size of the largest of those that are wanted.
 * The original, which may be hostile, is decoded once: all else is made from the result of this.
 */
export async function shrink(
  original: Uint8Array,
  wanted: readonly Rendition[],
  mostPixels = MOST_PIXELS,
): Promise<Uint8Array> {
  if (scansIn(original) > MOST_SCANS) throw new Error("a cover has too many scans");
  const largestPx = Math.max(...wanted.map((rendition) => renditions[rendition].sidePx));
  return shrunk(original, largestPx, mostPixels).png({ compressionLevel: 0 }).bytes();
}

/** @param picture one that {@link shrink} has made */
export async function encode(
  picture: Uint8Array,
  rendition: Rendition,
): Promise<Uint8Array<ArrayBuffer>> {
  const { sidePx } = renditions[rendition];
  if (rendition === "640.jpg") {
    return new Uint8Array(await shrunk(picture, sidePx).jpeg({ quality: 85 }).bytes());
  }
  const isForCard = rendition === "128.jpg";
  let file = new Uint8Array();
  for (const { scale, quality } of ATTEMPTS) {
    const smaller = shrunk(picture, sidePx * scale);
    const encoded = isForCard ? smaller.jpeg({ quality }) : smaller.webp({ quality });
    file = new Uint8Array(await encoded.bytes());
    if (file.length <= (isForCard ? MOST_CARD_BYTES : MOST_OVERLAY_BYTES)) break;
  }
  return file;
}

const shrunk = (picture: Uint8Array, sidePx: number, maxPixels = MOST_PIXELS) =>
  new Bun.Image(picture, { maxPixels }).resize(sidePx, sidePx, {
    fit: "inside",
    withoutEnlargement: true,
  });

const START_OF_JPEG = Buffer.from([0xff, 0xd8]);
const START_OF_SCAN = Buffer.from([0xff, 0xda]);

/** At most so many scans a JPEG file has: the marker cannot be part of what a scan holds. */
function scansIn({ buffer, byteOffset, length }: Uint8Array): number {
  const file = Buffer.from(buffer, byteOffset, length);
  if (!file.subarray(0, START_OF_JPEG.length).equals(START_OF_JPEG)) return 0;
  let scans = 0;
  for (
    let at = file.indexOf(START_OF_SCAN);
    at !== -1 && scans <= MOST_SCANS;
    at = file.indexOf(START_OF_SCAN, at + START_OF_SCAN.length)
  ) {
    scans += 1;
  }
  return scans;
}
