import { KEY_NAME_RULE, LONGEST_KEY_NAME, readKeyName } from "../accounts/key-name.ts";
import { toggle } from "../field.ts";
import { parseConnectionId, type PublicConnectionId } from "../music/connection-reads.ts";
import type { Input } from "./action.ts";

export { choice } from "../field.ts";

/** Inputs that several actions take. */

/** A name for something of a user: a key, a widget, a connection. */
export const name = {
  allowed: KEY_NAME_RULE,
  refusal: "entered.name",
  refusalValues: { most: String(LONGEST_KEY_NAME) },
  parse: readKeyName,
} as const satisfies Input<string>;

/** The id of something that a user has several of. */
export const id = {
  placeholder: "id",
  allowed: "an ID: a whole number from 1 on",
  parse: (text: string) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
} as const satisfies Input<number>;

/** The id of one of a user's connections. */
export const connectionId = {
  ...id,
  allowed: 'a connection\'s ID: "marquee connection list" shows them',
  parse: parseConnectionId,
} as const satisfies Input<PublicConnectionId>;

/** A choice between on and off, which commands write out. Boxes to tick send `1` or `0`. */
export const onOff = {
  type: { kind: "switch" },
  placeholder: "on|off",
  allowed: "on or off",
  parse: (text: string) =>
    text === "on" || text === "1" ? true : text === "off" || text === "0" ? false : undefined,
} as const satisfies Input<boolean>;

/** Stands for an option that was not given. */
const KEPT: unique symbol = Symbol("kept");

/** An option without which something stays as it is stored. A form has to send it. */
export const orKept = <const I extends Input<unknown>>(input: I) => ({
  ...input,
  fallback: KEPT as typeof KEPT,
});

/** Those options that were given. */
export const givenIn = <const Options extends object>(options: Options) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== KEPT)) as {
    readonly [Name in keyof Options]?: Exclude<Options[Name], typeof KEPT>;
  };

/** A box to tick, a flag of the command. */
export const flag = { ...toggle, fallback: false } as const satisfies Input<boolean>;
