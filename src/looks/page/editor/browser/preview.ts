import { parseWidgetOptions } from "../../../../../widget/options.ts";
import { ownHoldSeconds } from "../../../../../widget/marquee.ts";
import { sizeOf } from "../../../../../widget/source-size.ts";
import type { PreviewMessage } from "../../../../../widget/state.ts";
import { optionStyles } from "../../../../../widget/styles.ts";
import { languageTag } from "../../../../languages.ts";
import { cssWithFonts } from "../../../../overlay/fonts/font-faces.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";
import type { Draft } from "../../../draft.ts";
import type { Font } from "../../../fonts.ts";
import type { OverlaySetup } from "../setup.ts";
import type { OwnValues } from "./sliders.ts";

const RETRY_AFTER_MS = 2_000;

/** The overlay's own page in a frame, which is sent what is not saved yet. */
export function createPreview({ basePath, language, words, ...setup }: OverlaySetup) {
  const screen = find<HTMLElement>("[data-screen]");
  const frame = find<HTMLIFrameElement>("[data-preview]");
  let { fonts } = setup;
  let latest = setup.saved;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const send = () => {
    const { options } = parseWidgetOptions(new URLSearchParams(), latest.options);
    const { width, height } = sizeOf(latest);
    screen.style.setProperty("--source-width", String(width));
    screen.style.setProperty("--source-height", String(height));
    const spoken = latest.language ?? language;
    const message: PreviewMessage = {
      type: "preview",
      // Here it is always to be seen.
      options: { ...options, shown: "always" },
      styles: optionStyles(options),
      css: cssWithFonts({ own: fonts, basePath }, { font: options.font, css: latest.css }),
      words: words[spoken],
      languageTag: languageTag(spoken),
    };
    frame.contentWindow?.postMessage(message, location.origin);
  };

  frame.addEventListener("load", () => {
    clearTimeout(timer);
    send();
    // While the server is away the browser shows a page of its own there.
    if (frame.contentDocument?.querySelector(".np")) return;
    timer = setTimeout(() => (frame.src = frame.src), RETRY_AFTER_MS);
  });
  const music = find<HTMLSelectElement>("[name=demo]");
  music.addEventListener("change", () => {
    const address = new URL(frame.src);
    address.searchParams.set("demo", music.value);
    frame.src = address.href;
  });

  return {
    /** Shows a draft at once. */
    show(draft: Draft) {
      latest = draft;
      send();
    },
    /** What the look has by itself where no option says it; empty until the preview is there. */
    ownValues: () => readOwnValues(frame, latest),
    /** Calls `listener` when the preview has been loaded, at first or again, and has the last draft. */
    onLoad: (listener: () => void) => frame.addEventListener("load", listener),
    /** Lets it use other fonts of the user's. */
    setFonts(changed: readonly Font[]) {
      fonts = changed;
      send();
    },
  };
}

/** Where the stylesheets say what these options leave to the theme. */
const LENGTHS = {
  radius: "--np-radius",
  width: "--np-max-width",
  outline: "--np-outline-width",
} as const;

/** Reads what the theme's stylesheets say, as if these options were not set. Nothing of it is painted. */
function readOwnValues(frame: HTMLIFrameElement, { options }: Draft): OwnValues {
  const inner = frame.contentDocument;
  const overlay = inner?.querySelector<HTMLElement>(".np");
  const styles = inner?.querySelector(".np-option-styles");
  if (!inner || !overlay || !styles) return {};
  const drawn = styles.textContent;
  const unset = { ...parseWidgetOptions(new URLSearchParams(), options).options };
  styles.textContent = optionStyles({
    ...unset,
    size: null,
    radius: null,
    width: null,
    outline: null,
    opacity: null,
  });
  const probe = inner.createElement("i");
  probe.style.cssText = "position:absolute;visibility:hidden;width:0";
  overlay.append(probe);
  const lengthOf = (property: string): string => {
    probe.style.width = "0";
    probe.style.width = `var(${property}, 0)`;
    return String(Math.round(Number.parseFloat(getComputedStyle(probe).width) || 0));
  };
  const computed = getComputedStyle(overlay);
  const own = {
    hold: String(ownHoldSeconds(unset.marquee)),
    size: String(Math.round(Number.parseFloat(computed.fontSize))),
    opacity: String(Math.round(Number(computed.getPropertyValue("--np-panel-opacity")) * 100)),
    ...Object.fromEntries(
      Object.entries(LENGTHS).map(([name, property]) => [name, lengthOf(property)]),
    ),
  };
  probe.remove();
  styles.textContent = drawn;
  return own;
}
