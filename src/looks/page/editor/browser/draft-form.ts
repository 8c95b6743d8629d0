import { readKeyName } from "../../../../accounts/key-name.ts";
import { isLanguage } from "../../../../languages.ts";
import { isSide, sizeOf } from "../../../../../widget/source-size.ts";
import { type Draft, type OptionTable, readOptions } from "../../../draft.ts";

/** What a form holds. What is not allowed stays in the draft, as it was typed. */
export interface TypedDraft {
  readonly draft: Draft;
  /** The controls with what is not allowed. */
  readonly invalid: ReadonlySet<string>;
}

/** What the form has of a name, wherever it stands on the page: a control, or radio buttons. */
const controlOf = (form: HTMLFormElement, name: string) =>
  form.elements.namedItem(name) as HTMLInputElement | HTMLTextAreaElement | RadioNodeList | null;

/** The box beside a colour that leaves it to the theme or the cover. */
export const automaticOf = (colour: Element): HTMLInputElement | null | undefined =>
  colour.parentElement?.querySelector<HTMLInputElement>("[data-automatic]");

/** The text of a control; `undefined` where the form has none of this name. */
function textOf(form: HTMLFormElement, name: string): string | undefined {
  const control = controlOf(form, name);
  if (!(control instanceof HTMLInputElement)) return control?.value;
  switch (control.type) {
    case "checkbox":
      return control.checked ? "1" : "0";
    case "color":
      return automaticOf(control)?.checked ? "" : control.value.slice(1);
    default:
      return control.value;
  }
}

function setText(form: HTMLFormElement, name: string, text: string): void {
  const control = controlOf(form, name);
  if (!control) return;
  if (control instanceof RadioNodeList) {
    // Its own `value` chooses no button whose value is empty.
    for (const radio of control as NodeListOf<HTMLInputElement>)
      radio.checked = radio.value === text;
    return;
  }
  if (!(control instanceof HTMLInputElement)) {
    control.value = text;
    return;
  }
  switch (control.type) {
    case "checkbox":
      control.checked = text === "1";
      break;
    case "color": {
      const isAutomatic = text === "" || text === "auto";
      const automatic = automaticOf(control);
      if (automatic) automatic.checked = isAutomatic;
      control.value = isAutomatic ? control.defaultValue : sixDigits(text);
      break;
    }
    default:
      control.value = text;
  }
}

/** A colour with six digits, as colour inputs need it. */
const sixDigits = (digits: string): string =>
  `#${digits.length === 3 ? digits.replace(/./g, "$&$&") : digits}`;

const sideOf = (form: HTMLFormElement, side: "width" | "height") =>
  form.querySelector<HTMLInputElement>(`[data-side=${side}]`);

/** @param stored gives what the form has no control for */
export function readForm(form: HTMLFormElement, stored: Draft, table: OptionTable): TypedDraft {
  const texts = Object.fromEntries(
    table.map(([name]) => [name, textOf(form, name) ?? stored.options[name] ?? ""]),
  );
  const { options, unread } = readOptions(texts, table);
  const invalid = new Set(Object.keys(unread));
  const name = textOf(form, "name") ?? stored.name;
  if (readKeyName(name) === undefined) invalid.add("name");
  const language = textOf(form, "language");
  return {
    draft: {
      name: name.trim(),
      language: language === undefined ? stored.language : isLanguage(language) ? language : null,
      options: { ...options, ...unread },
      css: textOf(form, "css") ?? stored.css,
      size: readSize(form, stored, options, invalid),
    },
    invalid,
  };
}

function readSize(
  form: HTMLFormElement,
  stored: Draft,
  options: Draft["options"],
  invalid: Set<string>,
): Draft["size"] {
  const fitting = sizeOf({ size: null, options });
  const [width, height] = [sideOf(form, "width"), sideOf(form, "height")];
  if (!width || !height) return stored.size;
  width.placeholder = String(fitting.width);
  height.placeholder = String(fitting.height);
  if (width.value === "" && height.value === "") return null;
  const size = {
    width: width.value === "" ? fitting.width : Number(width.value),
    height: height.value === "" ? fitting.height : Number(height.value),
  };
  for (const side of ["width", "height"] as const) {
    if (!isSide(size[side])) invalid.add(`source-${side}`);
  }
  return size;
}

/** Puts a draft into a form. */
export function writeForm(form: HTMLFormElement, draft: Draft, table: OptionTable): void {
  for (const [name, { fallback }] of table) {
    setText(form, name, draft.options[name] ?? textFor(fallback));
  }
  setText(form, "name", draft.name);
  setText(form, "language", draft.language ?? "");
  setText(form, "css", draft.css);
  for (const side of ["width", "height"] as const) {
    const field = sideOf(form, side);
    if (field) field.value = draft.size === null ? "" : String(draft.size[side]);
  }
}

/** The text that stands for a default. */
const textFor = (fallback: unknown): string =>
  typeof fallback === "boolean"
    ? fallback
      ? "1"
      : "0"
    : fallback === null
      ? ""
      : String(fallback);
