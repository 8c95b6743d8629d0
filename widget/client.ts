import { createCard } from "./card.ts";
import { createDelay } from "./delay.ts";
import { connect } from "./live.ts";
import type { WidgetSetup } from "./page.tsx";

/** Keeps the page drawn by the server up to date. */
const root = document.documentElement;
const setup = JSON.parse(root.dataset["npSetup"] ?? "{}") as WidgetSetup;
for (const warning of setup.warnings) console.warn(warning);

const card = createCard(root, setup);
let isOutdated = false;
const reloadUnseen = () => {
  if (isOutdated && card.isUnseen() && !delay.waits()) location.reload();
};

const delay = createDelay(setup.options.delay, {
  onState(state, lateMs) {
    card.show(state, lateMs);
    reloadUnseen();
  },
  onLost: card.goOffline,
});

const live = connect(liveAddress(), {
  onState(state, version) {
    isOutdated ||= version !== setup.version;
    delay.hears(state);
  },
  onLost: delay.loses,
  onTokenReplaced() {
    delay.stop();
    card.goDark();
  },
});

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

/** The socket's address is relative to the page's path, so that any proxy prefix is kept. */
function liveAddress(): string {
  const address = new URL(location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.pathname = `${address.pathname.replace(/\/$/, "")}/live`;
  address.search = setup.options.demo ? "?demo=1" : "";
  address.hash = "";
  return address.href;
}
