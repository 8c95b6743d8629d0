/** The demo's covers, drawn point by point: no picture files, and any size would do. */

/** Red, green and blue from 0 to 255. */
type Colour = readonly [number, number, number];
/** The colour at a point; both coordinates run from 0 (left, top) to 1. */
type Painting = (x: number, y: number) => Colour;

const SIDE_PX = 480;

const colour = (hex: string): Colour => [
  Number.parseInt(hex.slice(0, 2), 16),
  Number.parseInt(hex.slice(2, 4), 16),
  Number.parseInt(hex.slice(4, 6), 16),
];

const mix = (from: Colour, to: Colour, share: number): Colour => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

/** 0 below `from`, 1 above `to`, and a soft step between: the edges of shapes are smoothed by it. */
function step(from: number, to: number, value: number): number {
  const share = Math.min(Math.max((value - from) / (to - from), 0), 1);
  return share * share * (3 - 2 * share);
}

const EDGE = 1.5 / SIDE_PX;

/** How much of a disc covers the point. */
const disc = (x: number, y: number, centreX: number, centreY: number, radius: number): number =>
  1 - step(radius - EDGE, radius + EDGE, Math.hypot(x - centreX, y - centreY));

/** How much of the area below a line, given by its height at this `x`, covers the point. */
const below = (y: number, height: number): number => step(height - EDGE, height + EDGE, y);

/** A soft light that fades with the distance from its centre. */
const glow = (x: number, y: number, centreX: number, centreY: number, reach: number): number =>
  Math.exp(-((x - centreX) ** 2 + (y - centreY) ** 2) / (reach * reach));

const paintings = {
  lanterns(x, y) {
    const lanterns: [number, number, number][] = [
      [0.27, 0.36, 0.1],
      [0.62, 0.24, 0.07],
      [0.74, 0.56, 0.12],
      [0.4, 0.7, 0.055],
    ];
    let point = mix(colour("1b1538"), colour("7a2f4f"), step(0, 1, y));
    for (const [centreX, centreY, radius] of lanterns) {
      point = mix(point, colour("ff9d5c"), 0.75 * glow(x, y, centreX, centreY, radius * 2.1));
      point = mix(point, colour("ffd9a0"), disc(x, y, centreX, centreY, radius));
      point = mix(
        point,
        colour("f7803c"),
        0.55 * disc(x, y, centreX, centreY + radius * 0.35, radius * 0.62),
      );
    }
    return point;
  },

  ferry(x, y) {
    let point = mix(colour("06141f"), colour("12435c"), step(0, 0.62, y));
    point = mix(point, colour("f2e8c9"), disc(x, y, 0.7, 0.27, 0.095));
    point = mix(point, colour("f2e8c9"), 0.25 * glow(x, y, 0.7, 0.27, 0.22));
    for (let wave = 0; wave < 5; wave++) {
      const height = 0.6 + wave * 0.085 + 0.018 * Math.sin(x * (9 + wave * 2) + wave * 1.9);
      point = mix(point, mix(colour("1c7a86"), colour("041019"), wave / 4), below(y, height));
    }
    const shimmer = step(0.5, 1, Math.sin(y * 150 + Math.sin(x * 30))) * below(y, 0.6);
    return mix(point, colour("f2e8c9"), 0.35 * shimmer * Math.exp(-(((x - 0.7) / 0.09) ** 2)));
  },

  garden(x, y) {
    let point = mix(colour("0d2b33"), colour("1f5b52"), step(0, 1, y));
    for (let stem = 0; stem < 9; stem++) {
      const centreX = 0.06 + stem * 0.112;
      const top = 0.34 + 0.22 * Math.abs(Math.sin(stem * 2.3));
      const bend = 0.03 * Math.sin((y - top) * 5 + stem);
      const width = 1 - step(0.004, 0.004 + EDGE * 2, Math.abs(x - centreX - bend));
      point = mix(point, colour("8fd0a8"), 0.8 * width * below(y, top));
      const petalX = centreX + 0.03 * Math.sin(stem);
      const petal = stem % 3 === 0 ? colour("ff8fb1") : colour("f6e7ff");
      point = mix(point, petal, 0.35 * glow(x, y, petalX, top, 0.07));
      point = mix(point, petal, disc(x, y, petalX, top, 0.028));
    }
    return mix(point, colour("e7f6d8"), disc(x, y, 0.8, 0.16, 0.05));
  },

  observatory(x, y) {
    const distance = Math.hypot(x - 0.5, y - 1.02);
    let point = mix(colour("f0e6d2"), colour("e08e5b"), step(0.2, 1, 1 - y));
    const ring = step(0.35, 0.65, 0.5 + 0.5 * Math.sin(distance * 68));
    point = mix(point, colour("2d3a4f"), 0.85 * ring * step(0.36, 0.37, distance));
    point = mix(point, colour("2d3a4f"), disc(x, y, 0.5, 1.02, 0.34));
    const slit =
      (1 - step(0.018, 0.018 + EDGE, Math.abs(x - 0.5 - (1 - y) * 0.28))) *
      disc(x, y, 0.5, 1.02, 0.34);
    return mix(point, colour("f0e6d2"), slit);
  },

  moonlight(x, y) {
    let point = mix(colour("2b1b4d"), colour("c96f8f"), step(0.05, 0.7, y));
    const moon = disc(x, y, 0.5, 0.38, 0.2) * (1 - disc(x, y, 0.58, 0.33, 0.18));
    point = mix(point, colour("fff1d6"), 0.3 * glow(x, y, 0.47, 0.4, 0.3));
    point = mix(point, colour("fff1d6"), moon);
    const dune = 0.72 + 0.05 * Math.sin(x * 4.2) + 0.02 * Math.sin(x * 11);
    point = mix(point, colour("3b2358"), below(y, dune));
    return mix(point, colour("1c0f33"), below(y, 0.84 + 0.04 * Math.cos(x * 5)));
  },

  birds(x, y) {
    let point = mix(colour("e9f0f3"), colour("9cc3d5"), step(0, 1, y));
    for (let bird = 0; bird < 7; bird++) {
      const centreX = 0.5 + (bird - 3) * 0.115;
      const centreY = 0.26 + Math.abs(bird - 3) * 0.088;
      const wing = Math.abs(x - centreX);
      const line = Math.abs(y - centreY + 0.42 * wing - 3.4 * wing * wing);
      point = mix(
        point,
        colour("1f2f3d"),
        (1 - step(0.007, 0.007 + EDGE * 2, line)) * (1 - step(0.058, 0.062, wing)),
      );
    }
    point = mix(point, colour("d1495b"), disc(x, y, 0.5, 0.78, 0.085));
    return mix(point, colour("1f2f3d"), below(y, 0.86 - 0.03 * step(0.3, 0.7, x)));
  },

  rain(x, y) {
    const column = Math.floor(x * 26);
    const fall = (y * 5 + Math.abs(Math.sin(column * 12.9898)) * 43.7) % 1;
    let point = mix(colour("12263a"), colour("0b6e6e"), step(0, 1, x * 0.4 + y * 0.6));
    const drop = step(0.35, 0.95, fall) * (1 - step(0.1, 0.2, Math.abs(x * 26 - column - 0.5)));
    point = mix(point, colour("b8f2e6"), 0.5 * drop);
    const lid = Math.abs(y - 0.5) / Math.max(0.001, 0.2 * (1 - ((x - 0.5) / 0.38) ** 2));
    const eye = Math.abs(x - 0.5) < 0.38 ? 1 - step(0.97, 1.03, lid) : 0;
    point = mix(point, colour("f4f1de"), eye);
    point = mix(point, colour("e07a5f"), eye * disc(x, y, 0.5, 0.5, 0.14));
    point = mix(point, colour("12263a"), eye * disc(x, y, 0.5, 0.5, 0.07));
    return mix(point, colour("f4f1de"), disc(x, y, 0.54, 0.46, 0.02));
  },
} satisfies Record<string, Painting>;

export type CoverName = keyof typeof paintings;

/** Draws a cover as a BMP file, the one picture format that needs no compression. */
export async function drawCover(name: CoverName): Promise<Uint8Array> {
  const painting: Painting = paintings[name];
  const headerBytes = 54;
  const rowBytes = SIDE_PX * 3;
  const file = new DataView(new ArrayBuffer(headerBytes + rowBytes * SIDE_PX));
  file.setUint16(0, 0x424d);
  file.setUint32(2, file.byteLength, true);
  file.setUint32(10, headerBytes, true);
  file.setUint32(14, 40, true);
  file.setInt32(18, SIDE_PX, true);
  file.setInt32(22, SIDE_PX, true);
  file.setUint16(26, 1, true);
  file.setUint16(28, 24, true);
  for (let row = 0; row < SIDE_PX; row++) {
    // A BMP starts with the lowest row.
    const y = 1 - (row + 0.5) / SIDE_PX;
    for (let column = 0; column < SIDE_PX; column++) {
      const [red, green, blue] = painting((column + 0.5) / SIDE_PX, y);
      const at = headerBytes + row * rowBytes + column * 3;
      file.setUint8(at, blue);
      file.setUint8(at + 1, green);
      file.setUint8(at + 2, red);
    }
    // Other requests get their turn while a cover is drawn.
    if (row % 32 === 31) await Bun.sleep(0);
  }
  return new Uint8Array(file.buffer);
}
