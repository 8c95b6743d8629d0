import { luminance, type Rgb, saturation, toHex } from "../../../../../widget/colour.ts";

/** Colours nearer to each other than this look like one. */
const LEAST_DISTANCE = 64;

/**
 * The colours that make a picture what it is: frequent or vivid ones, and no two alike.
 * @param pixels red, green, blue and opacity of each
 */
export function paletteOf(pixels: ArrayLike<number>, most: number): readonly string[] {
  const buckets = new Map<number, { sum: [number, number, number]; count: number }>();
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, opacity = 0] = [0, 1, 2, 3].map((i) => pixels[at + i]);
    if (opacity < 128) continue;
    // Five bits of each are one colour.
    const key = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
    const bucket = buckets.get(key) ?? { sum: [0, 0, 0], count: 0 };
    bucket.sum = [bucket.sum[0] + red, bucket.sum[1] + green, bucket.sum[2] + blue];
    bucket.count++;
    buckets.set(key, bucket);
  }
  const ranked = [...buckets.values()]
    .map(({ sum, count }) => {
      const colour: Rgb = [sum[0] / count, sum[1] / count, sum[2] / count];
      return { colour, weight: Math.sqrt(count) * (0.25 + saturation(colour)) };
    })
    .toSorted((a, b) => b.weight - a.weight);
  const chosen: Rgb[] = [];
  for (const { colour } of ranked) {
    if (chosen.length === most) break;
    if (chosen.every((other) => distance(colour, other) >= LEAST_DISTANCE)) chosen.push(colour);
  }
  return chosen.toSorted((a, b) => luminance(a) - luminance(b)).map(toHex);
}

const distance = (one: Rgb, other: Rgb): number =>
  Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
