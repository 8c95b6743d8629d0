import type { OptionName, WidgetOption } from "../../widget/options.ts";
import type { Language } from "../languages.ts";
import type { Look } from "./look.ts";

/** What is edited of a widget. */
export interface Draft extends Look {
  readonly name: string;
  /** The language of its words; `null` for the one in its address. */
  readonly language: Language | null;
}

export const draftOf = ({ name, language, options, css, size }: Draft): Draft => ({
  name,
  language,
  options,
  css,
  size,
});

/** Options about the stream and its picture: they stay when another look is chosen that has none. */
const STAYING: readonly string[] = [
  "position",
  "delay",
  "paused",
  "idle",
  "idleText",
  "hideDelay",
  "shown",
  "show",
] satisfies readonly OptionName[];

/** What is saved when another look is chosen. */
export function withLook<Worn extends Look>(worn: Worn, { options, css, size }: Look): Worn {
  const staying = Object.entries(worn.options).filter(([name]) => STAYING.includes(name));
  return { ...worn, options: { ...Object.fromEntries(staying), ...options }, css, size };
}

/** The options that widgets of a kind may have saved. */
export type OptionTable = readonly (readonly [name: string, option: WidgetOption<unknown>])[];

export interface ReadOptions {
  /** What is stored: only what differs from the defaults, in the table's order. */
  readonly options: Readonly<Record<string, string>>;
  /** What the table does not allow or know: typed wrongly, or saved by a newer version. */
  readonly unread: Readonly<Record<string, string>>;
}

export function readOptions(texts: Look["options"], table: OptionTable): ReadOptions {
  const given = new Map(Object.entries(texts).filter(([, text]) => text !== ""));
  const options: Record<string, string> = {};
  for (const [name, option] of table) {
    const text = given.get(name);
    const value = text === undefined ? undefined : option.parse(text);
    if (text === undefined || value === undefined) continue;
    given.delete(name);
    if (value !== option.fallback) options[name] = typeof value === "number" ? String(value) : text;
  }
  return { options, unread: Object.fromEntries(given) };
}
