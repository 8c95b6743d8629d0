/**
 * Runs on the page behind an address that no longer works. A person reads it; a stream must not
 * show it: inside OBS, and in anything of an overlay's height, it stays blank.
 */
const TALLEST_OVERLAY_PX = 300;
const isOnStream = "obsstudio" in window || innerHeight <= TALLEST_OVERLAY_PX;
if (!isOnStream) document.documentElement.dataset["shown"] = "";
