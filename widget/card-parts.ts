import type { WidgetSetup } from "./page.tsx";
import type { WidgetState, WidgetTrack } from "./state.ts";
import { coverStyles } from "./styles.ts";
import {
  cardFlags,
  cardTexts,
  clockText,
  directionOf,
  positionAfter,
  progressShare,
  trackOf,
} from "./view.ts";

type Look = Pick<WidgetSetup, "options" | "words">;

/** A new track waits this long for its cover, then is shown without it. */
const COVER_WAIT_MS = 350;

/** The elements of the card, and how texts, time and cover get into them. */
export function createCardParts(root: HTMLElement) {
  const find = (name: string) => root.querySelector<HTMLElement>(`.np-${name}`) as HTMLElement;
  const elements = {
    label: find("label"),
    title: find("title").firstElementChild as HTMLElement,
    artist: find("artist").firstElementChild as HTMLElement,
    album: find("album"),
    progress: find("progress"),
    fill: find("progress-fill"),
    time: find("time"),
    elapsed: find("elapsed"),
    duration: find("duration"),
    status: find("sr"),
    coverStyles: find("cover-styles"),
  };
  const card = find("card");
  const moving = [find("art"), find("info")];
  let image = find("art-img") as HTMLImageElement;

  /** A boolean attribute of the page, `data-np-` and this name. */
  const hasFlag = (name: string) => root.hasAttribute(`data-np-${name}`);
  const setFlag = (name: string, on: boolean) => void root.toggleAttribute(`data-np-${name}`, on);

  // The server drew this cover before it was known whether it can be loaded.
  const drawnCover = image;
  if (drawnCover.hasAttribute("src")) {
    drawnCover.decode().catch(() => {
      if (image === drawnCover) setFlag("face", true);
    });
  }

  return {
    card,
    /** The elements whose text travels when it is too long. */
    travelling: [find("title"), find("artist")],
    hasFlag,
    setFlag,
    drawTexts(state: WidgetState, { options, words }: Look) {
      const track = trackOf(state);
      // A card that is fading out keeps its texts.
      if (!track && (options.idle !== "text" || state.kind !== "idle")) return;
      const texts = cardTexts(state, options, words);
      card.dir = directionOf(texts.title);
      setText(elements.label, texts.label);
      setText(elements.title, texts.title);
      setText(elements.artist, texts.artist);
      setText(elements.album, texts.album);
      setText(elements.status, texts.announcement);
      setText(elements.duration, track?.durationMs ? clockText(track.durationMs) : "");
      const positionMs = positionAfter(state, 0);
      elements.time.hidden = positionMs === null || !options.time;
      elements.progress.hidden = progressShare(state, positionMs) === null || !options.progress;
      const { face, ...lacks } = cardFlags(state, options);
      for (const [name, on] of Object.entries(lacks)) setFlag(name, on);
      if (!track) setFlag("face", face);
    },
    /** Draws the clock and the bar as they are `elapsedMs` after the state. Returns the position in milliseconds. */
    drawTime(state: WidgetState, elapsedMs: number) {
      const positionMs = positionAfter(state, elapsedMs);
      const share = progressShare(state, positionMs);
      if (share !== null) elements.fill.style.transform = `scaleX(${share.toFixed(4)})`;
      setText(elements.elapsed, clockText(positionMs ?? 0));
      return positionMs ?? 0;
    },
    /** Moves what a look moves once a second, in the frame that the clock needs anyway. */
    beat(second: number) {
      // Not for the backdrop: what uses a property is painted anew whenever any of them changes.
      for (const { style } of moving) {
        style.setProperty("--np-beat", String(second));
        style.setProperty("--np-flip", second % 2 === 0 ? "1" : "-1");
      }
    },
    /** The path of the cover that is shown. */
    shownCover: () => (hasFlag("face") ? null : image.getAttribute("src")),
    /** @param cover the picture to show; `undefined` to show none, `"same"` to go on with the one there is */
    showCover(
      cover: HTMLImageElement | "same" | undefined,
      track: WidgetTrack | undefined,
      { options }: Look,
    ) {
      if (cover && cover !== "same") {
        cover.className = image.className;
        image.replaceWith(cover);
        image = cover;
      }
      setFlag("face", options.art && cover === undefined);
      setText(elements.coverStyles, coverStyles(track, options));
    },
  };
}

export type CardParts = ReturnType<typeof createCardParts>;

/** Changes the text in place where there is one, so that the clock replaces no node each second. */
function setText(element: HTMLElement, text: string): void {
  if (element.textContent === text) return;
  const { firstChild: node, lastChild } = element;
  if (node instanceof Text && node === lastChild) node.data = text;
  else element.textContent = text;
}

/** A decoded cover ready for the page; `undefined` when there is none at the path. */
export async function loadCover(path: string): Promise<HTMLImageElement | undefined> {
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

/** What resolves soon enough for a change of tracks; `undefined` if it takes longer. */
export function inTime<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, COVER_WAIT_MS));
  return Promise.race([promise, late]);
}
