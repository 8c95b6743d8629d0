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
export const READABLE = 4.5;

/** A colour of a cover that is paler than this would be seen as grey beside the words. */
const LEAST_SATURATION = 0.5;

/** Whether white can be read better on a colour than black. */
export const isDark = (colour: Rgb): boolean => luminance(colour) < 0.18;

/**
 * The colour nearest to `colour` that is readable on `background`: it keeps its hue and stays a
 * colour, and is made as little lighter or darker as possible, away from the background.
 * @param isLightText whether it is made lighter; by default what can be read better
 */
export function readableOn(colour: Rgb, background: Rgb, isLightText = isDark(background)): Rgb {
  const [hue, saturation, lightness] = toHsl(colour);
  const strong = saturation === 0 ? 0 : Math.max(saturation, LEAST_SATURATION);
  for (let share = 0; share < 1; share += 0.05) {
    const lit = lightness + ((isLightText ? 1 : 0) - lightness) * share;
    const tried = fromHsl(hue, strong, lit);
    if (contrast(tried, background) >= READABLE) return tried;
  }
  return isLightText ? [255, 255, 255] : [0, 0, 0];
}

/** Hue in degrees, saturation and lightness from 0 to 1: https://www.w3.org/TR/css-color-4/#rgb-to-hsl */
function toHsl([red, green, blue]: Rgb): readonly [number, number, number] {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  const lightness = (most - range / 2) / 255;
  if (range === 0) return [0, 0, lightness];
  const sixth =
    most === red
      ? (green - blue) / range
      : most === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4;
  return [sixth * 60, range / 255 / (1 - Math.abs(2 * lightness - 1)), lightness];
}

/** https://www.w3.org/TR/css-color-4/#hsl-to-rgb */
function fromHsl(hue: number, saturation: number, lightness: number): Rgb {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const part = (offset: number) => {
    const turn = (offset + hue / 30 + 12) % 12;
    const share = lightness - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1));
    return Math.round(share * 255);
  };
  return [part(0), part(8), part(4)];
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
