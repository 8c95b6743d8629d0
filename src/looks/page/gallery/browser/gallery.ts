import { styleFrames } from "./style-frames.ts";

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
addEventListener("hashchange", openLookOfAddress);
openLookOfAddress();
