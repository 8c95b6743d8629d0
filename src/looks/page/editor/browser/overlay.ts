import { fill } from "../../../../i18n/fill.ts";
import { type Draft, withLook } from "../../../draft.ts";
import { PLAIN_LOOK } from "../../../look.ts";
import { savedOptionList } from "../../../../../widget/options.ts";
import { sizeOf } from "../../../../../widget/source-size.ts";
import { followDashboard, showPresence } from "../../../../dashboard/browser/dashboard-socket.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";
import { putOnPage } from "../../../../dashboard/browser/put-on-page.ts";
import { sharedLookJson } from "../../../../overlay/looks/shared-look.ts";
import type { OverlaySetup } from "../setup.ts";
import { ask } from "./ask.ts";
import { followCssField } from "./css-field.ts";
import { readSetup, startEditor } from "./editor.ts";
import { createPreview } from "./preview.ts";
import { createLookStrip, lookOf, themeOf } from "./look-strip.ts";
import { createSliders } from "./sliders.ts";
import { offerSwatches } from "./swatches.ts";
import { changeTabs } from "./tabs.ts";
import { followUploads } from "./uploads.ts";
import { listVersions } from "./versions.ts";

/** The editor of an overlay. */
const setup = readSetup<OverlaySetup>();
const form = find<HTMLFormElement>("#widget-draft");
const preview = createPreview(setup);
const checkCss = followCssField(() => editor.update("css"));

const sliders = createSliders();
const strip = createLookStrip((code) => {
  const look = setup.looks[code];
  if (look) editor.take((draft) => withLook(draft, look), `look ${code}`);
});

/** What sliders mark: what the look sets, what its theme does, else the option's default. */
function showOwnValues(draft: Draft): void {
  const code = lookOf(setup.looks, draft);
  const defaults = savedOptionList.flatMap(([name, { fallback }]) =>
    typeof fallback === "number" ? [[name, String(fallback)]] : [],
  );
  sliders.show({
    ...Object.fromEntries(defaults),
    ...preview.ownValues(),
    ...(code !== undefined && setup.looks[code]?.options),
  });
}
/** The preview has a draft's theme a moment later. */
const PREVIEW_FOLLOWS_MS = 60;
let ownValuesTimer: ReturnType<typeof setTimeout> | undefined;
function showOwnValuesLater(draft: Draft): void {
  clearTimeout(ownValuesTimer);
  ownValuesTimer = setTimeout(() => showOwnValues(draft), PREVIEW_FOLLOWS_MS);
}

const editor = startEditor({
  setup,
  form,
  table: savedOptionList,
  show({ draft }) {
    const { width, height } = sizeOf(draft);
    putOnPage("width", String(width));
    putOnPage("height", String(height));
    preview.show(draft);
    strip.show(lookOf(setup.looks, draft));
    showOwnValuesLater(draft);
  },
  check: checkCss,
  onSaved({ revision, show_url: show, hide_url: hide }) {
    noteVersion(revision);
    find<HTMLElement>("[data-on-demand]").hidden = show === null;
    putOnPage("show", show ?? "");
    putOnPage("hide", hide ?? "");
  },
});

preview.onLoad(() => showOwnValuesLater(editor.draft()));

const noteVersion = listVersions(setup, {
  nameOf(version) {
    return strip.nameOf(lookOf(setup.looks, version) ?? themeOf(version));
  },
  onShow(version) {
    const { css, size, revision } = version;
    const options = editor.readable(version);
    editor.take((draft) => ({ ...draft, options, css, size }), `version ${revision}`);
  },
});

find("[data-reset]").addEventListener("click", () => {
  editor.take((draft) => {
    const { options, css, size } = setup.looks[lookOf(setup.looks, draft) ?? ""] ?? PLAIN_LOOK;
    return { ...draft, options, css, size, language: null };
  }, "reset");
});

/** Makes another overlay of what is edited, and leaves this one as it is stored. */
async function saveAsNew({ name, ...draft }: Draft): Promise<void> {
  const code = lookOf(setup.looks, draft);
  const look = sharedLookJson({ ...draft, name: code === undefined ? name : strip.nameOf(code) });
  const answer = await ask<{ readonly id: number }>(setup, "look make", { look });
  if (answer && "done" in answer) {
    editor.putBack();
    location.assign(`${setup.page}?id=${answer.done.id}`);
    return;
  }
  const { failed = "" } = find<HTMLElement>("[data-save-state]").dataset;
  find("[data-save-state]").textContent = answer?.refused ?? failed;
}
find("[data-as-new]").addEventListener("click", () => void saveAsNew(editor.draft()));

if (setup.tried) {
  const { tried } = setup;
  editor.take((draft) => withLook(draft, tried), "look");
  // Loaded again, the page shows the draft that it keeps.
  history.replaceState(null, "", `${setup.page}?id=${setup.id}`);
}

followUploads(setup, preview.setFonts);

/** Shows the user's own picture behind the overlay; it is not uploaded. */
function offerOwnPicture(): void {
  const chooser = find<HTMLInputElement>("[data-own-picture] [type=file]");
  const background = find<HTMLSelectElement>("[name=background]");
  let address = "";
  chooser.addEventListener("change", () => {
    const [file] = chooser.files ?? [];
    if (!file) return;
    URL.revokeObjectURL(address);
    address = URL.createObjectURL(file);
    find<HTMLElement>("[data-screen]").style.setProperty("--own-picture", `url("${address}")`);
    background.value = "own";
  });
}
offerOwnPicture();
offerSwatches(find<HTMLIFrameElement>("[data-preview]"));
changeTabs();

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
