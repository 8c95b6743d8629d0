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

type Control = HTMLInputElement | HTMLTextAreaElement;

/** Those that stand elsewhere on the page, too. */
const controlsOf = (form: HTMLFormElement, name: string): Control[] =>
  ([...form.elements] as Control[]).filter((control) => control.name === name);

/** The box beside a colour that leaves it to the theme or the cover. */
export const automaticOf = (colour: Element): HTMLInputElement | null | undefined =>
  colour.parentElement?.querySelector<HTMLInputElement>("[data-automatic]");

/** The text of a control; `undefined` where the form has none of this name. */
function textOf(form: HTMLFormElement, name: string): string | undefined {
  const controls = controlsOf(form, name);
  const [first] = controls;
  switch (first?.type) {
    case "radio":
      return controls.find((control) => "checked" in control && control.checked)?.value ?? "";
    case "checkbox":
      return (first as HTMLInputElement).checked ? "1" : "0";
    case "color":
      return automaticOf(first)?.checked ? "" : first.value.slice(1);
    default:
      return first?.value;
  }
}

function setText(form: HTMLFormElement, name: string, text: string): void {
  const controls = controlsOf(form, name);
  for (const control of controls) {
    switch (control.type) {
      case "radio":
        (control as HTMLInputElement).checked = control.value === text;
        break;
      case "checkbox":
        (control as HTMLInputElement).checked = text === "1";
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
