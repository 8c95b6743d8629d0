import type { User } from "../accounts/users.ts";
import { readText, WrongInput } from "../i18n/entered.ts";
import { Refused } from "../i18n/refused.ts";
import type { AnyAction, Call, Inputs, OwnersCall, Texts, Values } from "./action.ts";

/** Whether somebody may ask for an action. */
const permits = ({ who }: Pick<AnyAction, "who">, actor: User | "operator"): boolean =>
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
