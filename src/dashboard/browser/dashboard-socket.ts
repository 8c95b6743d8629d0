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
  let hasFollowed = false;
  const say = (shown: "away" | "unfollowed" | undefined) => {
    for (const name of ["away", "unfollowed"]) {
      const notice = document.querySelector<HTMLElement>(`[data-${name}]`);
      if (notice) notice.hidden = name !== shown;
    }
  };
  /** Some proxies pass on every page, and no socket. */
  const explain = async () => {
    const isBlocked = !hasFollowed && (await isAnswering(path));
    if (away !== undefined) say(isBlocked ? "unfollowed" : "away");
  };
  const connect = () => {
    const address = new URL(path, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    socket.addEventListener("message", ({ data }) => {
      retryMs = FIRST_RETRY_MS;
      clearTimeout(away);
      away = undefined;
      hasFollowed = true;
      say(undefined);
      show(JSON.parse(String(data)));
    });
    socket.addEventListener("close", ({ code }) => {
      if (code === SIGNED_OUT) return location.reload();
      if (code === OPENED_ELSEWHERE) return showElsewhere();
      away ??= setTimeout(explain, AWAY_AFTER_MS);
      setTimeout(connect, retryMs * (0.75 + Math.random() / 2));
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    });
  };
  connect();
}

/** Whether the server answers at all: a proxy without a server has statuses of its own. */
const isAnswering = (path: string): Promise<boolean> =>
  fetch(path, { redirect: "manual" }).then(
    ({ status }) => status < 500,
    () => false,
  );

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
