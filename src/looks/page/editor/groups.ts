import { type OptionName, type optionList, savedOptionList } from "../../../../widget/options.ts";

const GROUPS = ["look", "text", "behaviour", "more"] as const;
export type GroupName = (typeof GROUPS)[number];

/** The group of each option in the editor; options not listed here are in "more". */
const PLACES: Readonly<Record<GroupName, readonly OptionName[]>> = {
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
  more: [],
};

export interface Group {
  readonly name: GroupName;
  readonly options: typeof optionList;
}

/** The looks choose the theme. */
const GROUPED = savedOptionList.filter(([name]) => name !== "theme");

/** Sorts options into groups: each option once, no empty groups. */
export function groupOptions(table: Group["options"] = GROUPED): readonly Group[] {
  const placed = new Set(Object.values(PLACES).flat());
  const found = new Map(table);
  return GROUPS.map((name) => ({
    name,
    options:
      name === "more"
        ? table.filter(([option]) => !placed.has(option))
        : PLACES[name].flatMap((option) => {
            const entry = found.get(option);
            return entry ? [[option, entry] as const] : [];
          }),
  })).filter(({ options }) => options.length > 0);
}
