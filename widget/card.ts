import { startClock } from "./clock.ts";
import { createCrossfade } from "./crossfade.ts";
import { createMarquee } from "./marquee.ts";
import type { WidgetSetup } from "./page.tsx";
import type { WidgetState } from "./state.ts";
import { coverStyles } from "./styles.ts";
import {
  cardTexts,
  clockText,
  coverPath,
  hidesCard,
  pageAttributes,
  positionAfter,
  progressShare,
  shownForMs,
  trackOf,
} from "./view.ts";

/** The card on the page. */
export interface Card {
  /**
   * Shows a state; if several arrive while a cover loads, the newest is shown. Its position was
   * valid `lateMs` ago, or will be if that is negative.
   */
  show(state: WidgetState, lateMs: number): void;
  goOffline(): void;
  /** Fades out permanently. */
  goDark(): void;
  /** A hidden page does no work; when it is shown again, it is correct at once. */
  setVisible(visible: boolean): void;
  /** Whether the page could reload without a visible change. */
  isUnseen(): boolean;
  /** Shows the same in another look, with the same elements, so that nothing blinks. */
  takeLook(look: Pick<WidgetSetup, "options" | "words">): void;
}

/** A new track waits this long for its cover, then is shown without it. */
const COVER_WAIT_MS = 350;
/** From when a new track arrives until it alone is shown, its cover's loading included. */
const CHANGE_MS = 500;
const CROSSFADE_MS = { least: 150, most: 320 };

/** In these the stylesheet makes the card transparent. */
const UNSEEN_STATES = ["loading", "offline"];

const MARQUEE_OPTIONS = ["marquee", "speed", "hold", "motion"] as const;

export function createCard(root: HTMLElement, setup: WidgetSetup): Card {
  let { options, words } = setup;
  const find = (name: string) => root.querySelector<HTMLElement>(`.np-${name}`) as HTMLElement;
  const elements = {
    card: find("card"),
    label: find("label"),
    title: find("title").firstElementChild as HTMLElement,
    artist: find("artist").firstElementChild as HTMLElement,
    album: find("album"),
    image: find("art-img") as HTMLImageElement,
    progress: find("progress"),
    fill: find("progress-fill"),
    time: find("time"),
    elapsed: find("elapsed"),
    duration: find("duration"),
    status: find("sr"),
    coverStyles: find("cover-styles"),
  };
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  const moves = () =>
    options.motion === "full" || (options.motion === "auto" && !reducedMotion.matches);
  const createMarquees = () =>
    [find("title"), find("artist")].map((element) => createMarquee(element, { ...options, moves }));
  let marquees = createMarquees();
  const crossfade = createCrossfade(root, elements.card);

  let state: WidgetState = { kind: "offline" };
  /** What was told last, which is shown once its cover has loaded, and when it began to hold. */
  let told: { readonly state: WidgetState; readonly atMs: number } | undefined;
  /** Whether this script has drawn; until then, the card stays as the server drew it. */
  let isDrawn = false;
  let shownTrackId = setup.trackId;
  let drawnAtMs = 0;
  let changedAtMs = performance.now();
  let turn = 0;
  let visible = !document.hidden;
  let dark = false;
  let hideTimer: ReturnType<typeof setTimeout> | undefined;
  let stopClock = () => {};

  const hasFlag = (name: string) => root.hasAttribute(`data-np-${name}`);
  const setFlag = (name: string, on: boolean) => root.toggleAttribute(`data-np-${name}`, on);
  /** Changes the text in place where there is one, so that the clock replaces no node each second. */
  const setText = (element: HTMLElement, text: string) => {
    if (element.textContent === text) return;
    const { firstChild: node, lastChild } = element;
    if (node instanceof Text && node === lastChild) node.data = text;
    else element.textContent = text;
  };

  const drawTime = () => {
    const positionMs = positionAfter(state, performance.now() - drawnAtMs);
    const share = progressShare(state, positionMs);
    if (share !== null) elements.fill.style.transform = `scaleX(${share.toFixed(4)})`;
    setText(elements.elapsed, clockText(positionMs ?? 0));
    return positionMs ?? 0;
  };

  const drawTexts = () => {
    const track = trackOf(state);
    // A card that is fading out keeps its texts.
    if (!track && (options.idle !== "text" || state.kind !== "idle")) return;
    const texts = cardTexts(state, options, words);
    setText(elements.label, texts.label);
    setText(elements.title, texts.title);
    setText(elements.artist, texts.artist);
    setText(elements.album, texts.album);
    setText(elements.status, texts.announcement);
    setText(elements.duration, track?.durationMs ? clockText(track.durationMs) : "");
    const positionMs = positionAfter(state, 0);
    elements.time.hidden = positionMs === null || !options.time;
    elements.progress.hidden = progressShare(state, positionMs) === null || !options.progress;
    if (!track) setFlag("has-art", false);
  };

  const hide = (hidden: boolean) => {
    if (hidden === hasFlag("hidden")) return;
    setFlag("hidden", hidden);
    if (!hidden) enter();
  };

  /** Hides the card when its display time is over, now or later. */
  const planHiding = () => {
    clearTimeout(hideTimer);
    const restMs = changedAtMs + shownForMs(state, options) - performance.now();
    // A page drawn while nothing played starts with a hidden card.
    if (hidesCard(state, options) && hasFlag("hidden")) return;
    hide(restMs <= 0);
    if (restMs > 0 && Number.isFinite(restMs)) hideTimer = setTimeout(() => hide(true), restMs);
  };

  const draw = () => {
    isDrawn = true;
    root.dataset["npMotion"] = moves() ? "full" : "none";
    // A card that could not be seen yet has nothing to fade out.
    const wasSeen = !UNSEEN_STATES.includes(root.dataset["npState"] ?? "");
    if (!wasSeen && hidesCard(state, options)) setFlag("hidden", true);
    root.dataset["npState"] = state.kind;
    drawTexts();
    stopClock();
    stopClock = () => {};
    if (trackOf(state)) drawTime();
    if (!dark) planHiding();
    if (!visible || !moves()) crossfade.end();
    const runs = visible && state.kind === "playing";
    if (runs && positionAfter(state, 0) !== null) stopClock = startClock(drawTime);
    for (const marquee of marquees) marquee.measure(runs, shownTrackId);
  };

  const animates = () => visible && moves() && options.enter !== "none";
  const isSeen = () => isDrawn && state.kind !== "offline" && !hasFlag("hidden");

  /** Plays the stylesheet's finite animation, and restarts it if it is already running. */
  const enter = () => {
    if (!animates()) return;
    setFlag("entering", false);
    // Reading a size forces a layout, so that the browser sees that the flag was removed.
    void root.offsetWidth;
    setFlag("entering", true);
  };
  root.addEventListener("animationend", () => setFlag("entering", false));

  const showCover = (cover: HTMLImageElement | undefined) => {
    if (cover && cover !== elements.image) {
      cover.className = elements.image.className;
      elements.image.replaceWith(cover);
      elements.image = cover;
    }
    setFlag("has-art", cover !== undefined);
    setText(elements.coverStyles, coverStyles(trackOf(state), options));
  };

  const show = async (next: WidgetState, lateMs: number) => {
    if (dark) return;
    const mine = ++turn;
    const arrivedAtMs = performance.now();
    told = { state: next, atMs: arrivedAtMs - lateMs };
    const path = coverPath(trackOf(next), options);
    const current = hasFlag("has-art") ? elements.image.getAttribute("src") : null;
    const loading = path !== null && path !== current ? loadCover(path) : undefined;
    const cover = loading && (await inTime(loading));
    if (mine !== turn || dark) return;

    const trackChanges = trackOf(next)?.id !== shownTrackId;
    const comes = trackChanges && trackOf(next) !== undefined;
    if (comes && isSeen() && animates()) {
      const restMs = CHANGE_MS - (performance.now() - arrivedAtMs);
      crossfade.begin(Math.max(CROSSFADE_MS.least, Math.min(restMs, CROSSFADE_MS.most)));
    }
    shownTrackId = trackOf(next)?.id;
    if (trackChanges || next.kind !== state.kind) changedAtMs = performance.now();
    state = next;
    drawnAtMs = arrivedAtMs - lateMs;
    if (loading) showCover(cover);
    else if (trackOf(next)) showCover(path === null ? undefined : elements.image);
    draw();

    // A cover that loads too late is shown on its own later, unless the track has changed by then.
    const late = loading && !cover ? await loading : undefined;
    if (late && mine === turn && !dark) showCover(late);
  };

  const leave = () => {
    turn += 1;
    told = undefined;
    crossfade.end();
    state = { kind: "offline" };
    draw();
  };

  const redraw = () => {
    if (isDrawn) draw();
  };
  new MutationObserver(redraw).observe(document.head, { childList: true });
  window.addEventListener("resize", redraw);
  reducedMotion.addEventListener("change", redraw);
  void document.fonts.ready.then(redraw);

  // The server drew this cover before it was known whether it can be loaded.
  const drawnCover = elements.image;
  if (hasFlag("has-art")) {
    drawnCover.decode().catch(() => {
      if (elements.image === drawnCover) setFlag("has-art", false);
    });
  }

  return {
    show: (next, lateMs) => void show(next, lateMs),
    goOffline: leave,
    goDark() {
      dark = true;
      leave();
      clearTimeout(hideTimer);
      setFlag("hidden", true);
    },
    setVisible(nowVisible) {
      visible = nowVisible;
      redraw();
    },
    takeLook(look) {
      const restarts = MARQUEE_OPTIONS.some((name) => look.options[name] !== options[name]);
      ({ options, words } = look);
      for (const [name, value] of Object.entries(pageAttributes(options))) {
        if (typeof value === "boolean") root.toggleAttribute(name, value);
        else root.setAttribute(name, value);
      }
      if (restarts) {
        for (const marquee of marquees) marquee.stop();
        marquees = createMarquees();
      }
      if (told) void show(told.state, performance.now() - told.atMs);
    },
    isUnseen: () => !visible || hasFlag("hidden") || state.kind === "idle",
  };
}

/** A decoded cover ready for the page; `undefined` when there is none at the path. */
async function loadCover(path: string): Promise<HTMLImageElement | undefined> {
  const cover = new Image();
  cover.alt = "";
  cover.src = path;
  try {
    await cover.decode();
    return cover;
  } catch {
    return undefined;
  }
}

function inTime<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, COVER_WAIT_MS));
  return Promise.race([promise, late]);
}
