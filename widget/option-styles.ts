import type { WidgetOptions } from "./options.ts";

/**
 * The custom properties that a page's options set, as a stylesheet. The options' own patterns let
 * nothing through that could end a declaration or the style element.
 */
export function optionStyles(options: WidgetOptions): string {
  const declarations: [property: string, value: string | null][] = [
    ["--np-bg", background(options)],
    ["--np-fg", options.color],
    ["--np-fg-muted", options.color],
    ["--np-accent", options.accent],
    ["--np-font", options.font && fontFamilies(options.font)],
    ["--np-font-size", pixels(options.size)],
    ["--np-radius", pixels(options.radius)],
    ["--np-max-width", pixels(options.width)],
    ["--np-align", options.align === "start" ? null : options.align],
    ["--np-outline-width", options.outline === 0 ? null : pixels(options.outline)],
  ];
  const body = declarations
    .filter(([, value]) => value !== null)
    .map(([property, value]) => `${property}:${value}`)
    .join(";");
  return `@layer np.options{:root:root{${body}}}`;
}

/** Either half of the panel's paint may be chosen alone. */
function background({ bg, opacity, mode }: WidgetOptions): string | null {
  if (bg === null && opacity === null) return null;
  const [red, green, blue] = channels(bg ?? (mode === "light" ? "#fcfcfe" : "#11131a"));
  return `rgb(${red} ${green} ${blue} / ${(opacity ?? 94) / 100})`;
}

function channels(hex: string): readonly number[] {
  const digits = hex.slice(1);
  const full = digits.length === 3 ? digits.replace(/./g, "$&$&") : digits;
  return [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16));
}

function fontFamilies(names: string): string {
  const families = names.split(",").map((name) => `"${name.trim()}"`);
  return `${families.join(",")},system-ui,sans-serif`;
}

const pixels = (value: number | null) => (value === null ? null : `${value}px`);
