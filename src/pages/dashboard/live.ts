import type { ServerWebSocket } from "bun";
import type { Clock } from "../../clock.ts";
import type { Language } from "../../i18n/index.ts";
import { describeError, type Log } from "../../log.ts";
import type { Hub } from "../../playback/hub.ts";
import type { Guest } from "../sign-in/session-door.ts";
import type { DashboardTicket } from "../socket-ticket.ts";
import type { Presenter } from "./state.ts";

type DashboardSocket = ServerWebSocket<DashboardTicket>;

/** The dashboards that are open now. */
export interface DashboardLive {
  ticketFor(guest: Guest, language: Language): DashboardTicket;
  opened(socket: DashboardSocket): void;
  closed(socket: DashboardSocket): void;
  /** Closes what belongs to sessions that have ended. */
  dropEndedSessions(isOpen: (sessionId: string) => Promise<boolean>): Promise<void>;
  stop(): void;
}

export interface DashboardLiveDeps {
  readonly hub: Pick<Hub, "subscribe">;
  readonly presenter: Presenter;
  readonly clock: Clock;
  readonly log: Log;
}

/** Health and overlays change without a word from the hub. */
const LOOK_EVERY_MS = 2_000;
/** The page's session has ended: it is not worth coming back. */
const CLOSED_SIGNED_OUT = 4001;
const CLOSED_RESTARTING = 1012;

export function createDashboardLive(deps: DashboardLiveDeps): DashboardLive {
  const { hub, presenter, clock, log } = deps;
  const sockets = new Map<DashboardSocket, { leave: () => void; told: string }>();
  let stopLooking: (() => void) | undefined;

  /** Tells a page what has changed; a position that only went on is no change. */
  const tellNow = async (socket: DashboardSocket, always: boolean) => {
    const { user, language } = socket.data;
    const state = await presenter.present(user, language);
    const seat = sockets.get(socket);
    if (!seat) return;
    const { track } = state;
    const telling = JSON.stringify({ ...state, track: track && { ...track, positionMs: 0 } });
    if (!always && telling === seat.told) return;
    seat.told = telling;
    socket.send(JSON.stringify(state));
  };

  /** Nobody waits for it, so a failure must not end the server; the next look may do better. */
  const tell = (socket: DashboardSocket, always = false) => {
    tellNow(socket, always).catch((error: unknown) => {
      if (!sockets.has(socket)) return;
      log.error("a dashboard could not be told what changed", { reason: describeError(error) });
    });
  };

  const lookAgain = () => {
    for (const socket of sockets.keys()) tell(socket);
    stopLooking = sockets.size > 0 ? clock.after(LOOK_EVERY_MS, lookAgain) : undefined;
  };

  return {
    ticketFor: ({ user, session }, language) => ({
      kind: "dashboard",
      user,
      sessionId: session.id,
      language,
    }),
    opened(socket) {
      const seat = { leave: () => {}, told: "" };
      sockets.set(socket, seat);
      seat.leave = hub.subscribe(socket.data.user.id, () => tell(socket, true));
      tell(socket);
      stopLooking ??= clock.after(LOOK_EVERY_MS, lookAgain);
    },
    closed(socket) {
      sockets.get(socket)?.leave();
      sockets.delete(socket);
    },
    async dropEndedSessions(isOpen) {
      for (const socket of [...sockets.keys()]) {
        if (!(await isOpen(socket.data.sessionId))) socket.close(CLOSED_SIGNED_OUT);
      }
    },
    stop() {
      stopLooking?.();
      for (const socket of [...sockets.keys()]) socket.close(CLOSED_RESTARTING);
    },
  };
}
