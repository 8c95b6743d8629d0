import type { ServerWebSocket } from "bun";
import type { Language } from "../languages.ts";
import { describeError, type Log } from "../log.ts";
import { nextTurn } from "../next-turn.ts";
import { createAudience, type Room } from "../channels/audience.ts";
import type { Clock } from "../clock.ts";
import type { Hub } from "../channels/hub.ts";
import type { SignedIn } from "../http/session-cookie.ts";
import { SERVICE_RESTART } from "../http/socket.ts";
import type { DashboardTicket } from "./ticket.ts";
import type { Present } from "./state.ts";

type DashboardSocket = ServerWebSocket<DashboardTicket>;

/** The dashboards that are open now. */
export type DashboardLive = ReturnType<typeof createDashboardLive>;

export interface DashboardLiveDeps {
  readonly hub: Pick<Hub, "subscribe" | "readingsOf">;
  readonly present: Present;
  readonly log: Log;
  readonly clock: Pick<Clock, "after">;
}

/** More tabs than any user needs. */
const MOST_SOCKETS_PER_SESSION = 20;
/** More than anybody opens in five browsers. A user may be signed in with any number of them. */
const MOST_SOCKETS_PER_USER = 100;
/** The page's session has ended: it should not reconnect. */
const CLOSED_SIGNED_OUT = 4001;
/** The page was opened by another address than the base URL: it should say so, and not reconnect. */
const CLOSED_ELSEWHERE = 4003;

/** Why a room is drawn: only `played` is also sent if nothing but the position has changed. */
type Draw = "changed" | "played";

/** The dashboards of one user in one language, which all show the same. */
interface DashboardRoom extends Room<DashboardSocket> {
  readonly user: DashboardTicket["user"];
  readonly language: Language;
  /** Those that nothing was sent to yet. */
  readonly newcomers: Set<DashboardSocket>;
  /** What was sent to the room last, without the position. */
  lastSent: string;
  isDrawing: boolean;
  /** What happened while it was drawn: then it is drawn once more. */
  again: Draw | undefined;
}

const keyOf = ({ user, language }: Pick<DashboardRoom, "user" | "language">): string =>
  `${user.id} ${language}`;

export function createDashboardLive(deps: DashboardLiveDeps) {
  const { hub, present, log } = deps;
  // A room that is being drawn stays, so that who opens and closes dashboards draws no others.
  const audience = createAudience<DashboardSocket, DashboardRoom>(
    deps.clock,
    undefined,
    ({ isDrawing }) => isDrawing,
  );

  /** Sends the state to newcomers, and to all if it changed; a position that advances is no change. */
  const sendNow = async (room: DashboardRoom, why: Draw) => {
    const welcomed = [...room.newcomers];
    const state = await present(room.user, room.language);
    const { track } = state;
    const unchanging = JSON.stringify({ ...state, track: track && { ...track, positionMs: 0 } });
    const message = JSON.stringify(state);
    const isForAll = why === "played" || unchanging !== room.lastSent;
    room.lastSent = unchanging;
    for (const socket of isForAll ? room.members : welcomed) {
      if (room.members.has(socket)) socket.send(message);
      room.newcomers.delete(socket);
    }
  };

  /**
   * One state is made at a time: however much happens meanwhile, it is made once more. Nothing
   * awaits this, so a failure is logged and must not end the server.
   */
  const draw = async (room: DashboardRoom, why: Draw) => {
    if (room.again !== "played") room.again = why;
    if (room.isDrawing) return;
    room.isDrawing = true;
    while (room.again && room.members.size > 0) {
      // A report changes a connection and what plays: both are drawn at once.
      await nextTurn();
      const next = room.again;
      room.again = undefined;
      try {
        await sendNow(room, next);
      } catch (error) {
        if (room.members.size === 0) break;
        log.error("a dashboard could not be sent what changed", { reason: describeError(error) });
      }
    }
    room.isDrawing = false;
    audience.endIfEmpty(keyOf(room));
  };

  const openRoom = ({ user, language }: DashboardTicket, first: DashboardSocket): DashboardRoom => {
    const room: DashboardRoom = {
      user,
      language,
      members: new Set([first]),
      newcomers: new Set([first]),
      lastSent: "",
      isDrawing: false,
      again: undefined,
      leave: () => {},
    };
    // What is known already comes at once, and is drawn.
    room.leave = hub.subscribe(user.id, () => void draw(room, "played"), "all");
    return room;
  };

  return {
    /** Whether a session, or its user, has reached the limit of open dashboards. */
    isFull({ session, user }: SignedIn) {
      const tickets = audience.members().map(({ data }) => data);
      const ofUser = tickets.filter((ticket) => ticket.user.id === user.id);
      const ofSession = ofUser.filter(({ sessionId }) => sessionId === session.id);
      return ofSession.length >= MOST_SOCKETS_PER_SESSION || ofUser.length >= MOST_SOCKETS_PER_USER;
    },
    opened(socket: DashboardSocket) {
      if (socket.data.isElsewhere) return socket.close(CLOSED_ELSEWHERE);
      const key = keyOf(socket.data);
      const isKnown = audience.rooms.has(key);
      const room = audience.join(key, socket, () => openRoom(socket.data, socket));
      room.newcomers.add(socket);
      if (isKnown || !room.isDrawing) void draw(room, "changed");
    },
    closed(socket: DashboardSocket) {
      audience.rooms.get(keyOf(socket.data))?.newcomers.delete(socket);
      audience.leave(keyOf(socket.data), socket);
    },
    /** Closes the sockets of ended sessions, of one user or of all. */
    dropEndedSessions(isOpen: (sessionId: string) => boolean, userId: number | undefined) {
      for (const socket of audience.members()) {
        if (userId !== undefined && socket.data.user.id !== userId) continue;
        if (!isOpen(socket.data.sessionId)) socket.close(CLOSED_SIGNED_OUT);
      }
    },
    /** Sends the new state to the dashboards, of one user or of all, if it has changed. */
    redraw(userId: number | undefined) {
      for (const room of audience.rooms.values()) {
        if (userId === undefined || room.user.id === userId) void draw(room, "changed");
      }
    },
    /** The same for the user whose connection this is. */
    redrawConnection(connectionId: number) {
      for (const room of audience.rooms.values()) {
        // An open dashboard has the channel run, so that all its connections are known.
        const readings = hub.readingsOf(room.user.id);
        if (readings.some((one) => one.connectionId === connectionId)) void draw(room, "changed");
      }
    },
    stop() {
      for (const socket of audience.members()) socket.close(SERVICE_RESTART);
    },
  };
}
