import type { WidgetOptions } from "./options.ts";
import { pagesOf, type Piece, type Stretch } from "./pages.ts";
import { DIVISIONS, type Span } from "./phrases.ts";

export interface MarqueeOptions extends Pick<WidgetOptions, "marquee" | "speed" | "hold"> {
  moves(): boolean;
}

/** One line of text that moves when it is too long for its space. */
export interface Marquee {
  /**
   * Checks whether the text fits, and starts, restarts or ends the movement. `song` identifies what
   * the text belongs to: with `marquee=once` a text moves once for each.
   */
  measure(runs: boolean, song: string | undefined): void;
  /** Ends the movement, so that another marquee can take over the line. */
  stop(): void;
}

/** Text that is too wide by no more than this does not move. */
const TOLERANCE_PX = 2;

/** In less room than this, pages would hold a few letters each. */
const LEAST_PAGE_EM = 4;

/** How the text stands while it rests: its shift, and what is cut off on either side of it. */
interface Stop {
  readonly shiftPx: number;
  readonly cutLeftPx: number;
  readonly cutRightPx: number;
}

/** The way from one stop to the next: an animation, and how the text stands below it. */
interface Way {
  /** Each for an equal part of the time; the animation changes what it animates of them. */
  readonly stops: readonly Stop[];
  readonly durationMs: number;
  readonly keyframes: Keyframe[];
  readonly timing: KeyframeAnimationOptions;
}

type Move = (from: Stop, to: Stop) => Way;

/**
 * Rests, moves to the next stop, rests. No animation exists during a rest: one that only waits
 * costs the compositor as much as one that moves.
 */
export function createMarquee(element: HTMLElement, options: MarqueeOptions): Marquee {
  const text = element.firstElementChild as HTMLElement;
  let measured = "";
  let finished: string | undefined;
  let end = () => {};

  const place = ({ shiftPx, cutLeftPx, cutRightPx }: Stop) => {
    text.style.transform = shiftTo(shiftPx);
    const isCut = cutLeftPx > -REACH_PX || cutRightPx > -REACH_PX;
    text.style.clipPath = isCut
      ? `inset(-${REACH_PX}px ${cutRightPx}px -${REACH_PX}px ${cutLeftPx}px)`
      : "";
  };

  /** Visits the stops in turn and begins again, or calls `onReturn` instead. */
  const tour = (stops: readonly Stop[], restSeconds: number, move: Move, onReturn?: () => void) => {
    let animation: Animation | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const go = ({ stops: below, durationMs, keyframes, timing }: Way, arrive: () => void) => {
      const moving = text.animate(keyframes, timing);
      animation = moving;
      moving.onfinish = () => {
        clearTimeout(timer);
        arrive();
      };
      const pass = ([stop, ...others]: readonly Stop[]) => {
        if (!stop) return moving.finish();
        place(stop);
        timer = setTimeout(() => pass(others), durationMs / below.length);
      };
      if (below[0]) place(below[0]);
      // A busy computer begins late. An animation that is cancelled never becomes ready.
      moving.ready.then(
        () => pass(below),
        () => {},
      );
    };
    const restAt = (at: number) => {
      const from = stops[at];
      const next = (at + 1) % stops.length;
      const to = stops[next];
      if (!from || !to) return;
      place(from);
      const arrive = () => (next === 0 && onReturn ? onReturn() : restAt(next));
      timer = setTimeout(() => go(move(from, to), arrive), restSeconds * 1000);
    };
    restAt(0);
    return () => {
      clearTimeout(timer);
      animation?.cancel();
      text.style.transform = "";
      text.style.clipPath = "";
    };
  };

  const begin = (overflowPx: number, rightToLeft: boolean, onReturn: () => void) => {
    const { marquee, hold, speed } = options;
    if (marquee === "pages") {
      const stops = pageStops(text, element.clientWidth, rightToLeft);
      const move = turn(element.clientWidth, Number(getComputedStyle(text).opacity));
      if (stops.length > 1) end = tour(stops, hold ?? PAGE_SECONDS, move);
      else element.removeAttribute("data-np-overflow");
      return;
    }
    const ends = [0, -overflowPx].map(wholeAt);
    // The line is placed at the left: right-to-left text is shifted so that its beginning shows.
    if (rightToLeft) ends.reverse();
    end = tour(ends, hold ?? END_SECONDS, travel(speed), marquee === "once" ? onReturn : undefined);
  };

  const stop = () => {
    end();
    end = () => {};
    measured = "";
    element.removeAttribute("data-np-overflow");
  };

  return {
    measure(runs, song) {
      // With the flag the text has its natural width; without it, it ends in an ellipsis.
      const wasMoving = element.hasAttribute("data-np-overflow");
      element.setAttribute("data-np-overflow", "");
      const room = element.clientWidth;
      const overflowPx = text.scrollWidth - room;
      const overflows = options.marquee === "always" ? overflowPx > 0 : overflowPx > TOLERANCE_PX;
      const style = getComputedStyle(text);
      const rightToLeft = style.direction === "rtl";
      const line = `${song} ${text.textContent}`;
      const moving =
        runs &&
        overflows &&
        options.marquee !== "off" &&
        options.moves() &&
        !(
          options.marquee === "pages" && room < LEAST_PAGE_EM * Number.parseFloat(style.fontSize)
        ) &&
        !(options.marquee === "once" && finished === line);
      const now = `${moving} ${rightToLeft} ${overflowPx} ${room} ${style.textAlign} ${line}`;
      if (now === measured) {
        element.toggleAttribute("data-np-overflow", wasMoving);
        return;
      }
      stop();
      measured = now;
      if (!moving) return;
      element.setAttribute("data-np-overflow", "");
      begin(overflowPx, rightToLeft, () => {
        finished = line;
        stop();
      });
    },
    stop,
  };
}

const shiftTo = (px: number): string => `translateX(${px}px)`;

/** What letters may reach beyond their line and its ends: accents, slants, outlines. */
const REACH_PX = 24;

const wholeAt = (shiftPx: number): Stop => ({
  shiftPx,
  cutLeftPx: -REACH_PX,
  cutRightPx: -REACH_PX,
});

/** Seconds that a travelling text rests at each end, and that a page rests, unless `hold` is set. */
const END_SECONDS = 3;
const PAGE_SECONDS = 3.5;

/** At higher speeds, moving by whole pixels would be visible as steps. */
const STEPPED_UP_TO_PX_PER_SECOND = 60;

/** Constant speed. Slow text moves by whole pixels: sharper, and a quarter cheaper to draw. */
const travel =
  (pxPerSecond: number): Move =>
  (from, to) => {
    const distancePx = Math.abs(to.shiftPx - from.shiftPx);
    const stepped = pxPerSecond <= STEPPED_UP_TO_PX_PER_SECOND;
    const easing = stepped ? `steps(${Math.max(1, Math.round(distancePx))})` : "linear";
    const durationMs = (distancePx / pxPerSecond) * 1000;
    return {
      stops: [from],
      durationMs,
      keyframes: [{ transform: shiftTo(from.shiftPx) }, { transform: shiftTo(to.shiftPx) }],
      timing: { duration: durationMs, easing },
    };
  };

/** Each frame costs as much as a whole second at rest: as many as a stream has are enough. */
const FRAMES_PER_SECOND = 30;
/** The last of a turn's frames is the next page at rest. */
const TURN_FRAMES = 9;
/** A dissolving text is gone in this frame, which is the one in the middle of the time. */
const GONE_FRAME = 5;

/**
 * Chromium redraws an animation in the page's main thread too for its last 40 ms:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/animation/document_timeline.cc
 * So a turn's animation is longer than the turn, which a timer ends.
 */
const SPARE_FRAMES = 2;

/** A turn at our own frame rate; the keyframe for 0 is the page before. */
function framed(stops: readonly Stop[], keyframeAt: (frame: number) => Keyframe): Way {
  const frames = TURN_FRAMES + SPARE_FRAMES;
  return {
    stops,
    durationMs: ((TURN_FRAMES - 1) * 1000) / FRAMES_PER_SECOND,
    keyframes: Array.from({ length: frames + 1 }, (_, frame) => ({
      ...keyframeAt(Math.min(frame, TURN_FRAMES)),
      easing: "steps(1, start)",
    })),
    timing: { duration: (frames * 1000) / FRAMES_PER_SECOND },
  };
}

/**
 * A quarter of a second. Only the text of both pages is shown meanwhile; what is cut off stays the
 * same, because the compositor cannot animate it.
 */
const turn =
  (roomPx: number, opacity: number): Move =>
  (from, to) =>
    Math.abs(to.shiftPx - from.shiftPx) > roomPx + TOLERANCE_PX
      ? dissolve(from, to, opacity)
      : glide(from, to);

/** By whole pixels, beginning and ending gently. */
function glide(from: Stop, to: Stop): Way {
  const both: Stop = {
    shiftPx: from.shiftPx,
    cutLeftPx: Math.min(from.cutLeftPx, to.cutLeftPx),
    cutRightPx: Math.min(from.cutRightPx, to.cutRightPx),
  };
  return framed([both], (frame) => {
    const share = frame / TURN_FRAMES;
    const eased = share * share * (3 - 2 * share);
    return { transform: shiftTo(Math.round(from.shiftPx + (to.shiftPx - from.shiftPx) * eased)) };
  });
}

/**
 * Over more than one page, gliding would be a blur: the text fades away and comes again. One animation
 * for both, because the compositor does not take over one that begins where another ends.
 */
const dissolve = (from: Stop, to: Stop, opacity: number): Way =>
  framed([from, to], (frame) => {
    const comes = frame - GONE_FRAME;
    return comes <= 0
      ? { transform: shiftTo(from.shiftPx), opacity: (opacity * -comes) / GONE_FRAME }
      : {
          transform: shiftTo(to.shiftPx),
          opacity: (opacity * comes) / (TURN_FRAMES - GONE_FRAME),
        };
  });

/** A stop for each page of a line that has its natural width; words beside the page are cut off. */
function pageStops(text: HTMLElement, roomPx: number, rightToLeft: boolean): readonly Stop[] {
  const box = text.getBoundingClientRect();
  // The streamer's own styles may scale the card.
  const scale = box.width / text.offsetWidth || 1;
  const widthPx = box.width / scale;
  const stretchOf = (rect: DOMRect): Stretch =>
    rightToLeft
      ? { fromPx: (box.right - rect.right) / scale, toPx: (box.right - rect.left) / scale }
      : { fromPx: (rect.left - box.left) / scale, toPx: (rect.right - box.left) / scale };
  const spare = { center: 0.5, end: 1 }[getComputedStyle(text).textAlign] ?? 0;
  return pagesOf(pieceOfText(text, stretchOf), roomPx).map((page): Stop => {
    const startPx = page.fromPx - spare * Math.max(0, roomPx - (page.toPx - page.fromPx));
    const shiftPx = Math.round(rightToLeft ? startPx + roomPx - widthPx : -startPx);
    const before = page.fromPx - Math.min(page.spaceBeforePx, REACH_PX);
    const after = widthPx - page.toPx - Math.min(page.spaceAfterPx, REACH_PX);
    return rightToLeft
      ? { shiftPx, cutLeftPx: after, cutRightPx: before }
      : { shiftPx, cutLeftPx: before, cutRightPx: after };
  });
}

/** The line as one piece, whose parts are measured where they are needed. */
function pieceOfText(text: HTMLElement, stretchOf: (rect: DOMRect) => Stretch): Piece[] {
  const node = text.firstChild;
  if (!node) return [];
  const content = node.textContent ?? "";
  const range = document.createRange();
  const measured = ({ from, to }: Span, level: number): Piece => {
    range.setStart(node, from);
    range.setEnd(node, to);
    return {
      ...stretchOf(range.getBoundingClientRect()),
      isWord: DIVISIONS[level - 1]?.into === "words",
      parts: () =>
        (DIVISIONS[level]?.partsOf(content.slice(from, to)) ?? []).map((part) =>
          measured({ from: from + part.from, to: from + part.to }, level + 1),
        ),
    };
  };
  return [measured({ from: 0, to: content.length }, 0)];
}
