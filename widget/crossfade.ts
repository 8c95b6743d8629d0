/** The words of one card are gone before those of the other come: two texts are never read at once. */
const WORDS_LEAVE: Keyframe[] = [{ opacity: 0, offset: 0.45 }, { opacity: 0 }];
const WORDS_COME: Keyframe[] = [{ opacity: 0 }, { opacity: 0, offset: 0.55 }];

/** What the cover sets, which is drawn before and after elements too: the copy keeps its own. */
const KEPT_PROPERTIES = ["--np-accent", "--np-cover"];

/** Lets the card dissolve into what it shows next. */
export function createCrossfade(root: HTMLElement, card: HTMLElement) {
  let end = () => {};
  let isRunning = false;

  return {
    /**
     * Keeps a copy of the card as it looks now, which fades out while the card fades in. While one
     * copy is fading there is no other: the card below it already shows the newest.
     */
    begin(duration: number) {
      if (isRunning) return;
      const copy = copyOf(root, card);
      card.parentElement?.after(copy);
      const timing = { duration };
      const info = card.querySelector(".np-info") as HTMLElement;
      // Were the last frame left to the browser, it would do work in the main thread for each frame.
      const { opacity } = getComputedStyle(info);
      const coming = card.animate([{ opacity: 0, offset: 0 }], timing);
      const animations = [
        copy.firstElementChild?.animate([{ opacity: 0, offset: 1 }], timing),
        copy.querySelector(".np-info")?.animate(WORDS_LEAVE, timing),
        coming,
        info.animate([...WORDS_COME, { opacity }], timing),
      ];
      // Left to itself, the compositor begins each with the first frame that it is ready for.
      const startTime = document.timeline.currentTime;
      for (const animation of animations) if (animation) animation.startTime = startTime;
      isRunning = true;
      root.dataset["npChanging"] = "";
      end = () => {
        isRunning = false;
        for (const animation of animations) animation?.cancel();
        copy.remove();
        delete root.dataset["npChanging"];
      };
      coming.onfinish = () => end();
    },
    /** Ends it at once. */
    end() {
      if (isRunning) end();
    },
  };
}

/**
 * A copy of the card in its place, which stays as it looks now. Rules still find it through the
 * page's attributes, which are those of the next track by then: each of its elements has its styles
 * as its own. What is drawn before and after elements goes by the page's attributes as they are now.
 */
function copyOf(root: HTMLElement, card: HTMLElement): HTMLElement {
  const place = document.createElement("div");
  for (const { name, value } of root.attributes) {
    if (name.startsWith("data-np-") && name !== "data-np-setup") place.setAttribute(name, value);
  }
  place.className = "np";
  place.dataset["npLeaving"] = "";
  place.setAttribute("aria-hidden", "true");
  const copy = card.cloneNode(true) as HTMLElement;
  const properties = ruledProperties();
  const shown = [card, ...card.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll<HTMLElement>("*")].forEach((element, at) => {
    const original = shown[at];
    if (original) element.style.cssText += stylesOf(original, properties);
  });
  const style = getComputedStyle(card);
  for (const name of KEPT_PROPERTIES) copy.style.setProperty(name, style.getPropertyValue(name));
  place.append(copy);
  return place;
}

/** The properties that the page's rules set: no other differs from one track to the next. */
function ruledProperties(): string[] {
  const names = new Set<string>();
  const collect = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule) for (const name of rule.style) names.add(name);
      if (rule instanceof CSSGroupingRule) collect(rule.cssRules);
    }
  };
  for (const { cssRules } of document.styleSheets) collect(cssRules);
  return [...names].filter((name) => !name.startsWith("--"));
}

/** Styles of an element as it looks now. */
function stylesOf(element: Element, properties: readonly string[]): string {
  const style = getComputedStyle(element);
  const { display, width, height } = style;
  // What is not drawn stays so. Of what has no box of its own, the children are drawn.
  if (display !== "contents" && element.getClientRects().length === 0) return ";display:none";
  return [
    "",
    ...properties.map((name) => `${name}:${style.getPropertyValue(name)}`),
    // Sizes are given in thousandths, and rounded down: a text that just fits would not any more.
    `width:calc(${width} + 0.01px)`,
    `height:calc(${height} + 0.01px)`,
    "animation:none",
    "transition:none",
  ].join(";");
}
