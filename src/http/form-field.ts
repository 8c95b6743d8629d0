/** The text of a form field, without spaces around it; of several, that of the last, such as a button. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.getAll(name).at(-1);
  return typeof value === "string" ? value.trim() : "";
}

/** The id of the row that a form is about; 0, which none has, for anything but a whole number. */
export function targetIdOf(form: FormData): number {
  const id = Number(fieldOf(form, "target"));
  return Number.isSafeInteger(id) ? id : 0;
}

/** What a form field chooses among these; `undefined` for any other text, such as `__proto__`. */
export function choiceOf<Choice>(
  form: FormData,
  name: string,
  choices: Readonly<Record<string, Choice>>,
): Choice | undefined {
  const chosen = fieldOf(form, name);
  return Object.hasOwn(choices, chosen) ? choices[chosen] : undefined;
}
