/** The first element that a selector finds; the page always contains it. */
export function find<Kind extends Element>(selector: string, within: ParentNode = document): Kind {
  const found = within.querySelector<Kind>(selector);
  if (!found) throw new Error(`the page lacks ${selector}`);
  return found;
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
