import { action, type Texts, good } from "../actions/action.ts";
import { id } from "../actions/inputs.ts";
import { WrongInput } from "../i18n/entered.ts";
import { Refused } from "../i18n/refused.ts";
import { savedOptionsOf } from "../outputs/options.ts";
import { LONGEST_CSS } from "./look.ts";
import type { WidgetKind } from "./new-widget.ts";
import { textOfFile } from "./text-file.ts";

/** An option with its text; an empty text forgets it. */
type Assignment = readonly [option: string, text: string];

/** Begins the assignment of an overlay's CSS. */
const CSS = "css=";

function readAssignment(text: string): Assignment | undefined {
  const [, option, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  return option === undefined || value === undefined ? undefined : [option, value];
}

/** @throws {Refused} unless widgets of this kind have the option, and it can be that text */
function refuseWrong([name, text]: Assignment, kind: WidgetKind): void {
  const known = savedOptionsOf[kind];
  const mayHaveCss = kind === "overlay";
  if (mayHaveCss && name === "css") return;
  const option = known.find(([known]) => known === name)?.[1];
  if (!option) {
    const names = [...known.map(([known]) => known), ...(mayHaveCss ? ["css"] : [])].join(", ");
    const values = { option: name, options: names };
    throw new Refused("widget.noOption", values, { field: "assignments", isMisuse: true });
  }
  if (text === "" || option.parse(text) !== undefined) return;
  throw new WrongInput(name, {
    ...option,
    fallback: undefined,
    refusal: "look.value",
    refusalValues: { option: name, value: text },
  });
}

export const setOptions = action({
  name: "widget set",
  help: "save options of a widget; it changes on every open page",
  who: "self",
  inputs: {
    id,
    assignments: {
      help: "options as in an address, and css=@FILE for an overlay's CSS; an empty value resets one",
      placeholder: "key=value",
      several: true,
      type: { kind: "lines" },
      longest: CSS.length + LONGEST_CSS,
      allowed: "an option, = and its value, such as theme=vinyl",
      parse: readAssignment,
    },
  },
  command: {
    examples: [
      "marquee widget set ada 1 theme=vinyl accent=ff8800",
      "marquee widget set ada 1 accent=",
      "marquee widget set ada 1 css=@overlay.css",
    ],
    readHere: (texts) => ({ ...texts, ...withCssRead(texts) }),
  },
  async run({ accounts: { widgets }, user }, { id, assignments }) {
    const widget = widgets.byId(user, id);
    for (const assignment of assignments) refuseWrong(assignment, widget.kind);
    const { css = widget.css, ...texts } = Object.fromEntries(assignments);
    const options = Object.entries({ ...widget.options, ...texts }).filter(
      ([, text]) => text !== "",
    );
    const look = { options: Object.fromEntries(options), css, size: widget.size };
    return widgets.save(user, id, look, { basedOn: widget.revision });
  },
  documents: ({ id, name, revision, options }) => [{ id, name, revision, options }],
  notice: ({ dashboard }) => good(dashboard.widget.editor.savedNotice),
  lines({ name, options, css }) {
    const lines = Object.entries(options).map((assignment) => assignment.join("="));
    if (css !== "") lines.push(`CSS of ${Buffer.byteLength(css)} bytes`);
    if (lines.length > 0) return lines;
    return [`${name} has no options of its own: all are the defaults.`];
  },
});

/** The assignments with the CSS itself in the place of its file's name. */
function withCssRead({ assignments = [] }: Texts): Texts {
  const all = typeof assignments === "string" ? [assignments] : assignments;
  return {
    assignments: all.map((assignment) => {
      const file = assignment.startsWith(CSS) ? assignment.slice(CSS.length) : "";
      return file === "" ? assignment : CSS + textOfFile(file, "css", LONGEST_CSS);
    }),
  };
}
