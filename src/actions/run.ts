import type { User } from "../accounts/users.ts";
import { Refused } from "../i18n/refused.ts";
import { LONGEST_ENTERED_TEXT, mistakeIn, mistakeInLines, tooLong } from "../text-limits.ts";
import type { AnyAction, Call, Input, Inputs, OwnersCall, Texts, Values } from "./action.ts";

/** A text that an input does not take. */
export class WrongInput extends Refused {
  /** The input's name. */
  declare readonly field: string;
  readonly input: Input<unknown>;

  constructor(name: string, input: Input<unknown>) {
    const { refusal = "entered.refused", refusalValues } = input;
    super(refusal, { field: name, ...refusalValues }, { field: name, isMisuse: true });
    this.input = input;
  }
}

/** Whether somebody may ask for an action. */
export const permits = ({ who }: Pick<AnyAction, "who">, actor: User | "operator"): boolean =>
  who === "self" || actor === "operator" || actor.role === "owner";

/**
 * Carries an action out, and resolves with its result.
 * @throws {Refused} for whoever may not ask for it, for a text that is not allowed, and what it throws itself
 */
export async function perform(
  action: AnyAction,
  call: OwnersCall | Call,
  texts: Texts,
): Promise<unknown> {
  if (!permits(action, call.actor)) throw new Refused("entered.ownersOnly");
  const values = readInputs(action.inputs, texts);
  if (action.who === "owner") return action.run(call, values);
  if (!("user" in call)) throw new Error(`${action.name} is about a user, and none is given.`);
  return action.run(call, values);
}

/** @throws {WrongInput} for the first text that is not allowed */
export function readInputs<const I extends Inputs>(inputs: I, texts: Texts): Values<I> {
  const entries = Object.entries(inputs).map(([name, input]) => {
    const given = texts[name];
    if (given === undefined) {
      if (input.fallback === undefined) throw new WrongInput(name, input);
      return [name, input.fallback];
    }
    if (!input.several) {
      return [name, readText(name, input, typeof given === "string" ? given : given.join("\n"))];
    }
    const all = typeof given === "string" ? [given] : given;
    return [name, all.map((text) => readText(name, input, text))];
  });
  return Object.fromEntries(entries) as Values<I>;
}

function readText(name: string, input: Input<unknown>, text: string): unknown {
  const { longest = LONGEST_ENTERED_TEXT, type, refusal } = input;
  const mistake =
    type?.kind === "lines"
      ? (tooLong(text, longest) ?? mistakeInLines(text))
      : mistakeIn(text, longest);
  if (mistake && refusal !== undefined) throw new WrongInput(name, input);
  if (mistake?.kind === "too long") {
    const values = { most: String(mistake.longest) };
    throw new Refused("entered.tooLong", values, { field: name, isMisuse: true });
  }
  if (mistake) throw new Refused("entered.controls", {}, { field: name, isMisuse: true });
  const value = parse(name, input, text);
  if (value === undefined) throw new WrongInput(name, input);
  return value;
}

/** A parser knows why a text is not allowed, and not in which field it stands. */
function parse(name: string, input: Input<unknown>, text: string): unknown {
  try {
    return input.parse(text);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Refused(error.reason, error.values, { field: name, isMisuse: true });
  }
}
