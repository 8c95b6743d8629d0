/** The text of a form field, without spaces around it; of several, that of the last, such as a button. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.getAll(name).at(-1);
  return typeof value === "string" ? value.trim() : "";
}
