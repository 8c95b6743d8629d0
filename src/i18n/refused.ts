import { fill } from "./fill.ts";
import type { Words } from "./en.ts";

type Refusals = Words["refused"];

/** Why something is not done, such as `hook.taken`: the room, then its word. */
export type Reason = {
  [Room in keyof Refusals & string]: `${Room}.${keyof Refusals[Room] & string}`;
}[keyof Refusals & string];

export interface RefusedOptions {
  /** The field that has to be changed. Without it, no other value would help. */
  readonly field?: string | undefined;
  /** Whether what was asked for is wrong in itself, whatever is stored. */
  readonly isMisuse?: boolean;
}

/** Something was asked for that is not done. Pages and commands say why, each in its language. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly reason: Reason;
  readonly values: Readonly<Record<string, string>>;
  readonly field: string | undefined;
  readonly isMisuse: boolean;

  constructor(
    reason: Reason,
    values: Readonly<Record<string, string>> = {},
    { field, isMisuse = false }: RefusedOptions = {},
  ) {
    super(`Refused: ${reason}`);
    this.reason = reason;
    this.values = values;
    this.field = field;
    this.isMisuse = isMisuse;
  }

  /** Why, and what to do, in sentences. */
  text(words: Words): string {
    const [room = "", name = ""] = this.reason.split(".");
    const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = words.refused;
    return fill(texts[room]?.[name] ?? this.reason, this.values);
  }
}
