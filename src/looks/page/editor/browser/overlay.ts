import { fill } from "../../../../i18n/fill.ts";
import { savedOptionList } from "../../../../../widget/options.ts";
import { sizeOf } from "../../../../../widget/source-size.ts";
import { followDashboard, showPresence } from "../../../../dashboard/browser/dashboard-socket.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";
import type { OverlaySetup } from "../setup.ts";
import { ask } from "./ask.ts";
import { createCssField } from "./css-field.ts";
import { readSetup, startEditor } from "./editor.ts";
import { changeFonts } from "./fonts.ts";
import { createPreview } from "./preview.ts";
import { listVersions } from "./versions.ts";

/** The editor of an overlay. */
const setup = readSetup<OverlaySetup>();
const form = find<HTMLFormElement>("#widget-draft");
const preview = createPreview(setup);
const cssField = createCssField(() => editor.update("css"));

/** Puts a value in each place of the page that shows, copies or drags it. */
function follow(name: string, text: string): void {
  for (const place of document.querySelectorAll(`[data-follows="${name}"]`)) {
    const code = place.querySelector("code");
    const button = place.querySelector<HTMLElement>("[data-copy]");
    if (code) code.textContent = text;
    if (button) button.dataset["copy"] = text;
  }
  for (const place of document.querySelectorAll(`[data-shows="${name}"]`)) {
    place.textContent = text;
  }
  for (const card of document.querySelectorAll<HTMLElement>("[data-drag]")) {
    card.dataset[name] = text;
  }
}

const editor = startEditor({
  ...{ setup, form, table: savedOptionList },
  show({ draft }) {
    const { width, height } = sizeOf(draft);
    follow("width", String(width));
    follow("height", String(height));
    preview.show(draft);
  },
  check: () => cssField.check(),
  onSaved({ revision, show_url: show, hide_url: hide }) {
    versions.saved(revision);
    find<HTMLElement>("[data-on-demand]").hidden = show === null;
    follow("show", show ?? "");
    follow("hide", hide ?? "");
  },
});

const versions = listVersions(setup, (version) => {
  const { css, size, revision } = version;
  const options = editor.readable(version);
  editor.take((draft) => ({ ...draft, options, css, size }), `version ${revision}`);
});

find("[data-reset]").addEventListener("click", () => {
  editor.take((draft) => ({ ...draft, options: {}, language: null }), "reset");
});

changeFonts(setup, preview.setFonts);

/** Shows the user's own picture behind the overlay; it is not uploaded. */
function offerOwnPicture(): void {
  const chooser = find<HTMLInputElement>("[data-own-picture] [type=file]");
  const choice = find<HTMLInputElement>("[data-own-choice]");
  let address = "";
  chooser.addEventListener("change", () => {
    const [file] = chooser.files ?? [];
    if (!file) return;
    URL.revokeObjectURL(address);
    address = URL.createObjectURL(file);
    find<HTMLElement>("[data-screen]").style.setProperty("--own-picture", `url("${address}")`);
    choice.checked = true;
  });
}
offerOwnPicture();

/** Sends a test track without leaving the page, so that the preview can show it. */
function sendTestInPlace(): void {
  const outcome = find<HTMLElement>("[data-test-outcome]");
  const { sent = "", unseen = "" } = outcome.dataset;
  const failed = find<HTMLElement>("[data-save-state]").dataset["failed"] ?? "";
  find("form.test").addEventListener("submit", async (event) => {
    event.preventDefault();
    outcome.textContent = "";
    const answer = await ask<{ browser_sources: number }>(setup, "widget test", {});
    if (!answer || "refused" in answer) {
      outcome.textContent = answer?.refused ?? failed;
      return;
    }
    const { browser_sources: count } = answer.done;
    outcome.textContent = count === 0 ? unseen : fill(sent, { count: String(count) });
  });
}
sendTestInPlace();

const live = find<HTMLElement>("[data-live]").dataset["live"];
if (live) followDashboard(live, showPresence);
