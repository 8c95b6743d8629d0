import { type Language, languageTag } from "../languages.ts";
import type { Words } from "./en.ts";

export { fill } from "./fill.ts";
export { formatPastDay, formatTime } from "./format-time.ts";
export type { Words };

/** The words of each language. They are made when they are first read: a server needs few of them. */
export const languages: Readonly<Record<Language, Words>> = {
  get en() {
    return (require("./en.ts") as typeof import("./en.ts")).en;
  },
  get fr() {
    return (require("./fr.ts") as typeof import("./fr.ts")).fr;
  },
  get es() {
    return (require("./es.ts") as typeof import("./es.ts")).es;
  },
  get pt() {
    return (require("./pt.ts") as typeof import("./pt.ts")).pt;
  },
  get de() {
    return (require("./de.ts") as typeof import("./de.ts")).de;
  },
};

/** A day as people write it, such as `21 novembre 2026`, in UTC. */
export function formatDay(language: Language, unixMs: number): string {
  return new Intl.DateTimeFormat(languageTag(language), {
    dateStyle: "long",
    timeZone: "UTC",
  }).format(unixMs);
}
