import { parseWidgetOptions } from "../../../../../widget/options.ts";
import { sizeOf } from "../../../../../widget/source-size.ts";
import type { PreviewMessage } from "../../../../../widget/state.ts";
import { optionStyles } from "../../../../../widget/styles.ts";
import { languageTag } from "../../../../languages.ts";
import { fontFaces } from "../../../../overlay/font-faces.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";
import type { Draft } from "../../../draft.ts";
import type { Font } from "../../../fonts.ts";
import type { OverlaySetup } from "../setup.ts";

export interface Preview {
  /** Shows a draft at once. */
  show(draft: Draft): void;
  /** Lets it use other fonts of the user's. */
  setFonts(fonts: readonly Font[]): void;
}

const RETRY_AFTER_MS = 2_000;

/** The overlay's own page in a frame, which is sent what is not saved yet. */
export function createPreview({ basePath, language, words, ...setup }: OverlaySetup): Preview {
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
      css: [fontFaces(fonts, basePath), latest.css].filter((part) => part !== "").join("\n"),
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
  for (const choice of document.querySelectorAll<HTMLInputElement>("[name=demo]")) {
    choice.addEventListener("change", () => {
      const address = new URL(frame.src);
      if (choice.value === "1") address.searchParams.set("demo", "1");
      else address.searchParams.delete("demo");
      frame.src = address.href;
    });
  }

  return {
    show(draft) {
      latest = draft;
      send();
    },
    setFonts(changed) {
      fonts = changed;
      send();
    },
  };
}
