import { offerCopies } from "../../html/browser/copy-buttons.ts";
import { withWidgetToken } from "../own-addresses.ts";
import { search, type SearchEntry } from "./search.ts";

/** Copy buttons beside examples, and a search that works without any other server. */

/** Characters of a stream that stay visible. */
const MOST_SHOWN = 20_000;

const docs = document.querySelector<HTMLElement>(".docs");
const {
  copy = "",
  copied = "",
  search: index = "",
  noResults = "",
  widgetToken,
} = docs?.dataset ?? {};

// The list of pages is folded only where there is no room beside the page.
const menu = document.querySelector<HTMLDetailsElement>(".docs .menu");
const isRoomy = matchMedia("(min-width: 50rem)");
const fold = () => {
  if (menu) menu.open = isRoomy.matches;
};
isRoomy.addEventListener("change", fold);
fold();

// The list is long: scroll it to the current page.
const chosen = menu?.querySelector<HTMLElement>("[aria-current]");
const aside = menu?.closest("aside");
if (chosen && aside) aside.scrollTop = chosen.offsetTop - aside.clientHeight / 2;

for (const example of document.querySelectorAll(".example")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = copy;
  button.dataset["copied"] = copied;
  button.dataset["copy"] = "";
  // Some examples are answers, which come later.
  button.addEventListener("click", () => {
    const text = example.querySelector("code")?.textContent ?? "";
    button.dataset["copy"] = widgetToken ? withWidgetToken(text, widgetToken) : text;
  });
  example.append(button);
}
offerCopies(document);

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-try]")) {
  form.hidden = false;
  let stopStream: (() => void) | undefined;
  /** A second click before the answer would open a stream that nothing stops. */
  let isCalling = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (stopStream) return stopStream();
    if (isCalling) return;
    isCalling = true;
    await call(form, (stop) => (stopStream = stop));
    isCalling = false;
  });
}

let isMakingKey = false;
for (const button of document.querySelectorAll<HTMLButtonElement>("[data-make-key]")) {
  button.addEventListener("click", async () => {
    if (isMakingKey) return;
    isMakingKey = true;
    const { makeKey = "", token = "", name = "" } = button.dataset;
    const body = new URLSearchParams({ token, do: "key add", name });
    const answer = await fetch(makeKey, {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
    })
      .then((response) => response.json().catch(() => ({})))
      .catch(() => ({ error: button.form?.dataset["unreachable"] }));
    isMakingKey = false;
    const { api_key: key, error } = answer;
    if (error) button.textContent = error;
    if (!key) return;
    // Fill the same key into every form of the page.
    for (const field of document.querySelectorAll<HTMLInputElement>("form[data-try] input")) {
      field.value = key;
    }
    for (const other of document.querySelectorAll<HTMLButtonElement>("[data-make-key]")) {
      other.hidden = true;
    }
  });
}

/**
 * Shows the answer to a form's call: its status and its body, or what streams in.
 * @param onStream gets what ends a stream while there is one, then `undefined`
 */
async function call(
  form: HTMLFormElement,
  onStream: (stop: (() => void) | undefined) => void,
): Promise<void> {
  const { try: address = "", stop = "", unreachable = "" } = form.dataset;
  const key = form.querySelector("input")?.value.trim() ?? "";
  const answer = form.querySelector<HTMLElement>("[data-answer]");
  const code = answer?.querySelector("code");
  const send = form.querySelector("button[type=submit]");
  if (!answer || !code || !send) return;
  const sendLabel = send.textContent;
  const stopping = new AbortController();
  const { signal } = stopping;
  const show = (text: string) => {
    answer.hidden = false;
    code.textContent = text;
  };
  try {
    const response = await fetch(address, { headers: { "X-Api-Key": key }, signal });
    const { status, statusText, headers, body } = response;
    const head = `${status} ${statusText}\n\n`;
    if (headers.get("Content-Type") !== "text/event-stream" || !body) {
      show(head + prettyJson(await response.text()));
      return;
    }
    send.textContent = stop;
    onStream(() => stopping.abort());
    let shown = head;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      // The newest at the end; the page does not grow for ever.
      shown = (shown + part.value).slice(-MOST_SHOWN);
      show(shown);
    }
  } catch {
    if (!signal.aborted) show(unreachable);
  } finally {
    if (send.textContent === stop) send.textContent = sendLabel;
    onStream(undefined);
  }
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const box = document.querySelector<HTMLElement>(".search");
const field = document.querySelector<HTMLInputElement>("#search");
const results = document.querySelector<HTMLElement>("#results");
let entries: Promise<SearchEntry[]> | undefined;

async function find(): Promise<void> {
  if (!field || !results) return;
  entries ??= fetch(index).then((response) => response.json());
  const all = await entries.catch(() => undefined);
  // Without the index nothing can be found; the next input fetches it again.
  if (!all) {
    entries = undefined;
    return;
  }
  const found = search(all, field.value);
  results.replaceChildren(
    ...found.map((entry) => {
      const link = document.createElement("a");
      link.href = entry.address;
      link.textContent = entry.heading || entry.page;
      const place = document.createElement("small");
      place.textContent = entry.page;
      const sentence = document.createElement("p");
      sentence.append(
        ...entry.sentence.map(({ text, isFound }) => {
          if (!isFound) return text;
          const mark = document.createElement("mark");
          mark.textContent = text;
          return mark;
        }),
      );
      const item = document.createElement("li");
      item.append(link, place, sentence);
      return item;
    }),
  );
  if (field.value.trim() === "" || found.length > 0) return;
  const nothing = document.createElement("li");
  nothing.textContent = noResults;
  results.append(nothing);
}

if (box && field) {
  box.hidden = false;
  field.addEventListener("input", () => void find());
  // Enter opens the first result, as people know it from other searches.
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") results?.querySelector("a")?.click();
  });
}
