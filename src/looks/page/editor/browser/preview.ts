import { optionStyles } from "../../../../../widget/styles.ts";
import { chosenSize, type EditorQuery, previewAddress } from "../editor-query.ts";
import type { Language } from "../../../../languages.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";

export interface Preview {
  /** Shows a draft: what styles alone can show at once, and the rest a moment later. */
  show(editorQuery: EditorQuery, css: string): void;
  /** Replaces the CSS of the user's fonts. */
  setFontFaces(css: string): void;
}

export interface PreviewSetup {
  readonly basePath: string;
  readonly token: string;
  readonly language: Language;
  fontFaces: string;
}

const RELOAD_AFTER_MS = 250;
const RETRY_AFTER_MS = 2_000;

export function createPreview(setup: PreviewSetup): Preview {
  const screen = find<HTMLElement>("[data-screen]");
  let frame = find<HTMLIFrameElement>("[data-preview]");
  let shown = frame.getAttribute("src") ?? "";
  let coming: HTMLIFrameElement | undefined;
  let latest: { readonly editorQuery: EditorQuery; readonly css: string } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const setStyles = (of: HTMLIFrameElement, name: string, css: string) => {
    const style = of.contentDocument?.querySelector(`style.np-${name}-styles`);
    if (!style || style.textContent === css) return;
    style.textContent = css;
    // Titles are measured again when the page changes its size.
    of.contentWindow?.dispatchEvent(new Event("resize"));
  };
  const setCss = (of: HTMLIFrameElement) => {
    if (!latest) return;
    const css = [setup.fontFaces, latest.css].filter((part) => part !== "").join("\n");
    setStyles(of, "widget", css);
  };

  /** Loads the overlay behind the one that is shown, and then puts it in its place. */
  const load = (address: string) => {
    shown = address;
    coming?.remove();
    const next = document.createElement("iframe");
    for (const { name, value } of frame.attributes) next.setAttribute(name, value);
    next.removeAttribute("data-preview");
    next.className = "coming";
    next.src = address;
    coming = next;
    next.addEventListener(
      "load",
      () => {
        if (coming !== next) return;
        coming = undefined;
        // While the server is away the browser shows a page of its own there.
        if (!next.contentDocument?.querySelector("style.np-option-styles")) {
          next.remove();
          // A change that comes before this timer, and stops it, loads it itself.
          shown = "";
          timer = setTimeout(load, RETRY_AFTER_MS, address);
          return;
        }
        setCss(next);
        next.className = "";
        next.setAttribute("data-preview", "");
        frame.remove();
        frame = next;
      },
      { once: true },
    );
    frame.after(next);
  };

  frame.addEventListener("load", () => setCss(frame));

  return {
    show(editorQuery, css) {
      latest = { editorQuery, css };
      const { width, height } = chosenSize(editorQuery);
      screen.style.setProperty("--source-width", String(width));
      screen.style.setProperty("--source-height", String(height));
      setStyles(frame, "option", optionStyles(editorQuery.options));
      setCss(frame);
      const address = previewAddress(setup.basePath, editorQuery, setup.token, setup.language);
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (address !== shown) load(address);
      }, RELOAD_AFTER_MS);
    },
    setFontFaces(css) {
      setup.fontFaces = css;
      setCss(frame);
    },
  };
}
