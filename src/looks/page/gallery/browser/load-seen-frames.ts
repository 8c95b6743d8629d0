/** Each look is an overlay of its own: those that nobody sees are not loaded, and have no frame. */
export function loadSeenFrames(within: ParentNode): void {
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      const template = target.querySelector<HTMLTemplateElement>("template[data-frame]");
      template?.replaceWith(template.content);
    }
  });
  for (const { parentElement } of within.querySelectorAll("template[data-frame]")) {
    if (parentElement) seen.observe(parentElement);
  }
}
