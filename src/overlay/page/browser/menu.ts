/** Lets what opens over the page close as menus do: by Escape, and by what is done elsewhere. */
export function closeAsMenu(menu: HTMLDetailsElement): void {
  for (const event of ["click", "focusin"]) {
    document.addEventListener(event, ({ target }) => {
      if (target instanceof Node && !menu.contains(target)) menu.open = false;
    });
  }
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}
