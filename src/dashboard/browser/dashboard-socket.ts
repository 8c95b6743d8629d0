import type { DashboardState } from "../state.ts";

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;
const SIGNED_OUT = 4001;
const OPENED_ELSEWHERE = 4003;
/** A restart takes less. */
const AWAY_AFTER_MS = 3_000;

/**
 * Passes every state from the dashboard's socket to `show`, for as long as the page is open. Says on
 * the page when none can come, so that nobody takes an old one for a new one.
 */
export function followDashboard(path: string, show: (state: DashboardState) => void): void {
  let retryMs = FIRST_RETRY_MS;
  let away: ReturnType<typeof setTimeout> | undefined;
  const setAway = (isAway: boolean) => {
    const notice = document.querySelector<HTMLElement>("[data-away]");
    if (notice) notice.hidden = !isAway;
  };
  const connect = () => {
    const address = new URL(path, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    socket.addEventListener("message", ({ data }) => {
      retryMs = FIRST_RETRY_MS;
      clearTimeout(away);
      away = undefined;
      setAway(false);
      show(JSON.parse(String(data)));
    });
    socket.addEventListener("close", ({ code }) => {
      if (code === SIGNED_OUT) return location.reload();
      if (code === OPENED_ELSEWHERE) return showElsewhere();
      away ??= setTimeout(setAway, AWAY_AFTER_MS, true);
      setTimeout(connect, retryMs * (0.75 + Math.random() / 2));
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    });
  };
  connect();
}

/** Says that the page was opened by another address than the server's. */
function showElsewhere(): void {
  const notice = document.querySelector<HTMLElement>("[data-elsewhere]");
  const origin = notice?.querySelector("[data-origin]");
  if (!notice || !origin) return;
  origin.textContent = location.origin;
  notice.hidden = false;
}

/** Shows on the page whether OBS shows the overlay. */
export function showPresence({ overlays, presence }: DashboardState): void {
  for (const element of document.querySelectorAll("[data-live-presence]")) {
    element.className = `status ${overlays > 0 ? "good" : "idle"}`;
    if (element.textContent !== presence) element.textContent = presence;
  }
}
