import { entriesOf, fetchPage, find, noticeOn } from "../../../../dashboard/browser/page-parts.ts";

/** Adds and removes fonts without leaving the page. @param onChange gets the fonts' CSS */
export function changeFontsInPlace(onChange: (fontFaces: string) => void): void {
  const section = find<HTMLElement>("[data-fonts]");
  const outcome = find<HTMLElement>("[data-font-outcome]", section);

  /** Shows the fonts as another page has them. */
  const follow = (page: Document) => {
    for (const selector of ["[data-font-list]", "datalist"]) {
      const [mine, theirs] = [document, page].map((one) => one.querySelector(selector));
      if (mine && theirs) mine.replaceChildren(...theirs.childNodes);
    }
    onChange(find<HTMLElement>("#widget-options", page).dataset["fontFaces"] ?? "");
  };

  /** A second click during an upload would send the font twice. */
  let isSending = false;
  section.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement)) return;
    event.preventDefault();
    if (isSending) return;
    outcome.textContent = "";
    const [file] = form.querySelector<HTMLInputElement>("[type=file]")?.files ?? [];
    if (file && file.size > Number(form.dataset["largest"])) {
      outcome.textContent = form.dataset["tooLarge"] ?? "";
      return;
    }
    const body = file ? new FormData(form) : entriesOf(form);
    isSending = true;
    const page = await fetchPage(form.action, { method: "POST", body });
    isSending = false;
    const outcomeText = page && noticeOn(page);
    // Submitting the form normally shows what is wrong.
    if (!page || outcomeText === undefined) return form.submit();
    follow(page);
    outcome.textContent = outcomeText;
    if (page.querySelector(".notice.good")) form.reset();
  });
}
