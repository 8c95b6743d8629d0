import { startClock } from "./clock.ts";
import { createMarquee } from "./marquee.ts";
import type { WidgetSetup } from "./page.tsx";
import type { WidgetState } from "./state.ts";
import { cardTexts, clockText, positionAfter, progressShare } from "./view.ts";

/** The card on the page. */
export interface Card {
  /** Shows a state; the newest wins when several come while a cover loads. */
  show(state: WidgetState): void;
  goOffline(): void;
  /** Fades out and never comes back. */
  goDark(): void;
  /** A hidden card does nothing; a shown one is right at once. */
  setVisible(visible: boolean): void;
}

/** A swap waits this long for the new cover. */
const COVER_WAIT_MS = 400;

export function createCard(root: HTMLElement, { options, words }: WidgetSetup): Card {
  const find = (name: string) => root.querySelector<HTMLElement>(`.np-${name}`) as HTMLElement;
  const elements = {
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
  };
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  const moves = () =>
    options.motion === "full" || (options.motion === "auto" && !reducedMotion.matches);
  root.dataset["npMotion"] = moves() ? "full" : "none";

  const marquees = [find("title"), find("artist")].map((element) =>
    createMarquee(element, { ...options, moves }),
  );

  let state: WidgetState = { kind: "idle" };
  let shownAtMs = 0;
  let newest = 0;
  let visible = !document.hidden;
  let dark = false;
  let hideTimer: ReturnType<typeof setTimeout> | undefined;
  let stopClock = () => {};

  const setFlag = (name: string, on: boolean) => root.toggleAttribute(`data-np-${name}`, on);

  const setText = (element: HTMLElement, text: string) => {
    if (element.textContent !== text) element.textContent = text;
  };

  const drawTime = () => {
    const positionMs = positionAfter(state, performance.now() - shownAtMs);
    const share = progressShare(state, positionMs);
    elements.progress.hidden = share === null || !options.progress;
    elements.fill.style.transform = `scaleX(${(share ?? 0).toFixed(4)})`;
    setText(elements.elapsed, clockText(positionMs));
    return positionMs;
  };

  const runClock = () => {
    stopClock();
    stopClock = () => {};
    drawTime();
    if (visible && state.kind === "playing") stopClock = startClock(drawTime);
  };

  /** The card goes after a while when its state is one that the streamer wants hidden. */
  const planHiding = () => {
    clearTimeout(hideTimer);
    const hides =
      (state.kind === "idle" && options.idle === "hide") ||
      (state.kind === "paused" && options.paused === "hide");
    if (!hides) setFlag("hidden", false);
    else hideTimer = setTimeout(() => setFlag("hidden", true), options.hideDelay);
  };

  const draw = () => {
    const track = "track" in state ? state.track : undefined;
    // A card that is on its way out keeps what it said.
    if (track || options.idle === "text") {
      const texts = cardTexts(state, options, words);
      setText(elements.label, texts.label);
      setText(elements.title, texts.title);
      setText(elements.artist, texts.artist);
      setText(elements.album, options.album ? texts.album : "");
      setText(elements.status, texts.announcement);
      setText(elements.duration, track?.durationMs ? clockText(track.durationMs) : "");
      elements.time.hidden = !track || !options.time;
      setFlag("has-art", Boolean(options.art && track?.art));
    }
    root.dataset["npState"] = state.kind;
    planHiding();
    runClock();
    for (const marquee of marquees) marquee.measure(visible && state.kind === "playing");
  };

  const animateChange = () => {
    setFlag("changing", false);
    // Reading a size makes the browser notice that the flag was gone, so the animation starts anew.
    void root.offsetWidth;
    setFlag("changing", true);
  };
  root.addEventListener("animationend", () => setFlag("changing", false));

  const show = async (next: WidgetState) => {
    if (dark) return;
    const turn = ++newest;
    const arrivedAtMs = performance.now();
    const changes = trackIdOf(next) !== trackIdOf(state);
    const art = "track" in next && options.art ? next.track.art : null;
    if (art && elements.image.getAttribute("src") !== art) {
      const cover = await loadCover(art);
      if (turn !== newest || dark) return;
      if (cover) {
        cover.className = elements.image.className;
        elements.image.replaceWith(cover);
        elements.image = cover;
      }
    }
    state = next;
    shownAtMs = arrivedAtMs;
    if (changes && "track" in next) animateChange();
    draw();
  };

  new MutationObserver(draw).observe(document.head, { childList: true });
  window.addEventListener("resize", draw);
  void document.fonts.ready.then(draw);

  return {
    show: (next) => void show(next),
    goOffline() {
      newest += 1;
      state = { kind: "offline" };
      draw();
    },
    goDark() {
      dark = true;
      newest += 1;
      state = { kind: "offline" };
      draw();
      setFlag("hidden", true);
    },
    setVisible(nowVisible) {
      visible = nowVisible;
      draw();
    },
  };
}

function trackIdOf(state: WidgetState): string | undefined {
  return "track" in state ? state.track.id : undefined;
}

/** A decoded cover ready for the page; `undefined` when it does not come in time. */
async function loadCover(path: string): Promise<HTMLImageElement | undefined> {
  const cover = new Image();
  cover.alt = "";
  cover.src = path;
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, COVER_WAIT_MS));
  try {
    return await Promise.race([cover.decode().then(() => cover), late]);
  } catch {
    return undefined;
  }
}
