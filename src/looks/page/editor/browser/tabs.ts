import { find } from "../../../../dashboard/browser/page-parts.ts";

/** Changes tabs without leaving the page, so that what is not saved stays in its form. */
export function changeTabs(): void {
  const tabs = [...document.querySelectorAll<HTMLAnchorElement>("[data-tabs] [role=tab]")];
  const choose = (chosen: HTMLAnchorElement) => {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.ariaSelected = String(isChosen);
      tab.tabIndex = isChosen ? 0 : -1;
      find<HTMLElement>(`#${tab.getAttribute("aria-controls")}`).hidden = !isChosen;
    }
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      choose(tab);
      history.replaceState(null, "", tab.href);
      scrollTo({ top: 0 });
    });
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      const next = step && tabs.at((index + step) % tabs.length);
      if (!next) return;
      next.focus();
      next.click();
    });
  }
  const chosen = tabs.find((tab) => tab.ariaSelected === "true");
  if (chosen) choose(chosen);
}
