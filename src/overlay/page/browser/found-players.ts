/** How often players are asked what they play. */
const AGAIN_MS = 10_000;

/** Loads the players that were found on this machine, after the page, and again while it is looked at. */
export function keepFoundPlayers(): void {
  const part = document.querySelector<HTMLElement>("[data-found]");
  if (!part) return;
  const look = async () => {
    if (document.hidden || part.contains(document.activeElement)) return;
    const answer = await fetch(part.dataset["found"] ?? "").catch(() => undefined);
    // A session that has ended answers with a page.
    if (!answer?.ok || answer.redirected) return;
    const found = document.createElement("div");
    found.innerHTML = await answer.text();
    if (found.textContent !== part.textContent) part.replaceChildren(...found.childNodes);
  };
  void look();
  setInterval(look, AGAIN_MS);
}
