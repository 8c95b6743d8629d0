import { createCard } from "./card.ts";
import { createDelay } from "./delay.ts";
import { connect } from "./live.ts";
import type { WidgetSetup } from "./page.tsx";
import type { LookMessage, PreviewMessage } from "./state.ts";
import { createStreaming } from "./streaming.ts";

/** Keeps the page drawn by the server up to date. */
const root = document.documentElement;
const setup = JSON.parse(root.dataset["npSetup"] ?? "{}") as WidgetSetup;
for (const warning of setup.warnings) console.warn(warning);

const card = createCard(root, setup);
let isOutdated = false;
const reloadUnseen = () => {
  if (isOutdated && card.isUnseen() && !delay.waits()) location.reload();
};

const delayBy = (seconds: number) =>
  createDelay(seconds, {
    onState(state, lateMs) {
      card.show(state, lateMs);
      reloadUnseen();
    },
    onLost: card.goOffline,
  });
let { look, options } = setup;
let isPreview = false;
let delay = delayBy(options.delay);

const live = connect(liveAddress, {
  onMessage(message) {
    if (message.type === "state") {
      isOutdated ||= message.version !== setup.version;
      delay.receive(message.state);
    } else if (message.type === "look" && !isPreview) {
      look = message.fingerprint;
      takeLook(message);
    } else if (message.type === "demand") card.showFor(message.forMs);
    else if (message.type === "streaming") streaming.ask(message.wanted);
  },
  onLost: () => delay.loses(),
  onTokenReplaced() {
    delay.stop();
    card.goDark();
  },
});

const streaming = createStreaming((message) => live.say(message));

// OBS reports a source's visibility with its own event; the page may also run in a normal browser.
const setVisible = (visible: boolean) => {
  card.setVisible(visible);
  if (visible) live.check();
  reloadUnseen();
};
document.addEventListener("visibilitychange", () => setVisible(!document.hidden));
window.addEventListener("obsSourceVisibleChanged", (event) => {
  const { detail } = event as CustomEvent<{ visible?: boolean }>;
  setVisible(detail.visible !== false);
});

// In an editor's frame the page looks like what is edited, whatever is saved.
window.addEventListener("message", ({ data, origin, source }) => {
  if (origin !== location.origin || source !== parent || data?.type !== "preview") return;
  isPreview = true;
  takeLook(data);
});

/** Shows the widget as it was changed, in place. */
function takeLook(next: LookMessage | PreviewMessage): void {
  const { words, styles, css, languageTag } = next;
  const isDelayedAnew = next.options.delay !== options.delay;
  ({ options } = next);
  root.lang = languageTag;
  document.querySelector(".np")?.setAttribute("aria-label", words.overlay);
  setStyles("option", styles);
  setStyles("widget", css);
  card.takeLook(next);
  if (!isDelayedAnew) return;
  delay.stop();
  delay = delayBy(options.delay);
  live.reconnect();
}

function setStyles(name: "option" | "widget", text: string): void {
  const element = document.querySelector(`.np-${name}-styles`);
  if (element && element.textContent !== text) element.textContent = text;
}

/** The socket's address is relative to the page's path, so that any proxy prefix is kept. */
function liveAddress(): string {
  const address = new URL(location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.pathname = `${address.pathname.replace(/\/$/, "")}/live`;
  // The server fits what is saved to what the page's address asks for.
  address.searchParams.set("drawn", look);
  address.hash = "";
  return address.href;
}
