import { parseWidgetOptions, type WidgetOptions } from "./options.ts";

export interface SourceSize {
  readonly width: number;
  readonly height: number;
}

const USUAL: SourceSize = { width: 500, height: 120 };
const SIZE_OF_THEME: Partial<Record<WidgetOptions["theme"], SourceSize>> = {
  art: { width: 300, height: 300 },
  bar: { width: 1000, height: 120 },
  compact: { width: 500, height: 60 },
};
/** How long the sides of a browser source may be. */
export const SIDE_PX = { least: 16, most: 8_192 } as const;

/** Whether something is the length of such a side. */
export const isSide = (length: unknown): length is number =>
  typeof length === "number" &&
  Number.isInteger(length) &&
  length >= SIDE_PX.least &&
  length <= SIDE_PX.most;

/** The text size, in pixels, that fits a browser source of the usual size. */
const USUAL_TEXT_PX = 16;

/** The size of a browser source, in pixels, that an overlay fits into. */
export function sourceSize({ theme, size, width }: WidgetOptions): SourceSize {
  const usual = SIZE_OF_THEME[theme] ?? USUAL;
  const growth = theme === "art" ? 1 : Math.max(1, (size ?? 0) / USUAL_TEXT_PX);
  return {
    width: Math.max(Math.round(usual.width * growth), width ?? 0),
    height: Math.round(usual.height * growth),
  };
}

/** What says how large a look's browser source is: a size that was chosen, or its options. */
interface Sized {
  readonly size: SourceSize | null;
  readonly options: Readonly<Record<string, string>>;
}

/** The size of the browser source that a look is for, in pixels. */
export const sizeOf = ({ size, options }: Sized): SourceSize =>
  size ?? sourceSize(parseWidgetOptions(new URLSearchParams(), options).options);
