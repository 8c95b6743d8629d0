import { startClock } from "./clock.ts";
import { createCardParts, inTime, loadCover } from "./card-parts.ts";
import { createCrossfade } from "./crossfade.ts";
import { createMarquee } from "./marquee.ts";
import type { WidgetSetup } from "./page.tsx";
import { createPresence } from "./presence.ts";
import type { WidgetState } from "./state.ts";
import { coverPath, pageAttributes, trackOf } from "./view.ts";

/** From when a new track arrives until it alone is shown, its cover's loading included. */
const CHANGE_MS = 500;
const CROSSFADE_MS = { least: 150, most: 320 };

const MARQUEE_OPTIONS = ["marquee", "speed", "hold", "motion"] as const;

/** The card on the page. */
export function createCard(root: HTMLElement, setup: WidgetSetup) {
  let { options, words } = setup;
  const parts = createCardParts(root);
  const { hasFlag } = parts;
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  const moves = () =>
    options.motion === "full" || (options.motion === "auto" && !reducedMotion.matches);
  const createMarquees = () =>
    parts.travelling.map((element) => createMarquee(element, { ...options, moves }));
  let marquees = createMarquees();
  const crossfade = createCrossfade(root, parts.card);
  const animates = () => visible && moves() && options.enter !== "none";
  const presence = createPresence(root, parts, animates);

  let state: WidgetState = { kind: "offline" };
  /** What was received last, which is shown once its cover has loaded, and when it began to hold. */
  let received: { readonly state: WidgetState; readonly atMs: number } | undefined;
  /** Whether this script has drawn; until then, the card stays as the server drew it. */
  let isDrawn = false;
  let shownTrackId = setup.trackId;
  let drawnAtMs = 0;
  let changedAtMs = performance.now();
  let turn = 0;
  let visible = !document.hidden;
  let dark = false;
  let stopClock = () => {};

  const look = () => ({ options, words });
  const drawTime = () => {
    const positionMs = parts.drawTime(state, performance.now() - drawnAtMs);
    if (moves() && state.kind === "playing") parts.beat(Math.floor(positionMs / 1000));
    return positionMs;
  };

  const draw = () => {
    isDrawn = true;
    root.dataset["npMotion"] = moves() ? "full" : "none";
    presence.prepare(state, options);
    root.dataset["npState"] = state.kind;
    parts.drawTexts(state, look());
    stopClock();
    stopClock = () => {};
    if (trackOf(state)) drawTime();
    if (!dark) presence.plan(state, options, changedAtMs);
    if (!visible || !moves()) crossfade.end();
    if (visible && state.kind === "playing" && state.positionMs !== null) {
      stopClock = startClock(drawTime, state.rate);
    }
    const moving = visible && state.kind !== "paused" && hasWords(state);
    for (const marquee of marquees) marquee.measure(moving, shownTrackId);
  };

  /** Whether the card says something in this state. */
  const hasWords = (of: WidgetState) =>
    trackOf(of) !== undefined || (of.kind === "idle" && options.idle === "text");
  const isSeen = () => isDrawn && state.kind !== "offline" && !hasFlag("hidden");
  const dissolve = (ms: number) => {
    if (isSeen() && animates()) crossfade.begin(ms);
  };

  const show = async (next: WidgetState, lateMs: number) => {
    if (dark) return;
    const mine = ++turn;
    const arrivedAtMs = performance.now();
    received = { state: next, atMs: arrivedAtMs - lateMs };
    const path = coverPath(trackOf(next), options);
    const loading = path !== null && path !== parts.shownCover() ? loadCover(path) : undefined;
    const cover = loading && (await inTime(loading));
    if (mine !== turn || dark) return;

    const trackChanges = trackOf(next)?.id !== shownTrackId;
    if (trackChanges && hasWords(next)) {
      const restMs = CHANGE_MS - (performance.now() - arrivedAtMs);
      dissolve(Math.max(CROSSFADE_MS.least, Math.min(restMs, CROSSFADE_MS.most)));
    }
    shownTrackId = trackOf(next)?.id;
    if (trackChanges || next.kind !== state.kind) changedAtMs = performance.now();
    state = next;
    drawnAtMs = arrivedAtMs - lateMs;
    const track = trackOf(next);
    if (loading) parts.showCover(cover, track, look());
    else if (track) parts.showCover(path === null ? undefined : "same", track, look());
    draw();

    // A cover that loads too late is shown on its own later, unless the track has changed by then.
    const late = loading && !cover ? await loading : undefined;
    if (!late || mine !== turn || dark) return;
    dissolve(CROSSFADE_MS.most);
    parts.showCover(late, track, look());
    // It takes room from the texts, which were measured without it.
    draw();
  };

  const leave = () => {
    turn += 1;
    received = undefined;
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
  // Until then texts are measured in fonts that stand in. A later title may need one more file.
  document.fonts.addEventListener("loadingdone", redraw);
  whenStyled(() => {
    redraw();
    // From here on changes are faded. Reading a size computes the styles that the page begins with.
    void root.offsetWidth;
    parts.setFlag("ready", true);
  });

  return {
    /**
     * Shows a state; if several arrive while a cover loads, the newest is shown. Its position was
     * valid `lateMs` ago, or will be if that is negative.
     */
    show: (next: WidgetState, lateMs: number) => void show(next, lateMs),
    /** Shows it on demand for so many milliseconds; 0 hides it until the next change. */
    showFor(ms: number) {
      presence.demand(performance.now() + ms);
      redraw();
    },
    goOffline: leave,
    /** Fades out permanently. */
    goDark() {
      dark = true;
      leave();
      presence.end();
    },
    /** A hidden page does no work; when it is shown again, it is correct at once. */
    setVisible(nowVisible: boolean) {
      visible = nowVisible;
      redraw();
    },
    /** Shows the same in another look, with the same elements, so that nothing blinks. */
    takeLook(next: Pick<WidgetSetup, "options" | "words">) {
      const restarts = MARQUEE_OPTIONS.some((name) => next.options[name] !== options[name]);
      ({ options, words } = next);
      for (const [name, value] of Object.entries(pageAttributes(options))) {
        if (typeof value === "boolean") root.toggleAttribute(name, value);
        else root.setAttribute(name, value);
      }
      if (restarts) {
        for (const marquee of marquees) marquee.stop();
        marquees = createMarquees();
      }
      if (received) void show(received.state, performance.now() - received.atMs);
    },
    /** Whether the page could reload without a visible change. */
    isUnseen: () => !visible || hasFlag("hidden") || state.kind === "idle",
  };
}

/** Calls back once the page's style sheet is there: Chromium 103 may run this script before. */
function whenStyled(then: () => void): void {
  const link = document.querySelector<HTMLLinkElement>("link[rel=stylesheet]");
  if (!link || link.sheet) then();
  else link.addEventListener("load", then, { once: true });
}
