/** The first element that a selector finds; the page always contains it. */
export function find<Kind extends Element>(selector: string, within: ParentNode = document): Kind {
  const found = within.querySelector<Kind>(selector);
  if (!found) throw new Error(`the page lacks ${selector}`);
  return found;
}

/** Says that a field is wrong, or no longer; what else describes the field is left as it is. */
export function showMistake(field: Element, mistake: HTMLElement, isWrong: boolean): void {
  mistake.hidden = !isWrong;
  const described = new Set(field.getAttribute("aria-describedby")?.split(" "));
  described.delete(mistake.id);
  if (isWrong) described.add(mistake.id);
  if (described.size > 0) field.setAttribute("aria-describedby", [...described].join(" "));
  else field.removeAttribute("aria-describedby");
  if (isWrong) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}
