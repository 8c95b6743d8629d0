import type { WidgetOptions } from "./options.ts";
import { pageStarts } from "./pages.ts";

export interface MarqueeOptions extends Pick<WidgetOptions, "marquee" | "speed" | "hold"> {
  moves(): boolean;
}

/** Text that is too wide by no more than this does not move. */
const TOLERANCE_PX = 2;

/** In less room than this, pages would hold a few letters each. */
const LEAST_PAGE_EM = 4;

/** Where a text goes on beyond its room, and fades out there. */
type Fades = "left" | "right" | "both";

/** How the text stands while it rests: where its left edge is in its room, and where it goes on. */
interface Stop {
  readonly leftPx: number;
  readonly fades: Fades;
}

/** As wide as the stylesheet lets a text fade out. */
const FADE_PX = 24;

type Line = ReturnType<typeof measureLine>;

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
 * One line of text that moves when it is too long for its space.
 * Rests, moves to the next stop, rests. No animation exists during a rest: one that only waits
 * costs the compositor as much as one that moves.
 */
export function createMarquee(element: HTMLElement, options: MarqueeOptions) {
  const text = element.firstElementChild as HTMLElement;
  let measured = "";
  let finished: string | undefined;
  let end = () => {};

  const place = ({ leftPx, fades }: Stop) => {
    text.style.transform = shiftTo(leftPx);
    element.dataset["npOverflow"] = fades;
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
    };
  };

  const begin = (line: Line, onReturn: () => void) => {
    const { marquee, speed } = options;
    const hold = options.hold ?? ownHoldSeconds(marquee);
    if (marquee === "pages") {
      const stops = pageStops(line);
      const move = turn(line.roomPx, Number(getComputedStyle(text).opacity));
      if (stops.length > 1) end = tour(stops, hold, move);
      else element.removeAttribute("data-np-overflow");
      return;
    }
    const ends: Stop[] = [
      { leftPx: 0, fades: "right" },
      { leftPx: line.roomPx - line.widthPx, fades: "left" },
    ];
    if (line.isRightToLeft) ends.reverse();
    end = tour(ends, hold, travel(speed), marquee === "once" ? onReturn : undefined);
  };

  const stop = () => {
    end();
    end = () => {};
    measured = "";
    element.removeAttribute("data-np-overflow");
  };

  return {
    /**
     * Checks whether the text fits, and starts, restarts or ends the movement. `song` identifies what
     * the text belongs to: with `marquee=once` a text moves once for each.
     */
    measure(runs: boolean, song: string | undefined) {
      // With the flag the text has its natural width; without it, it ends in an ellipsis.
      const { npOverflow: was } = element.dataset;
      element.dataset["npOverflow"] ??= "";
      const line = measureLine(element, text);
      const { roomPx, isRightToLeft } = line;
      const overflowPx = line.widthPx - roomPx;
      const overflows = options.marquee === "always" ? overflowPx > 0 : overflowPx > TOLERANCE_PX;
      const content = `${song} ${text.textContent}`;
      const moving =
        runs &&
        overflows &&
        options.marquee !== "off" &&
        options.moves() &&
        !(
          options.marquee === "pages" &&
          pageRoom(roomPx) < LEAST_PAGE_EM * Number.parseFloat(getComputedStyle(text).fontSize)
        ) &&
        !(options.marquee === "once" && finished === content);
      const now = `${moving} ${isRightToLeft} ${overflowPx} ${roomPx} ${content}`;
      if (now === measured) {
        if (was === undefined) element.removeAttribute("data-np-overflow");
        return;
      }
      stop();
      measured = now;
      if (!moving) return;
      element.dataset["npOverflow"] = "";
      begin(line, () => {
        finished = content;
        stop();
      });
    },
    /** Ends the movement, so that another marquee can take over the line. */
    stop,
  };
}

const shiftTo = (px: number): string => `translateX(${px}px)`;

/** A page has no letters where the text before and after it fades. */
const pageRoom = (roomPx: number): number => roomPx - 2 * FADE_PX;

/** A line while it has its natural width, and the room that it has. */
function measureLine(element: HTMLElement, text: HTMLElement) {
  return {
    text,
    // Its padding, in which letters may reach out of the line, does not count.
    roomPx: Math.round(Number.parseFloat(getComputedStyle(element).width)),
    widthPx: text.scrollWidth,
    isRightToLeft: getComputedStyle(text).direction === "rtl",
  };
}

/** Seconds that a page rests, or a travelling text at each end, unless `hold` is set. */
export const ownHoldSeconds = (marquee: MarqueeOptions["marquee"]): number =>
  marquee === "pages" ? 3.5 : 3;

/** At higher speeds, moving by whole pixels would be visible as steps. */
const STEPPED_UP_TO_PX_PER_SECOND = 60;

/** Constant speed. Slow text moves by whole pixels: sharper, and a quarter cheaper to draw. */
const travel =
  (pxPerSecond: number): Move =>
  (from, to) => {
    const distancePx = Math.abs(to.leftPx - from.leftPx);
    const stepped = pxPerSecond <= STEPPED_UP_TO_PX_PER_SECOND;
    const easing = stepped ? `steps(${distancePx})` : "linear";
    const durationMs = (distancePx / pxPerSecond) * 1000;
    return {
      stops: [{ leftPx: from.leftPx, fades: "both" }],
      durationMs,
      keyframes: [from, to].map(({ leftPx }) => ({ transform: shiftTo(leftPx) })),
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

/** A quarter of a second. */
const turn =
  (roomPx: number, opacity: number): Move =>
  (from, to) =>
    Math.abs(to.leftPx - from.leftPx) > roomPx + TOLERANCE_PX
      ? dissolve(from, to, opacity)
      : glide(from, to);

/** By whole pixels, beginning and ending gently. */
const glide = (from: Stop, to: Stop): Way =>
  framed([{ leftPx: from.leftPx, fades: "both" }], (frame) => {
    const share = frame / TURN_FRAMES;
    const eased = share * share * (3 - 2 * share);
    const leftPx = Math.round(from.leftPx + (to.leftPx - from.leftPx) * eased);
    return { transform: shiftTo(leftPx) };
  });

/**
 * Over more than one page, gliding would be a blur: the text fades away and comes again. One animation
 * for both, because the compositor does not take over one that begins where another ends.
 */
const dissolve = (from: Stop, to: Stop, opacity: number): Way =>
  framed([from, to], (frame) => {
    const comes = frame - GONE_FRAME;
    return comes <= 0
      ? { transform: shiftTo(from.leftPx), opacity: (opacity * -comes) / GONE_FRAME }
      : {
          transform: shiftTo(to.leftPx),
          opacity: (opacity * comes) / (TURN_FRAMES - GONE_FRAME),
        };
  });

/** A stop for each page of a line. The text goes on, fading, on both sides of a page. */
function pageStops({ text, roomPx, widthPx, isRightToLeft }: Line): readonly Stop[] {
  const [before, after] = isRightToLeft
    ? (["right", "left"] as const)
    : (["left", "right"] as const);
  const starts = pageStarts(text, pageRoom(roomPx), isRightToLeft);
  return starts.map((startPx, at): Stop => {
    const isFirst = at === 0;
    const isLast = at === starts.length - 1;
    // From the side where reading starts: how far the text's beginning lies before its room.
    const goneStart = isFirst ? 0 : isLast ? widthPx - roomPx : startPx - FADE_PX;
    return {
      leftPx: Math.round(isRightToLeft ? roomPx - widthPx + goneStart : -goneStart),
      fades: isFirst ? after : isLast ? before : "both",
    };
  });
}
