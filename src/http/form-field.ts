/** The text of a form field, without spaces around it. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}
