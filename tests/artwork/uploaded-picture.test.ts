import { describe, expect, test } from "bun:test";
import {
  drawUpload,
  LARGEST_PICTURE,
  LONGEST_SIDE_PX,
} from "../../src/artwork/uploaded-picture.ts";
import { Refused } from "../../src/i18n/refused.ts";
import { blackPicture, noisePicture, pngOf, solidPicture } from "../fixtures/sources/pictures.ts";

const inFormat = async (format: "png" | "jpeg" | "webp", bytes = solidPicture("#c02050", 900)) =>
  new Bun.Image(bytes)[format]().bytes();
const headerOf = (bytes: Uint8Array) => new Bun.Image(bytes).metadata();
/** A file with bytes after its end, which decoders pass over. */
const ofLength = (file: Uint8Array, length: number) => {
  const longer = new Uint8Array(length);
  longer.set(file);
  return longer;
};

describe("an uploaded picture", () => {
  test.each(["png", "jpeg", "webp"] as const)("is drawn anew from %s", async (format) => {
    const drawn = await drawUpload(await inFormat(format));
    expect(await headerOf(drawn)).toMatchObject({ format: "webp", width: 512, height: 512 });
  });

  test("keeps its shape, and is small enough for an overlay", async () => {
    const wide = new Bun.Image(noisePicture(512)).resize(512, 256, { fit: "fill" }).webp();
    const drawn = await drawUpload(await wide.bytes());
    const { width, height } = await headerOf(drawn);
    expect(width / height).toBeCloseTo(2, 1);
    expect(drawn.length).toBeLessThanOrEqual(60 * 1024);
  });

  test("has nothing of the file in it but its pixels", async () => {
    const secret = "a place and a time";
    const jpeg = await inFormat("jpeg");
    const comment = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0, secret.length + 2]),
      Buffer.from(secret),
    ]);
    const file = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
    expect(file.includes(secret)).toBe(true);
    expect(Buffer.from(await drawUpload(file)).includes(secret)).toBe(false);
  });

  test("may have 1 MB and 4096 pixels a side", async () => {
    await drawUpload(ofLength(await inFormat("png"), LARGEST_PICTURE));
    await drawUpload(blackPicture(LONGEST_SIDE_PX, LONGEST_SIDE_PX));
  });

  test.each([
    ["cover.tooLarge", async () => ofLength(await inFormat("png"), LARGEST_PICTURE + 1)],
    ["cover.tooWide", () => blackPicture(LONGEST_SIDE_PX + 1, 1)],
    ["cover.tooWide", () => blackPicture(1, LONGEST_SIDE_PX + 1)],
    ["cover.noPicture", () => pngOf(60_000, 60_000)],
    ["cover.noPicture", () => new Uint8Array()],
    [
      "cover.noPicture",
      () => new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>"),
    ],
    ["cover.noPicture", () => solidPicture("#c02050")],
    ["cover.noPicture", () => Buffer.from("GIF89a\x01\0\x01\0\0\0\0;", "latin1")],
    ["cover.noPicture", async () => (await inFormat("png")).subarray(0, 60)],
    ["cover.noPicture", async () => (await inFormat("webp")).subarray(0, 60)],
  ] as const)("that cannot be shown is refused: %s, %#", async (reason, make) => {
    const error = await drawUpload(await make()).catch((thrown: unknown) => thrown);
    expect(error instanceof Refused && error.reason).toBe(reason);
  });
});
