/** Puts a value in each place of the page that shows, copies or drags it. */
export function putOnPage(name: string, text: string): void {
  for (const place of document.querySelectorAll(`[data-follows="${name}"]`)) {
    const code = place.querySelector("code");
    const button = place.querySelector<HTMLElement>("[data-copy]");
    if (code) code.textContent = text;
    if (button) button.dataset["copy"] = text;
  }
  for (const place of document.querySelectorAll(`[data-shows="${name}"]`)) {
    place.textContent = text;
  }
  for (const card of document.querySelectorAll<HTMLElement>("[data-drag]")) {
    card.dataset[name] = text;
  }
}
