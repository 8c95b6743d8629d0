import { MOST_WIDGETS, type WidgetError } from "../../widget-error.ts";
import type { Widgets } from "../../widgets.ts";
import { fieldOf, targetIdOf } from "../../../http/form-field.ts";
import { fill } from "../../../i18n/index.ts";
import type { LookMistake } from "../../../overlay/looks/shared-look.ts";
import type { DashboardRequest, Notice } from "../../../dashboard/request.ts";

type Gallery = DashboardRequest["words"]["dashboard"]["gallery"];

/** A form that was sent with something wrong. */
export interface RefusedForm {
  readonly action: string;
  /** The widget that it is about. */
  readonly target?: number;
  readonly typed: string;
  /** The kind of widget that was chosen. */
  readonly kind?: string;
  readonly mistake: string;
}

/** What was done. */
export const done = (
  { words }: DashboardRequest,
  name: keyof Gallery["done"],
  values: Readonly<Record<string, string>>,
): Notice => ({ tone: "good", text: fill(words.dashboard.gallery.done[name], values) });

/** Why nothing was done. */
export const refusal = (
  { words }: DashboardRequest,
  name: keyof Gallery["mistakes"],
  values: Readonly<Record<string, string>> = {},
): Notice => ({ tone: "bad", text: fill(words.dashboard.gallery.mistakes[name], values) });

/** Why a pasted look cannot be read. */
export function mistakeText({ words }: DashboardRequest, mistake: LookMistake): string {
  const text = words.dashboard.gallery.import.mistakes[mistake.kind];
  return mistake.kind === "value"
    ? fill(text, { option: mistake.option, value: mistake.value })
    : text;
}

/** Why a form's action was refused. */
export async function errorNotice(
  widgets: Pick<Widgets, "byId">,
  request: DashboardRequest,
  form: FormData,
  { reason }: WidgetError,
): Promise<Notice> {
  const isRestoring = fieldOf(form, "do") === "restore";
  switch (reason) {
    case "name taken":
      return isRestoring
        ? refusal(request, "nameInUse")
        : refusal(request, "taken", { name: fieldOf(form, "name") });
    case "too many":
      return refusal(request, "tooMany", { most: String(MOST_WIDGETS) });
    case "changed meanwhile": {
      const { name } = await widgets.byId(request.user, targetIdOf(form));
      return refusal(request, "changed", { name });
    }
    case "css unusable":
      return { tone: "bad", text: request.words.dashboard.gallery.import.mistakes.css };
    case "unknown":
      return refusal(request, isRestoring ? "tooLate" : "unknown");
  }
}
