/**
 * Runs on the page shown for an address that no longer works. It is meant for a person and must not
 * appear on a stream: in OBS, or in a window as low as an overlay, it stays blank.
 */
const TALLEST_OVERLAY_PX = 300;
const isOnStream = "obsstudio" in window || innerHeight <= TALLEST_OVERLAY_PX;
if (!isOnStream) document.documentElement.dataset["shown"] = "";
