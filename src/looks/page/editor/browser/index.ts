import {
  chosenSize,
  draftQuery,
  type EditorQuery,
  pageQuery,
  readEditorQuery,
} from "../editor-query.ts";
import { withQuery } from "../../../../addresses.ts";
import { sourceSize } from "../../../../../widget/source-size.ts";
import { languageOr } from "../../../../languages.ts";
import { offerCopies } from "../../../../html/browser/copy-buttons.ts";
import { followDashboard, showPresence } from "../../../../dashboard/browser/dashboard-socket.ts";
import { createCssField } from "./css-field.ts";
import { changeFontsInPlace } from "./fonts.ts";
import { createDraftHistory, readDraft, writeDraft } from "./history.ts";
import {
  entriesOf,
  fetchPage,
  find,
  noticeOn,
  showMistake,
} from "../../../../dashboard/browser/page-parts.ts";
import { createPreview } from "./preview.ts";
import { createSaving } from "./saving.ts";

/** Shows every change at once, keeps what was before, and saves. */
const form = find<HTMLFormElement>("#widget-options");
const { basePath = "", token = "", language, id: widgetId = "" } = form.dataset;
const pageLanguage = languageOr(language, "en");

const entries = () => {
  const fields = entriesOf(form);
  fields.delete("token");
  return fields;
};
const queryOf = (of: HTMLFormElement) => readEditorQuery(entriesOf(of));
/** What a form holds, as a text: two drafts that look the same have the same. */
const draftText = (of: HTMLFormElement): string => {
  const fields = entriesOf(of);
  return [draftQuery(queryOf(of)), fields.get("name"), fields.get("css")].join("\n");
};

/** What is stored, as far as this page knows. */
let saved = { text: "", editorQuery: undefined as EditorQuery | undefined };
if (form.dataset["isSaved"] === "true") {
  // Browsers keep typed values over a reload; what the server sent are the defaults.
  const sent = document.importNode(form, true);
  sent.reset();
  saved = { text: draftText(sent), editorQuery: queryOf(sent) };
}

/** Whether the page's list of versions is no longer complete. */
let hasNewVersions = false;

const cssField = createCssField(() => update("css"));
const preview = createPreview({
  basePath,
  token,
  language: pageLanguage,
  fontFaces: form.dataset["fontFaces"] ?? "",
});
const history = createDraftHistory(readDraft(form), () => performance.now());
const saving = createSaving({
  form,
  draft: () => draftText(form),
  onSaved(text) {
    saved = { text, editorQuery: queryOf(form) };
    if (draftText(form) !== text) saved.editorQuery = undefined;
    hasNewVersions = true;
    find("[data-version-outcome]").textContent = "";
    show();
    void followVersions();
    void followOnDemand();
  },
});

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

/** Says what is wrong beside each control, and returns whether nothing is. */
function showMistakes({ invalid }: EditorQuery): boolean {
  let isValid = true;
  for (const control of form.querySelectorAll<HTMLElement>("[data-control]")) {
    const mistake = control.querySelector<HTMLElement>(".mistake");
    const input = control.querySelector("input:not([type=hidden])");
    // The browser sends an invalid number as empty text.
    const unreadable = control.querySelector("input:invalid") !== null;
    const isWrong = unreadable || invalid.has(control.dataset["control"] ?? "");
    isValid &&= !isWrong;
    if (!mistake || !input || mistake.hidden === !isWrong) continue;
    showMistake(input, mistake, isWrong);
  }
  return isValid;
}

const undoButton = find<HTMLButtonElement>("[data-undo]");
const redoButton = find<HTMLButtonElement>("[data-redo]");

/** Has a reload of the page show the same. */
function showInAddress(query: URLSearchParams): void {
  const address = withQuery(location.pathname, query);
  if (address === location.pathname + location.search) return;
  try {
    window.history.replaceState(null, "", address);
  } catch {
    // Safari and Firefox refuse after a hundred calls or two within seconds, as a dragged colour makes.
  }
}

/** Brings the page in line with the form. */
function show(): void {
  const editorQuery = readEditorQuery(entries());
  const query = pageQuery(editorQuery, saved.editorQuery, Number(widgetId));
  showInAddress(query);
  for (const field of document.querySelectorAll<HTMLInputElement>("[data-editor-query]")) {
    field.value = query.toString();
  }
  const size = chosenSize(editorQuery);
  follow("width", String(size.width));
  follow("height", String(size.height));
  const fitting = sourceSize(editorQuery.options);
  for (const field of form.querySelectorAll<HTMLInputElement>("[data-fits]")) {
    field.placeholder = String(field.dataset["fits"] === "width" ? fitting.width : fitting.height);
  }
  const isCssShort = cssField.check();
  const isValid = showMistakes(editorQuery) && isCssShort;
  preview.show(editorQuery, cssField.area.value);
  // Not disabled, so that they keep the keyboard's focus.
  undoButton.setAttribute("aria-disabled", String(!history.canUndo()));
  redoButton.setAttribute("aria-disabled", String(!history.canRedo()));
  saving.changed(draftText(form) === saved.text, isValid);
}

function update(controlName: string): void {
  history.note(readDraft(form), controlName);
  show();
}

function travel(draft: readonly string[] | undefined): void {
  if (!draft) return;
  writeDraft(form, draft);
  show();
}

/** A colour that the user chooses replaces the theme's colour. */
function takeColour({ target }: Event): void {
  if (!(target instanceof HTMLInputElement) || target.type !== "color") return;
  const automatic = target.parentElement?.querySelector<HTMLInputElement>("[type=checkbox]");
  if (automatic) automatic.checked = false;
}

/** Which controls a hyperlink to another draft of this page takes from it. */
const TAKEN: Readonly<Record<string, (name: string) => boolean>> = {
  options: (name) => !["name", "css", "sourceWidth", "sourceHeight"].includes(name),
  look: (name) => !["name", "language"].includes(name),
  everything: () => true,
};

/** Takes the draft of another page into this one, so that nothing here is lost: undo brings it back. */
async function take(link: HTMLAnchorElement): Promise<void> {
  const page = await fetchPage(link.href);
  const theirs = page?.querySelector<HTMLFormElement>("#widget-options");
  if (!page || !theirs) return location.assign(link.href);
  const kind = link.dataset["takes"] ?? "";
  writeDraft(form, readDraft(theirs), TAKEN[kind]);
  if (kind === "everything") {
    saved = { text: draftText(theirs), editorQuery: queryOf(theirs) };
    saving.baseOn(find<HTMLInputElement>("[name=basedOn]", theirs).value);
  }
  update(link.href);
  const outcomeText = kind === "look" ? noticeOn(page) : undefined;
  if (outcomeText !== undefined) find("[data-version-outcome]").textContent = outcomeText;
}

const versions = find<HTMLDetailsElement>("[data-versions]");
/** Lists the versions anew once they can be seen, if some have been saved. */
async function followVersions(): Promise<void> {
  if (!versions.open || !hasNewVersions) return;
  hasNewVersions = false;
  const page = await fetchPage(`${location.pathname}?id=${widgetId}`);
  const list = page?.querySelector("[data-version-list]");
  if (list) find("[data-version-list]").replaceWith(list);
  else hasNewVersions = true;
}

/** An overlay has addresses that show and hide it once it is not always shown. */
async function followOnDemand(): Promise<void> {
  const place = find("[data-on-demand]");
  if (place.childElementCount > 0 === (queryOf(form).options.shown !== "always")) return;
  const page = await fetchPage(`${location.pathname}?id=${widgetId}`);
  const addresses = page?.querySelector("[data-on-demand]");
  if (!addresses) return;
  place.replaceWith(addresses);
  offerCopies(addresses);
}

/** Shows the user's own picture behind the overlay; it is not uploaded. */
function offerOwnPicture(): void {
  const label = find<HTMLElement>("[data-own-picture]");
  const chooser = find<HTMLInputElement>("[data-own-picture] [type=file]");
  const choice = find<HTMLInputElement>("[data-own-choice]");
  let address = "";
  label.hidden = false;
  chooser.addEventListener("change", () => {
    const [file] = chooser.files ?? [];
    if (!file) return;
    URL.revokeObjectURL(address);
    address = URL.createObjectURL(file);
    find<HTMLElement>("[data-screen]").style.setProperty("--own-picture", `url("${address}")`);
    choice.checked = true;
  });
}

/** Sends a test track without leaving the page, so that the preview can show it. */
function sendTestInPlace(): void {
  const outcome = find<HTMLElement>("[data-test-outcome]");
  const test = outcome.closest("form");
  test?.addEventListener("submit", async (event) => {
    event.preventDefault();
    outcome.textContent = "";
    const page = await fetchPage(test.action, { method: "POST", body: entriesOf(test) });
    const outcomeText = page && noticeOn(page);
    // Submitting the form normally shows what is wrong.
    if (outcomeText === undefined) test.submit();
    else outcome.textContent = outcomeText;
  });
}

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && ["text", "number"].includes(target.type));

document.addEventListener("input", (event) => {
  const { target } = event;
  takeColour(event);
  const isControl = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (isControl && target.form === form) update(target.name);
});
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-takes]") : null;
  if (!(link instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  void take(link);
});
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || isTextField(event.target)) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  travel(key === "y" || event.shiftKey ? history.redo() : history.undo());
});
undoButton.addEventListener("click", () => travel(history.undo()));
redoButton.addEventListener("click", () => travel(history.redo()));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void saving.save();
});
versions.addEventListener("toggle", () => void followVersions());
for (const element of document.querySelectorAll<HTMLElement>("[data-without-script]")) {
  element.hidden = true;
}
for (const element of document.querySelectorAll<HTMLElement>("[data-with-script]")) {
  element.hidden = false;
}
offerOwnPicture();
sendTestInPlace();
changeFontsInPlace(preview.setFontFaces);
// Browsers keep typed values over a reload; a notice is shown only once.
show();

const live = find<HTMLElement>("[data-live]").dataset["live"];
if (live) followDashboard(live, showPresence);
