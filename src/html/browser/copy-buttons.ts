/**
 * Copy buttons: `<button hidden data-copy="text" data-copied="Copied">`. Without this script,
 * or without access to the clipboard, they stay hidden and the text can be selected by hand.
 */
const SHOWN_MS = 2_000;

/** Makes the copy buttons of a part of the page work. */
export function offerCopies(part: ParentNode): void {
  for (const button of part.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    const label = button.textContent;
    /** Which text it copies, where the label alone does not say it. */
    const { ariaLabel } = button;
    const { copied = "" } = button.dataset;
    button.hidden = !("clipboard" in navigator);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset["copy"] ?? "");
      button.textContent = copied;
      button.ariaLabel = null;
      setTimeout(() => {
        button.textContent = label;
        button.ariaLabel = ariaLabel;
      }, SHOWN_MS);
    });
  }
}
