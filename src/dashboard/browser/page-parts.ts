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

/** The fields that a form would send, without files. */
export function entriesOf(form: HTMLFormElement): URLSearchParams {
  const entries = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string") entries.append(name, value);
  }
  return entries;
}

/** A page of the dashboard, read but not opened; `undefined` when it cannot be had. */
export async function fetchPage(
  address: string,
  init?: RequestInit,
): Promise<Document | undefined> {
  try {
    const answer = await fetch(address, init);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return answer.ok ? page : undefined;
  } catch {
    return undefined;
  }
}

/** The outcome that a page shows. */
export const noticeOn = (page: Document): string | undefined =>
  page.querySelector(".notice:not([hidden]) p")?.textContent;
