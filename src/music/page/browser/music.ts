import { followDashboard } from "../../../dashboard/browser/dashboard-socket.ts";
import { dragCards } from "./drag-cards.ts";

/** Keeps the page of connections up to date, and lets them be dragged into another order. */
const connections = document.querySelector<HTMLElement>("[data-live]");

/** Loads the players that were found on this machine, after the page. */
async function showFound(): Promise<void> {
  const section = document.querySelector<HTMLElement>("[data-found]");
  const list = section?.querySelector("[data-found-list]");
  if (!section?.dataset["found"] || !list) return;
  // Without an answer, the hyperlink that looks for them stays.
  const answer = await fetch(section.dataset["found"]).catch(() => undefined);
  if (!answer?.ok) return;
  const html = await answer.text();
  const hadFocus = list.contains(document.activeElement);
  list.innerHTML = html;
  section.removeAttribute("data-found");
  // The hyperlink that had the focus is gone.
  if (hadFocus) list.querySelector<HTMLElement>(".again a")?.focus();
}

/** Sends the form of the card's own button, with the place to which it was dragged. */
function store(card: HTMLElement, position: number): void {
  const form = card.querySelector<HTMLFormElement>("form.move");
  const field = form?.querySelector<HTMLInputElement>("[name=position]");
  if (!form || !field) return;
  field.value = String(position);
  // The buttons leave the row open; one that was dragged stays folded.
  form.action = location.pathname;
  form.submit();
}

if (connections?.dataset["live"]) {
  /** What each part of the page was last. */
  const shown = new Map<Element, string>();
  const put = (selector: string, html: string) => {
    const part = connections.querySelector(selector);
    if (!part || shown.get(part) === html) return;
    shown.set(part, html);
    part.innerHTML = html;
  };
  /** How a connection is set up is folded away, once: whoever opens it again still sees it. */
  const foldSetup = (id: string) => {
    const setup = connections.querySelector<HTMLElement>(`[data-until-first-song="${id}"]`);
    if (!setup) return;
    setup.removeAttribute("data-until-first-song");
    const fold = setup.querySelector("details");
    if (fold) fold.open = false;
    else setup.hidden = true;
  };
  followDashboard(connections.dataset["live"], (state) => {
    for (const { id, row, html, hasWorked } of state.connections) {
      put(`[data-row="${id}"]`, row);
      put(`[data-connection="${id}"]`, html);
      if (hasWorked) foldSetup(id);
    }
  });
  dragCards(connections, store);
}
void showFound();
