/** Lets the card dissolve into what it shows next. */
export interface Crossfade {
  /**
   * Keeps a copy of the card as it looks now, which fades out while the card fades in. While one
   * copy is fading there is no other: the card below it already shows the newest.
   */
  begin(durationMs: number): void;
  /** Ends it at once. */
  end(): void;
}

/** Properties that the cover sets for the whole page: the copy keeps those of its own cover. */
const COVER_PROPERTIES = ["--np-accent", "--np-cover"];

export function createCrossfade(root: HTMLElement, card: HTMLElement): Crossfade {
  let end = () => {};
  let isRunning = false;

  return {
    begin(duration) {
      if (isRunning) return;
      const copy = copyOf(root, card);
      card.parentElement?.after(copy);
      const leaving = copy.firstElementChild?.animate([{ opacity: 0, offset: 1 }], { duration });
      const coming = card.animate([{ opacity: 0, offset: 0 }], { duration });
      isRunning = true;
      root.dataset["npChanging"] = "";
      end = () => {
        isRunning = false;
        leaving?.cancel();
        coming.cancel();
        copy.remove();
        delete root.dataset["npChanging"];
      };
      coming.onfinish = () => end();
    },
    end() {
      if (isRunning) end();
    },
  };
}

/** A copy of the card in its place, for which the page's attributes stay as they are now. */
function copyOf(root: HTMLElement, card: HTMLElement): HTMLElement {
  const place = document.createElement("div");
  for (const { name, value } of root.attributes) {
    if (name.startsWith("data-np-") && name !== "data-np-setup") place.setAttribute(name, value);
  }
  place.className = "np";
  place.dataset["npLeaving"] = "";
  place.setAttribute("aria-hidden", "true");
  const copy = card.cloneNode(true) as HTMLElement;
  // The page is about to get a cover: this card keeps its place without one.
  if (!root.hasAttribute("data-np-has-art")) copy.querySelector(".np-art")?.remove();
  const style = getComputedStyle(card);
  for (const name of COVER_PROPERTIES) copy.style.setProperty(name, style.getPropertyValue(name));
  const texts = card.querySelectorAll(".np-marquee-text");
  copy.querySelectorAll<HTMLElement>(".np-marquee-text").forEach((text, at) => {
    const moving = texts[at];
    if (!moving) return;
    const { transform, clipPath } = getComputedStyle(moving);
    Object.assign(text.style, { transform, clipPath });
  });
  place.append(copy);
  return place;
}
