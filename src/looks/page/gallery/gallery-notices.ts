import { fill } from "../../../i18n/index.ts";
import { Refused } from "../../../i18n/refused.ts";
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
export const refusal = ({ words }: DashboardRequest, error: Refused): Notice => ({
  tone: "bad",
  text: error.text(words),
});

/** Why a pasted look cannot be read. */
export const mistakeText = (
  { words }: DashboardRequest,
  { kind, ...values }: LookMistake,
): string => new Refused(`look.${kind}`, values).text(words);
