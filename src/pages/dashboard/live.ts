import type { ServerWebSocket } from "bun";
import type { Language } from "../../languages.ts";
import { describeError, type Log } from "../../log.ts";
import type { Hub } from "../../channels/hub.ts";
import type { SignedIn } from "../../http/session-cookie.ts";
import type { DashboardTicket } from "../socket-ticket.ts";
import type { Presenter } from "./state.ts";

type DashboardSocket = ServerWebSocket<DashboardTicket>;

/** The dashboards that are open now. */
export interface DashboardLive {
  /** Whether a session has reached its limit of open dashboards. */
  isFull(sessionId: string): boolean;
  ticketFor(signedIn: SignedIn, language: Language): DashboardTicket;
  opened(socket: DashboardSocket): void;
  closed(socket: DashboardSocket): void;
  /** Closes the sockets of ended sessions, of one user or of all. */
  dropEndedSessions(
    isOpen: (sessionId: string) => Promise<boolean>,
    userId: number | undefined,
  ): Promise<void>;
  /** Sends the new state to the dashboards, of one user or of all, if it has changed. */
  redraw(userId: number | undefined): void;
  /** The same for the user whose connection this is. */
  redrawConnection(connectionId: number): void;
  stop(): void;
}

export interface DashboardLiveDeps {
  readonly hub: Pick<Hub, "subscribe" | "heardOf">;
  readonly presenter: Presenter;
  readonly log: Log;
}

/** More tabs than any user needs. */
const MOST_SOCKETS_PER_SESSION = 20;
/** The page's session has ended: it should not reconnect. */
const CLOSED_SIGNED_OUT = 4001;
const CLOSED_RESTARTING = 1012;

/** The dashboards of one user in one language, which all show the same. */
interface Room {
  readonly user: DashboardTicket["user"];
  readonly language: Language;
  readonly sockets: Set<DashboardSocket>;
  /** What was sent to the room last, without the position. */
  told: string;
  leave(): void;
}

const roomOf = ({ user, language }: Pick<Room, "user" | "language">): string =>
  `${user.id} ${language}`;

export function createDashboardLive(deps: DashboardLiveDeps): DashboardLive {
  const { hub, presenter, log } = deps;
  const rooms = new Map<string, Room>();

  const allSockets = () => [...rooms.values()].flatMap(({ sockets }) => [...sockets]);

  /** Sends the state to a room if it changed; a playback position that advances is no change. */
  const tellNow = async (room: Room, always: boolean) => {
    const state = await presenter.present(room.user, room.language);
    const { track } = state;
    const telling = JSON.stringify({ ...state, track: track && { ...track, positionMs: 0 } });
    if (!always && telling === room.told) return;
    room.told = telling;
    const message = JSON.stringify(state);
    for (const socket of room.sockets) socket.send(message);
  };

  const welcomeNow = async (socket: DashboardSocket, room: Room) => {
    const state = await presenter.present(room.user, room.language);
    if (room.sockets.has(socket)) socket.send(JSON.stringify(state));
  };

  /** Nothing awaits this promise, so a failure is logged and must not end the server. */
  const unlessItFails = (told: Promise<void>, room: Room) => {
    told.catch((error: unknown) => {
      if (room.sockets.size === 0) return;
      log.error("a dashboard could not be told what changed", { reason: describeError(error) });
    });
  };
  const tell = (room: Room, always = false) => unlessItFails(tellNow(room, always), room);

  const openRoom = ({ user, language }: DashboardTicket): Room => {
    const room: Room = { user, language, sockets: new Set(), told: "", leave: () => {} };
    rooms.set(roomOf(room), room);
    room.leave = hub.subscribe(user.id, () => tell(room, true), "heard");
    return room;
  };

  return {
    isFull: (sessionId) =>
      allSockets().filter(({ data }) => data.sessionId === sessionId).length >=
      MOST_SOCKETS_PER_SESSION,
    ticketFor: ({ user, session }, language) => ({
      kind: "dashboard",
      user,
      sessionId: session.id,
      language,
    }),
    opened(socket) {
      const known = rooms.get(roomOf(socket.data));
      const room = known ?? openRoom(socket.data);
      room.sockets.add(socket);
      if (known) unlessItFails(welcomeNow(socket, room), room);
      else tell(room);
    },
    closed(socket) {
      const room = rooms.get(roomOf(socket.data));
      room?.sockets.delete(socket);
      if (!room || room.sockets.size > 0) return;
      room.leave();
      rooms.delete(roomOf(room));
    },
    async dropEndedSessions(isOpen, userId) {
      for (const socket of allSockets()) {
        if (userId !== undefined && socket.data.user.id !== userId) continue;
        if (!(await isOpen(socket.data.sessionId))) socket.close(CLOSED_SIGNED_OUT);
      }
    },
    redraw(userId) {
      for (const room of rooms.values()) {
        if (userId === undefined || room.user.id === userId) tell(room);
      }
    },
    redrawConnection(connectionId) {
      for (const room of rooms.values()) {
        // An open dashboard has the channel run, so that all its connections are known.
        const heard = hub.heardOf(room.user.id);
        if (heard.some((one) => one.connectionId === connectionId)) tell(room);
      }
    },
    stop() {
      for (const socket of allSockets()) socket.close(CLOSED_RESTARTING);
    },
  };
}
