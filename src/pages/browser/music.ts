/** Keeps the page of connections up to date, and lets them be ordered by dragging. */

/** Loads the players that were found on this machine, after the page. */
async function showFound(): Promise<void> {
  const section = document.querySelector<HTMLElement>("[data-found]");
  const list = section?.querySelector("[data-found-list]");
  if (!section?.dataset["found"] || !list) return;
  // Without an answer, the hyperlink that looks for them stays.
  const answer = await fetch(section.dataset["found"]).catch(() => undefined);
  if (answer?.ok) list.innerHTML = await answer.text();
}

void showFound();
