import { showMistake } from "../../../../dashboard/browser/page-parts.ts";

/** What holds a control's value. Its slider only follows. */
const FIELD = "input:not([type=range]), textarea";

/** Says beside each control of a form what is wrong with it. Returns whether nothing is. */
export function showMistakes(form: HTMLFormElement, invalid: ReadonlySet<string>): boolean {
  let isValid = true;
  for (const control of form.querySelectorAll<HTMLElement>("[data-control]")) {
    const mistake = control.querySelector<HTMLElement>(".mistake");
    const input = control.querySelector(FIELD);
    // The browser gives an unreadable number as empty text.
    const isUnreadable = control.querySelector("input:invalid") !== null;
    const isWrong = isUnreadable || invalid.has(control.dataset["control"] ?? "");
    isValid &&= !isWrong;
    if (!mistake || !input) continue;
    const { rule } = mistake.dataset;
    if (rule !== undefined) mistake.textContent = rule;
    if (mistake.hidden === isWrong) showMistake(input, mistake, isWrong);
  }
  return isValid;
}

/** Says beside a control why the server does not take what it holds. */
export function showRefusal(form: HTMLFormElement, field: string, reason: string): void {
  const control = form.querySelector(`[data-control="${CSS.escape(field)}"]`);
  const mistake = control?.querySelector<HTMLElement>(".mistake");
  const input = control?.querySelector(FIELD);
  if (!mistake || !input) return;
  mistake.dataset["rule"] ??= mistake.textContent;
  mistake.textContent = reason;
  showMistake(input, mistake, true);
  const group = control?.closest("details");
  if (group) group.open = true;
}
