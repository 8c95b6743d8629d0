import type { Field } from "../field.ts";
import {
  LONGEST_ENTERED_TEXT,
  mistakeIn,
  mistakeInLines,
  type TextMistake,
  tooLong,
} from "../text-limits.ts";
import { type Reason, Refused } from "./refused.ts";

/** A field that somebody fills in, with what is said of a text that it does not take. */
export interface EnteredField<Value> extends Field<Value> {
  /** What a page says of a text that is not allowed. */
  readonly refusal?: Reason;
  /** The values in that sentence. */
  readonly refusalValues?: Readonly<Record<string, string>>;
  /** @throws {Refused} for a text that is not allowed, with a reason of its own */
  parse(text: string): Value | undefined;
}

/** A text that a field does not take. */
export class WrongInput extends Refused {
  /** The field's name. */
  declare readonly field: string;
  readonly input: EnteredField<unknown>;

  constructor(name: string, input: EnteredField<unknown>) {
    const { refusal = "entered.refused", refusalValues } = input;
    super(refusal, { field: name, ...refusalValues }, { field: name, isMisuse: true });
    this.input = input;
  }
}

/** Refuses a text with a mistake that no field takes. */
export function refusedFor(mistake: TextMistake, field: string): Refused {
  const options = { field, isMisuse: true };
  return mistake.kind === "too long"
    ? new Refused("entered.tooLong", { most: String(mistake.longest) }, options)
    : new Refused("entered.controls", {}, options);
}

/**
 * The value of the text that was entered into a field.
 * @throws {Refused} when it is too long or has control characters
 * @throws {WrongInput} when it is not allowed, or does not fit into the one sentence that the field has
 */
export function readText<Value>(name: string, input: EnteredField<Value>, text: string): Value {
  const { longest = LONGEST_ENTERED_TEXT, type, refusal } = input;
  const mistake =
    type?.kind === "lines"
      ? (tooLong(text, longest) ?? mistakeInLines(text))
      : mistakeIn(text, longest);
  if (mistake && refusal !== undefined) throw new WrongInput(name, input);
  if (mistake) throw refusedFor(mistake, name);
  const value = parse(name, input, text);
  if (value === undefined) throw new WrongInput(name, input);
  return value;
}

/** A parser knows why a text is not allowed, and not in which field it stands. */
function parse<Value>(name: string, input: EnteredField<Value>, text: string): Value | undefined {
  try {
    return input.parse(text);
  } catch (error) {
    if (!(error instanceof Refused) || error.field !== undefined) throw error;
    throw new Refused(error.reason, error.values, { field: name, isMisuse: true });
  }
}
