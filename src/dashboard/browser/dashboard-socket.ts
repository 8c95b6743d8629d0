import type { DashboardState } from "../state.ts";

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;
const SIGNED_OUT = 4001;

/** Passes every state from the dashboard's socket to `show`, for as long as the page is open. */
export function followDashboard(path: string, show: (state: DashboardState) => void): void {
  let retryMs = FIRST_RETRY_MS;
  const connect = () => {
    const address = new URL(path, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    socket.addEventListener("message", ({ data }) => {
      retryMs = FIRST_RETRY_MS;
      show(JSON.parse(String(data)));
    });
    socket.addEventListener("close", ({ code }) => {
      if (code === SIGNED_OUT) return location.reload();
      setTimeout(connect, retryMs * (0.75 + Math.random() / 2));
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    });
  };
  connect();
}

/** Shows on the page whether OBS shows the overlay. */
export function showPresence({ overlays, presence }: DashboardState): void {
  for (const element of document.querySelectorAll("[data-live-presence]")) {
    element.className = `status ${overlays > 0 ? "good" : "idle"}`;
    if (element.textContent !== presence) element.textContent = presence;
  }
}
