export interface MarqueeOptions {
  readonly marquee: "auto" | "off" | "always";
  /** Pixels per second. */
  readonly speed: number;
  /** Seconds that the text rests at each end. */
  readonly hold: number;
  moves(): boolean;
}

/** One line of text that scrolls when it is too long for its space. */
export interface Marquee {
  /** Checks whether the text fits, and starts, restarts or ends the scrolling. */
  measure(runs: boolean): void;
}

/** Text that is too wide by no more than this does not scroll. */
const TOLERANCE_PX = 2;

/**
 * Rests, scrolls at constant speed, rests, returns. No animation exists during a rest: one that
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
      // With the flag the text has its natural width; without it, it ends in an ellipsis.
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
      // The line is placed at the left: right-to-left text is shifted so that its beginning shows.
      else stop = rightToLeft ? travel(-overflowPx, 0) : travel(0, -overflowPx);
    },
  };
}

/** At higher speeds, moving by whole pixels would be visible as steps. */
const STEPPED_UP_TO_PX_PER_SECOND = 60;

/** Constant speed. Slow text moves by whole pixels: sharper, and a quarter cheaper to draw. */
function timing(distancePx: number, pxPerSecond: number): KeyframeAnimationOptions {
  const duration = (distancePx / pxPerSecond) * 1000;
  const stepped = pxPerSecond <= STEPPED_UP_TO_PX_PER_SECOND;
  return { duration, easing: stepped ? `steps(${Math.max(1, Math.round(distancePx))})` : "linear" };
}
