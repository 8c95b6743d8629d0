/** Red, green and blue from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** `#rgb` or `#rrggbb` as numbers. */
export function parseHex(hex: string): Rgb {
  const digits = hex.slice(1);
  const full = digits.length === 3 ? digits.replace(/./g, "$&$&") : digits;
  const value = Number.parseInt(full, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function toHex(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** The contrast ratio of two colours, 1 to 21: https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

/** The contrast ratio at which small text is readable. */
const READABLE = 4.5;

/**
 * The colour nearest to `colour` that is readable on `background`: it keeps its hue, and is mixed
 * with as little as possible of white or black, whichever is further from the background.
 */
export function readableOn(colour: Rgb, background: Rgb): Rgb {
  const target: Rgb = luminance(background) < 0.18 ? [255, 255, 255] : [0, 0, 0];
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(colour, target, share);
    if (contrast(mixed, background) >= READABLE) return mixed;
  }
  return target;
}

/** Colour saturation, from 0 (grey) to 1. */
export function saturation([red, green, blue]: Rgb): number {
  const most = Math.max(red, green, blue);
  return most === 0 ? 0 : (most - Math.min(red, green, blue)) / most;
}

export function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Mixes two colours; `share` is the part of `to`, 0 to 1. */
export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [part(0), part(1), part(2)];
}
