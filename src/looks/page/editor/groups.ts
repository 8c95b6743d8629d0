import { type optionList, type OptionName, widgetOptions } from "../../../../widget/options.ts";

/** The options of each group in the editor. The looks choose the theme. */
const PLACES = {
  look: [
    "mode",
    "position",
    "accent",
    "bg",
    "opacity",
    "radius",
    "width",
    "art",
    "swap",
    "progress",
  ],
  text: ["color", "font", "size", "outline", "align", "label", "source", "album", "time"],
  behaviour: [
    "marquee",
    "speed",
    "hold",
    "delay",
    "enter",
    "exit",
    "motion",
    "paused",
    "idle",
    "idleText",
    "hideDelay",
    "shown",
    "show",
  ],
} as const satisfies Readonly<Record<string, readonly OptionName[]>>;

export interface Group {
  readonly name: keyof typeof PLACES;
  readonly options: typeof optionList;
}

/** A group with its options. */
const groupOf = (name: Group["name"]): Group => ({
  name,
  options: PLACES[name].map((option) => [option, widgetOptions[option]] as const),
});

export const GROUPS: readonly Group[] = [groupOf("look"), groupOf("text"), groupOf("behaviour")];
