import type { OptionName } from "../../../../widget/options.ts";

export type GroupName = "look" | "text" | "behaviour";

/** The options of each group in the editor. The looks choose the theme. */
export const GROUPS: Readonly<Record<GroupName, readonly OptionName[]>> = {
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
};
