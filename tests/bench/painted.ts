import type { Page } from "playwright-core";

/** Resolves when the overlay's new title is on the screen, with the wall time in milliseconds. */
export function paintedAt(page: Page, title: string): Promise<number> {
  return page.evaluate(
    (expected) =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (document.querySelector(".np-title")?.textContent !== expected) return;
          observer.disconnect();
          // When the frame after the next one begins, the change is on the screen.
          requestAnimationFrame(() =>
            requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now())),
          );
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { childList: true, characterData: true, subtree: true });
      }),
    title,
  );
}
