export interface MarqueeOptions {
  readonly marquee: "auto" | "off" | "always";
  /** Pixels a second. */
  readonly speed: number;
  /** Seconds of rest at either end. */
  readonly hold: number;
  moves(): boolean;
}

/** One line of text that travels when it is too long for its place. */
export interface Marquee {
  /** Looks whether the text fits, and starts, restarts or ends the travel. */
  measure(runs: boolean): void;
}

/** A text that is this much too wide is not worth moving. */
const TOLERANCE_PX = 2;

/**
 * Holds, travels at constant speed, holds, returns. No animation is alive while it holds: one that
 * only waits costs the compositor as much as one that moves.
 */
export function createMarquee(element: HTMLElement, options: MarqueeOptions): Marquee {
  const text = element.firstElementChild as HTMLElement;
  let measured = "";
  let stop = () => {};

  const travel = (startPx: number, endPx: number) => {
    let animation: Animation | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const step = (fromPx: number, toPx: number) => {
      timer = setTimeout(() => {
        animation = text.animate(
          [{ transform: `translateX(${fromPx}px)` }, { transform: `translateX(${toPx}px)` }],
          timing(Math.abs(toPx - fromPx), options.speed),
        );
        animation.onfinish = () => {
          text.style.transform = `translateX(${toPx}px)`;
          step(toPx, fromPx);
        };
      }, options.hold * 1000);
    };
    text.style.transform = `translateX(${startPx}px)`;
    step(startPx, endPx);
    return () => {
      clearTimeout(timer);
      animation?.cancel();
      text.style.transform = "";
    };
  };

  return {
    measure(runs) {
      // The flag lets the text take its natural width; without it, it ends in an ellipsis.
      element.setAttribute("data-np-overflow", "");
      const room = element.clientWidth;
      const overflowPx = text.scrollWidth - room;
      const overflows = options.marquee === "always" ? overflowPx > 0 : overflowPx > TOLERANCE_PX;
      const rightToLeft = getComputedStyle(text).direction === "rtl";
      const moving = runs && overflows && options.marquee !== "off" && options.moves();
      element.toggleAttribute("data-np-overflow", moving);
      const now = `${moving} ${rightToLeft} ${overflowPx} ${text.textContent}`;
      if (now === measured) return;
      measured = now;
      stop();
      if (!moving) stop = () => {};
      // The line starts at the left of its place: a text that begins at its right end is shifted.
      else stop = rightToLeft ? travel(-overflowPx, 0) : travel(0, -overflowPx);
    },
  };
}

/** Above this, whole pixels would be seen as steps. */
const STEPPED_UP_TO_PX_PER_SECOND = 60;

/** Constant speed; a slow text moves by whole pixels, which is sharper and a quarter cheaper to draw. */
function timing(distancePx: number, pxPerSecond: number): KeyframeAnimationOptions {
  const duration = (distancePx / pxPerSecond) * 1000;
  const stepped = pxPerSecond <= STEPPED_UP_TO_PX_PER_SECOND;
  return { duration, easing: stepped ? `steps(${Math.max(1, Math.round(distancePx))})` : "linear" };
}
