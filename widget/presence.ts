import type { CardParts } from "./card-parts.ts";
import type { WidgetOptions } from "./options.ts";
import type { WidgetState } from "./state.ts";
import { hidesCard, isHiddenAtFirst, shownForMs } from "./view.ts";

/** In these states the stylesheet makes the card transparent. */
const UNSEEN_STATES = ["loading", "offline"];

/**
 * Whether the card is there: hidden when its time is over, and entering when it returns.
 * @param animates whether a card that returns moves in
 */
export function createPresence(
  root: HTMLElement,
  { hasFlag, setFlag }: Pick<CardParts, "hasFlag" | "setFlag">,
  animates: () => boolean,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** When it was last asked for or sent away on demand, and until when it is wanted. */
  let demanded = { atMs: -Infinity, untilMs: -Infinity };

  /** Plays the stylesheet's finite animation, and restarts it if it is already running. */
  const enter = () => {
    if (!animates()) return;
    setFlag("entering", false);
    // Reading a size forces a layout, so that the browser sees that the flag was removed.
    void root.offsetWidth;
    setFlag("entering", true);
  };
  root.addEventListener("animationend", () => setFlag("entering", false));

  const hide = (hidden: boolean) => {
    if (hidden === hasFlag("hidden")) return;
    setFlag("hidden", hidden);
    if (!hidden) enter();
  };

  return {
    /** Call it before the page gets a state: a card that could not be seen yet has nothing to fade out. */
    prepare(next: WidgetState, options: WidgetOptions) {
      const wasUnseen = UNSEEN_STATES.includes(root.dataset["npState"] ?? "");
      if (wasUnseen && isHiddenAtFirst(next, options)) setFlag("hidden", true);
    },
    /** Hides the card when its display time is over, now or later. */
    plan(state: WidgetState, options: WidgetOptions, changedAtMs: number) {
      clearTimeout(timer);
      const nowMs = performance.now();
      // A page drawn while nothing played starts with a hidden card.
      if (hidesCard(state, options) && hasFlag("hidden")) return;
      const isSentAway = demanded.untilMs <= demanded.atMs && demanded.atMs > changedAtMs;
      const untilMs = isSentAway ? nowMs : changedAtMs + shownForMs(state, options);
      const wantedMs = hidesCard(state, options) ? -Infinity : demanded.untilMs;
      const restMs = Math.max(untilMs, wantedMs) - nowMs;
      hide(restMs <= 0);
      if (restMs > 0 && restMs < Infinity) timer = setTimeout(() => hide(true), restMs);
    },
    /** Shows it on demand until then; a time that has passed hides it until the next change. */
    demand(untilMs: number) {
      demanded = { atMs: performance.now(), untilMs };
    },
    /** Hides it for good. */
    end() {
      clearTimeout(timer);
      setFlag("hidden", true);
    },
  };
}
