import { action, type Call, type Input } from "../actions/action.ts";
import { id, name } from "../actions/inputs.ts";
import { languages } from "../i18n/index.ts";
import { Refused } from "../i18n/refused.ts";
import {
  LONGEST_SHARED_LOOK,
  type LookMistake,
  readSharedLook,
  type SharedLook,
} from "../overlay/looks/shared-look.ts";
import {
  isShippedLookName,
  SHIPPED_LOOK_NAMES,
  shippedLook,
  type ShippedLookName,
} from "../overlay/looks/shipped.ts";
import { done, freeNameLike, makeWidget, showsMade } from "./actions.ts";
import { withLook } from "./draft.ts";
import { textOfFile } from "./text-file.ts";

/** Why a shared look cannot be read. */
export const refusedLook = ({ kind, ...values }: LookMistake): Refused =>
  new Refused(`look.${kind}`, values);

/** @throws {Refused} for what is neither the name of one of our looks nor a shared one */
function readLook(text: string): ShippedLookName | SharedLook {
  if (isShippedLookName(text)) return text;
  const read = readSharedLook(text);
  if ("look" in read) return read.look;
  throw refusedLook(read.mistake);
}

export const look = {
  help: `${SHIPPED_LOOK_NAMES.join(", ")}, or a look that somebody shared: a link, JSON or @FILE`,
  type: { kind: "lines" },
  longest: LONGEST_SHARED_LOOK,
  allowed: "the name of a look, a link to one, or its JSON",
  parse: readLook,
} as const satisfies Input<ShippedLookName | SharedLook>;

const namedLook = ({ language }: Call, given: ShippedLookName | SharedLook): SharedLook =>
  typeof given === "string" ? shippedLook(given, languages[language]) : given;

const readHere = <Texts extends { readonly look?: unknown }>(texts: Texts): Texts => {
  const { look: given } = texts;
  if (typeof given !== "string" || !given.startsWith("@")) return texts;
  return { ...texts, look: textOfFile(given, "look", LONGEST_SHARED_LOOK) };
};

export const makeOfLook = action({
  name: "look make",
  help: "add an overlay with a look, and print its address",
  who: "self",
  inputs: {
    look,
    name: { ...name, help: "what the overlay is for; without it, the look's name", fallback: null },
  },
  command: {
    examples: ["marquee look make ada cosy", "marquee look make ada @look.json --name Intro"],
    readHere,
  },
  run(call, { look: given, name }) {
    const { name: lookName, ...look } = namedLook(call, given);
    return makeWidget(call, { name: name ?? freeNameLike(call, lookName), kind: "overlay", look });
  },
  ...showsMade,
  // Its editor is what comes next.
  notice: (words, made) => ({ ...showsMade.notice(words, made), at: `id=${made.widget.id}` }),
});

export const useLook = action({
  name: "look use",
  help: "replace the look of an overlay; it changes on every open page",
  who: "self",
  inputs: { id, look },
  command: { examples: ["marquee look use ada 1 neon"], readHere },
  async run(call, { id, look: given }) {
    const { accounts, user } = call;
    const worn = accounts.widgets.byId(user, id);
    if (worn.kind !== "overlay") throw new Refused("widget.noOverlay");
    const look = namedLook(call, given);
    const basedOn = worn.revision;
    const widget = await accounts.widgets.save(user, id, withLook(worn, look), { basedOn });
    return { widget, look: look.name };
  },
  documents: ({ widget: { id, name, revision, options } }) => [{ id, name, revision, options }],
  notice: (words, { widget: { name }, look }) => done(words, "used", { name, look }),
});
