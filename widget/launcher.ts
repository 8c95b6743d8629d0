/**
 * Runs in the file that streamers keep on their own disk. OBS may start before the server, and a
 * page that failed to load stays blank (obs-browser#71). The file waits, then opens the overlay.
 */
const { npAddress = "", npProbe = "" } = document.documentElement.dataset;
const LOOK_EVERY_MS = 2_000;

async function waitForServer(): Promise<void> {
  try {
    // A page loaded from a file may not read the response; it is enough that there is one.
    await fetch(npProbe, { mode: "no-cors", cache: "no-store" });
    location.replace(npAddress);
  } catch {
    setTimeout(waitForServer, LOOK_EVERY_MS);
  }
}

void waitForServer();
