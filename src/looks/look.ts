import type { widgets } from "../db/schema.ts";
import { mistakeInLines } from "../text-limits.ts";

/** How a widget looks, as it is saved. */
export interface Look {
  /** Names and texts of options, as in an address: only those that differ from the defaults. */
  readonly options: Readonly<Record<string, string>>;
  readonly css: string;
  /** Size of the browser source in pixels; `null` for what fits the options. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

export const PLAIN_LOOK: Look = { options: {}, css: "", size: null };

/** What an overlay begins with. */
export const NEW_OVERLAY_LOOK: Look = { ...PLAIN_LOOK, options: { theme: "ambient" } };

/** Whether an overlay is not always shown, so that it can be shown and hidden on demand. */
export const isOnDemand = ({ options }: Pick<Look, "options">): boolean =>
  (options["shown"] ?? "always") !== "always";

/** In bytes of UTF-8. */
export const LONGEST_CSS = 20 * 1024;

/** Whether CSS can be saved: not too long, and without control characters. */
export const isUsableCss = (css: string): boolean =>
  Buffer.byteLength(css) <= LONGEST_CSS && mistakeInLines(css) === undefined;

export type LookColumns = Pick<typeof widgets.$inferSelect, "options" | "css" | "width" | "height">;

/** A look as a row of the database holds it. */
export const toColumns = ({ options, css, size }: Look): LookColumns => ({
  options,
  css,
  width: size?.width ?? null,
  height: size?.height ?? null,
});

export const toLook = ({ options, css, width, height }: LookColumns): Look => ({
  options: textsIn(options),
  css,
  size: width === null || height === null ? null : { width, height },
});

/** The options among what is stored, which somebody else may have stored. */
const textsIn = (stored: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(stored ?? {}).filter(
      (option): option is [string, string] => typeof option[1] === "string",
    ),
  );
