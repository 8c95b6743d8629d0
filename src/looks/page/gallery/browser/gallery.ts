import { loadSeenFrames } from "./load-seen-frames.ts";
import { styleFrames } from "./style-frames.ts";
import { followDashboard } from "../../../../dashboard/browser/dashboard-socket.ts";

/** Puts a look that came with the page's address into its form, and CSS into previews. */
const field = document.querySelector<HTMLTextAreaElement>("textarea[name=look]");

/** The server shows the look; the address that goes there has no fragment any more. */
function openLookOfAddress(): void {
  if (!field || !location.hash.startsWith("#look=")) return;
  field.value = location.href;
  history.replaceState(null, "", location.pathname + location.search);
  field.form?.requestSubmit();
}

styleFrames();
loadSeenFrames(document);
addEventListener("hashchange", openLookOfAddress);
openLookOfAddress();

/** The list shows the user's own music as soon as there is some that viewers may see. */
function showOwnMusic(): void {
  for (const frame of document.querySelectorAll<HTMLIFrameElement>("[data-own-path]")) {
    frame.src = frame.dataset["ownPath"] ?? "";
    delete frame.dataset["ownPath"];
  }
}

const live = document.querySelector<HTMLElement>(".gallery[data-live]")?.dataset["live"];
if (live !== undefined) {
  followDashboard(live, ({ track, privacy }) => {
    if (track && privacy === "") showOwnMusic();
  });
}
