import type { Input } from "../actions/action.ts";
import { flagNamed } from "../config.ts";
import { isOptionField, optionOf } from "../sources/source.ts";

/** How the inputs of actions are called on a command line. */

/** Whether a command takes an input as an argument; else it is an option. */
export const isArgument = ({ as, fallback }: Input<unknown>): boolean =>
  (as ?? (fallback === undefined ? "argument" : "option")) === "argument";

/** How an input is written: `--show-secrets` or `<url>`. */
export const wordOf = (name: string, input: Input<unknown>): string =>
  isArgument(input) && !isOptionField(name)
    ? `<${input.placeholder ?? name}>`
    : flagNamed(optionOf(name));

/** How a field is written of which no more than the name is known. */
export const fieldWord = (name: string): string =>
  isOptionField(name) ? flagNamed(optionOf(name)) : name;
