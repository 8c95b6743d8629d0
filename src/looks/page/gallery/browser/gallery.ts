/** Puts a look that came with the page's address into its form, and CSS into previews. */
const field = document.querySelector<HTMLTextAreaElement>("textarea[name=look]");

/** The server shows the look; the address that goes there has no fragment any more. */
function openLookOfAddress(): void {
  if (!field || !location.hash.startsWith("#look=")) return;
  field.value = location.href;
  history.replaceState(null, "", location.pathname + location.search);
  field.form?.requestSubmit();
}

function styleFrame(frame: HTMLIFrameElement): void {
  const { contentDocument } = frame;
  // Until its page is there, a frame has an empty one.
  if (!contentDocument?.querySelector(".np")) return;
  const style = contentDocument.createElement("style");
  style.textContent = frame.dataset["previewCss"] ?? "";
  contentDocument.head.append(style);
}

for (const frame of document.querySelectorAll<HTMLIFrameElement>("[data-preview-css]")) {
  frame.addEventListener("load", () => styleFrame(frame));
  if (frame.contentDocument?.readyState === "complete") styleFrame(frame);
}
addEventListener("hashchange", openLookOfAddress);
openLookOfAddress();
