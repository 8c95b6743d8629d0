import {
  type OptionName,
  optionList,
  parseWidgetOptions,
  type WidgetOption,
  type WidgetOptions,
} from "../../../widget/options.ts";
import { widgetAddress } from "../../addresses.ts";
import { type Language, languageOr } from "../../languages.ts";

/** The user's choices for the overlay, read from the editor's form or the page's address. */
export interface EditorQuery {
  readonly options: WidgetOptions;
  /** The overlay's query: only what differs from the defaults, in the table's order. */
  readonly search: URLSearchParams;
  /** The text in the controls where it is not the default, valid or not. */
  readonly typed: ReadonlyMap<string, string>;
  /** The options whose text is not valid. */
  readonly invalid: ReadonlySet<string>;
  /** The language of the overlay's texts. */
  readonly language: Language;
  /** Whether the preview shows the user's own music instead of the demo. */
  readonly ownMusic: boolean;
}

export type AnyOption = WidgetOption<unknown>;

/** The options that the editor offers. `demo` only concerns the preview, so it is left out. */
export const editedOptions: readonly (readonly [name: OptionName, option: AnyOption])[] =
  optionList.filter(([name]) => name !== "demo");

/**
 * Reads the user's choices. Of several values the last counts, because a form sends a switch
 * that is off as `0` and one that is on as `0` and `1`.
 */
export function readEditorQuery(given: URLSearchParams, pageLanguage: Language): EditorQuery {
  const last = (name: string): string => given.getAll(name).at(-1) ?? "";
  const search = new URLSearchParams();
  const typed = new Map<string, string>();
  const invalid = new Set<string>();
  for (const [name, option] of editedOptions) {
    const isColour = option.type.kind === "colour";
    const text = isColour ? last(name).replace(/^#/, "") : last(name);
    if (text === "" || (isColour && text === "auto")) continue;
    const value = option.parse(text);
    if (value === undefined) {
      invalid.add(name);
      typed.set(name, text);
    } else if (value !== option.fallback) {
      const plain = typeof value === "number" ? String(value) : text;
      search.set(name, plain);
      typed.set(name, plain);
    }
  }
  return {
    options: parseWidgetOptions(search).options,
    search,
    typed,
    invalid,
    language: languageOr(last("language"), pageLanguage),
    ownMusic: last("demo") === "0",
  };
}

/** The query of the editor's own page for the same choices. */
export function pageQuery(editorQuery: EditorQuery, pageLanguage: string): URLSearchParams {
  const query = new URLSearchParams(editorQuery.search);
  if (editorQuery.language !== pageLanguage) query.set("language", editorQuery.language);
  if (editorQuery.ownMusic) query.set("demo", "0");
  return query;
}

/** A path with a query, if the query is not empty. */
export function withQuery(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The overlay's address, as the user copies it. */
export const overlayAddress = (base: string, editorQuery: EditorQuery, token: string): string =>
  withQuery(widgetAddress(base, editorQuery.language, token), editorQuery.search);

/** The address of the launcher, the file that waits for the server. */
export const launcherAddress = (base: string, editorQuery: EditorQuery, token: string): string =>
  withQuery(`${widgetAddress(base, editorQuery.language, token)}/launcher`, editorQuery.search);

/** The address of the preview, which plays the demo unless the user chose their own music. */
export function previewAddress(base: string, editorQuery: EditorQuery, token: string): string {
  const query = new URLSearchParams(editorQuery.search);
  if (!editorQuery.ownMusic) query.set("demo", "1");
  return withQuery(widgetAddress(base, editorQuery.language, token), query);
}

export interface SourceSize {
  readonly width: number;
  readonly height: number;
}

const USUAL: SourceSize = { width: 500, height: 120 };
const SIZE_OF_THEME: Partial<Record<WidgetOptions["theme"], SourceSize>> = {
  art: { width: 300, height: 300 },
  bar: { width: 1000, height: 120 },
};
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
