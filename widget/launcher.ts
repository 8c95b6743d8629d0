/**
 * Runs in the file that streamers keep on their own disk: OBS may start before the server, and a
 * page that failed to load stays blank for ever (obs-browser#71). The file waits, then goes on.
 */
const { npAddress = "", npProbe = "" } = document.documentElement.dataset;
const LOOK_EVERY_MS = 2_000;

async function waitForServer(): Promise<void> {
  try {
    // The answer may not be read from a file's page; that there is one suffices.
    await fetch(npProbe, { mode: "no-cors", cache: "no-store" });
    location.replace(npAddress);
  } catch {
    setTimeout(waitForServer, LOOK_EVERY_MS);
  }
}

void waitForServer();
