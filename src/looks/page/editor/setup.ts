import type { LineValues, LineWords } from "../../../outputs/line.ts";
import type { Language } from "../../../languages.ts";
import type { WidgetWords } from "../../../../widget/words.ts";
import type { Draft } from "../../draft.ts";
import type { Look } from "../../look.ts";
import type { Font } from "../../fonts.ts";

/** What an editor's script gets with its page. */
export interface EditorSetup {
  readonly id: number;
  /** What is stored, and which revision that is. */
  readonly saved: Draft;
  readonly revision: number;
  /** The path that actions are sent to, and what proves that they come from this page. */
  readonly page: string;
  readonly formToken: string;
}

export interface OverlaySetup extends EditorSetup {
  readonly basePath: string;
  /** The page's. */
  readonly language: Language;
  /** The overlay's words in each language. */
  readonly words: Readonly<Record<Language, WidgetWords>>;
  readonly fonts: readonly Font[];
  /** The looks to choose from, by their codes. */
  readonly looks: Readonly<Record<string, Look>>;
  /** The look to begin with, as a draft. */
  readonly tried: Look | undefined;
}

export interface TextSetup extends EditorSetup {
  readonly words: LineWords;
  /** What lines are made of while music plays, while it is paused, and when nothing plays. */
  readonly songs: readonly LineValues[];
  /** The longest line, in UTF-16 units. */
  readonly most: number;
}

/** What only one kind of editor gets. */
export type SetupOf<Kind extends EditorSetup> = Omit<Kind, keyof EditorSetup>;
