/** Each look is an overlay of its own: those that nobody sees are not loaded. */
export function loadSeenFrames(within: ParentNode): void {
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting || !(target instanceof HTMLIFrameElement)) continue;
      target.src = target.dataset["src"] ?? "";
      seen.unobserve(target);
    }
  });
  for (const frame of within.querySelectorAll("iframe[data-src]")) seen.observe(frame);
}
