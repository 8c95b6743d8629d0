/** The text of a form field, without spaces around it; of several, that of the last, such as a button. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.getAll(name).at(-1);
  return typeof value === "string" ? value.trim() : "";
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
