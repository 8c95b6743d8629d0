import {
  launcherAddress,
  overlayAddress,
  pageQuery,
  previewAddress,
  readEditorQuery,
  sourceSize,
  type EditorQuery,
  withQuery,
} from "../dashboard/editor-query.ts";
import { languageOr } from "../../languages.ts";
import { followDashboard, showPresence } from "./dashboard-socket.ts";

/** Shows every change at once: in the preview, the page's address and the addresses to copy. */
const RELOAD_AFTER_MS = 250;

/** The first element that a selector finds; the page always contains it. */
function find<Kind extends Element>(selector: string): Kind {
  const found = document.querySelector<Kind>(selector);
  if (!found) throw new Error(`the page lacks ${selector}`);
  return found;
}

const form = find<HTMLFormElement>("#widget-options");
const screen = find<HTMLElement>("[data-screen]");
const frame = find<HTMLIFrameElement>("[data-preview]");
const { baseUrl = "", basePath = "", token = "", language } = form.dataset;
const pageLanguage = languageOr(language, "en");

let previewed = frame.getAttribute("src") ?? "";
let reloading: ReturnType<typeof setTimeout> | undefined;

/** The fields that a form would send, without files. */
function entriesOf(of: HTMLFormElement): URLSearchParams {
  const entries = new URLSearchParams();
  for (const [name, value] of new FormData(of)) entries.append(name, String(value));
  return entries;
}

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
}

function showMistakes({ invalid }: EditorQuery): void {
  for (const control of document.querySelectorAll<HTMLElement>("[data-control]")) {
    const mistake = control.querySelector<HTMLElement>(".mistake");
    const input = control.querySelector("input:not([type=hidden])");
    // The browser sends an invalid number as empty text.
    const unreadable = control.querySelector("input:invalid") !== null;
    const isWrong = unreadable || invalid.has(control.dataset["control"] ?? "");
    if (!mistake || !input || mistake.hidden === !isWrong) continue;
    mistake.hidden = !isWrong;
    if (isWrong) {
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", mistake.id);
    } else {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    }
  }
}

function showPreview(editorQuery: EditorQuery): void {
  const { width, height } = sourceSize(editorQuery.options);
  screen.style.setProperty("--source-width", String(width));
  screen.style.setProperty("--source-height", String(height));
  follow("width", String(width));
  follow("height", String(height));
  frame.dataset["mode"] = editorQuery.options.mode;
  const address = previewAddress(basePath, editorQuery, token);
  if (address === previewed) return;
  previewed = address;
  // Replaces the history entry, so that "back" leads to the page before this one.
  frame.contentWindow?.location.replace(address);
}

function update(): void {
  const editorQuery = readEditorQuery(entriesOf(form), pageLanguage);
  const id = new URLSearchParams(location.search).get("id") ?? "1";
  const query = new URLSearchParams({ id });
  for (const [name, value] of pageQuery(editorQuery, pageLanguage)) query.set(name, value);
  history.replaceState(null, "", withQuery(location.pathname, query));
  follow("address", overlayAddress(baseUrl, editorQuery, token));
  find<HTMLAnchorElement>("[data-launcher]").href = launcherAddress(basePath, editorQuery, token);
  for (const field of document.querySelectorAll<HTMLInputElement>("[data-editor-query]")) {
    field.value = query.toString();
  }
  showMistakes(editorQuery);
  clearTimeout(reloading);
  reloading = setTimeout(() => showPreview(editorQuery), RELOAD_AFTER_MS);
}

/** A colour that the user chooses replaces the theme's colour. */
function takeColour({ target }: Event): void {
  if (!(target instanceof HTMLInputElement) || target.type !== "color") return;
  const automatic = target.parentElement?.querySelector<HTMLInputElement>("[type=checkbox]");
  if (automatic) automatic.checked = false;
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
    screen.style.setProperty("--own-picture", `url("${address}")`);
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
    try {
      const answer = await fetch(test.action, { method: "POST", body: entriesOf(test) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const told = page.querySelector(".notice p")?.textContent;
      if (told === undefined || !answer.ok) return location.reload();
      outcome.textContent = told;
    } catch {
      // Submitting the form normally shows what is wrong.
      test.submit();
    }
  });
}

document.addEventListener("input", (event) => {
  takeColour(event);
  if (event.target instanceof HTMLInputElement && event.target.form === form) update();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  update();
});
find<HTMLElement>("[data-without-script]").hidden = true;
offerOwnPicture();
sendTestInPlace();
// Browsers keep typed values over a reload; a notice is shown only once.
update();

const live = find<HTMLElement>("[data-live]").dataset["live"];
if (live) followDashboard(live, showPresence);
