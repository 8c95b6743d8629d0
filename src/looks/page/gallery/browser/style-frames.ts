/** Puts CSS into the previews of looks whose page does not have it itself. */
export function styleFrames(): void {
  for (const frame of document.querySelectorAll<HTMLIFrameElement>("[data-preview-css]")) {
    frame.addEventListener("load", () => styleFrame(frame));
    if (frame.contentDocument?.readyState === "complete") styleFrame(frame);
  }
}

function styleFrame(frame: HTMLIFrameElement): void {
  const { contentDocument } = frame;
  // Until its page is there, a frame has an empty one.
  if (!contentDocument?.querySelector(".np")) return;
  const style = contentDocument.createElement("style");
  style.textContent = frame.dataset["previewCss"] ?? "";
  contentDocument.head.append(style);
}
