import { fill, type Words } from "../i18n/index.ts";
import type { TextMistake } from "../text-limits.ts";

/** What a page says of a text that was entered and cannot be used. */
export const wordsOfMistake = ({ dashboard }: Words, mistake: TextMistake): string =>
  mistake.kind === "too long"
    ? fill(dashboard.entered.tooLong, { most: String(mistake.longest) })
    : dashboard.entered.controls;
