import {
  parseWidgetOptions,
  savedOptionList,
  type WidgetOption,
  type WidgetOptions,
} from "../../../../widget/options.ts";
import { SIDE_PX, type SourceSize, sourceSize } from "../../../../widget/source-size.ts";
import { widgetAddress, withQuery } from "../../../addresses.ts";
import { isLanguage, type Language } from "../../../languages.ts";

/** The user's choices for the overlay, read from the editor's form or the page's address. */
export interface EditorQuery {
  readonly options: WidgetOptions;
  /** The overlay's options: only what differs from the defaults, in the table's order. */
  readonly search: URLSearchParams;
  /** The text in the controls where it is not the default, valid or not. */
  readonly typed: ReadonlyMap<string, string>;
  /** The controls whose text is not valid. */
  readonly invalid: ReadonlySet<string>;
  /** The language of the overlay's texts; `null` for the one in its address. */
  readonly language: Language | null;
  /** The size of the browser source; `null` for what fits. */
  readonly size: SourceSize | null;
  /** Whether the preview shows the user's own music instead of the demo. */
  readonly ownMusic: boolean;
}

export type AnyOption = WidgetOption<unknown>;

export const SIZE_FIELDS = { width: "sourceWidth", height: "sourceHeight" } as const;

/**
 * Reads the user's choices. Of several values the last counts, because a form sends a switch
 * that is off as `0` and one that is on as `0` and `1`.
 */
export function readEditorQuery(given: URLSearchParams): EditorQuery {
  const last = (name: string): string => given.getAll(name).at(-1) ?? "";
  const search = new URLSearchParams();
  const typed = new Map<string, string>();
  const invalid = new Set<string>();
  for (const [name, option] of savedOptionList) {
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
  const { options } = parseWidgetOptions(search);
  const fitting = sourceSize(options);
  const readSide = (side: keyof SourceSize): number | undefined => {
    const field = SIZE_FIELDS[side];
    const text = last(field);
    if (text === "") return undefined;
    typed.set(field, text);
    const pixels = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (pixels >= SIDE_PX.least && pixels <= SIDE_PX.most) return pixels;
    invalid.add(field);
    return undefined;
  };
  const [width, height] = [readSide("width"), readSide("height")];
  const language = last("language");
  return {
    options,
    search,
    typed,
    invalid,
    language: isLanguage(language) ? language : null,
    size:
      width === undefined && height === undefined
        ? null
        : { width: width ?? fitting.width, height: height ?? fitting.height },
    ownMusic: last("demo") === "0",
  };
}

/** What is saved and this version can read, as the editor's form would send it. */
export function savedQuery({ options, language, size }: Saved): URLSearchParams {
  const known = savedOptionList.flatMap(([name, option]) => {
    const text = options[name];
    return text === undefined || option.parse(text) === undefined ? [] : [[name, text]];
  });
  const query = new URLSearchParams(known);
  addRest(query, { language, size });
  return query;
}

interface Saved {
  readonly options: Readonly<Record<string, string>>;
  readonly language: Language | null;
  readonly size: SourceSize | null;
}

function addRest(query: URLSearchParams, { language, size }: Omit<Saved, "options">): void {
  if (language !== null) query.set("language", language);
  if (size !== null) {
    query.set(SIZE_FIELDS.width, String(size.width));
    query.set(SIZE_FIELDS.height, String(size.height));
  }
}

/**
 * The options to save. What this version cannot read, because a newer one has saved it, is kept
 * unless the user has chosen something else.
 */
export function optionsToSave(
  saved: Readonly<Record<string, string>>,
  { search }: Pick<EditorQuery, "search">,
): Record<string, string> {
  const table = new Map<string, AnyOption>(savedOptionList);
  const unreadable = Object.entries(saved).filter(
    ([name, text]) => table.get(name)?.parse(text) === undefined,
  );
  return { ...Object.fromEntries(unreadable), ...Object.fromEntries(search) };
}

/** The choices as a query; two drafts that look the same have the same. */
export function draftQuery({ search, language, size }: EditorQuery): URLSearchParams {
  const query = new URLSearchParams(search);
  addRest(query, { language, size });
  return query;
}

/**
 * The query of the editor's own page for the same choices, as short as can be.
 * @param saved what is stored, if it is known
 */
export function pageQuery(
  editorQuery: EditorQuery,
  saved: EditorQuery | undefined,
  widgetId: number,
): URLSearchParams {
  const query = new URLSearchParams({ id: String(widgetId) });
  const draft = draftQuery(editorQuery);
  if (!saved || draft.toString() !== draftQuery(saved).toString()) {
    query.set("draft", "1");
    for (const [name, text] of draft) query.set(name, text);
  }
  if (editorQuery.ownMusic) query.set("demo", "0");
  return query;
}

/**
 * The address of the preview, which shows what is not saved yet, at any time, and plays the demo
 * unless the user chose their own music. @param pageLanguage the dashboard's
 */
export function previewAddress(
  base: string,
  editorQuery: EditorQuery,
  token: string,
  pageLanguage: Language,
): string {
  const query = new URLSearchParams({ draft: "1" });
  for (const [name, text] of editorQuery.search) query.set(name, text);
  query.delete("shown");
  if (!editorQuery.ownMusic) query.set("demo", "1");
  return withQuery(widgetAddress(base, editorQuery.language ?? pageLanguage, token), query);
}

/** The size of a browser source, in pixels: the chosen one, or the one that fits. */
export const chosenSize = ({ size, options }: EditorQuery): SourceSize =>
  size ?? sourceSize(options);
