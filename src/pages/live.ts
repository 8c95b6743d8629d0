import type { ServerWebSocket, WebSocketHandler } from "bun";
import {
  BEAT_MS,
  CLOSED_RESTARTING,
  CLOSED_TOKEN_REPLACED,
  type WidgetMessage,
} from "../../widget/state.ts";
import { parseWidgetToken, type WidgetToken } from "../accounts/credential.ts";
import type { Widgets } from "../accounts/widgets.ts";
import type { Clock } from "../clock.ts";
import type { Reading } from "../playback/channel.ts";
import type { Hub } from "../playback/hub.ts";
import { DEMO_LISTENER } from "../playback/listening.ts";
import { VERSION } from "../version.ts";
import type { Covers } from "./covers.ts";
import { plainText } from "../http/plain-text.ts";
import { toWidgetState } from "./widget-state.ts";

/** What a socket carries. */
export interface LiveTicket {
  readonly token: WidgetToken;
  /** Whose music it hears: a user, or the demo's own listener. */
  readonly listenerId: number;
}

/** What turns a request into a socket: `Bun.serve`'s server. */
export interface Upgrader {
  upgrade(request: Request, options: { data: LiveTicket }): boolean;
}

type LiveSocket = ServerWebSocket<LiveTicket>;

/** The overlays that are on screen now. */
export interface Live {
  /** Turns a request into a socket, or answers why not; `undefined` when it became one. */
  upgrade(
    request: Request,
    tokenText: string,
    server: Upgrader | undefined,
  ): Promise<Response | undefined>;
  opened(socket: LiveSocket): void;
  closed(socket: LiveSocket): void;
  /** Closes the overlays whose token no longer works. */
  dropReplacedTokens(): Promise<void>;
  /** Asks every overlay to come back later. */
  stop(): void;
  connected(): number;
}

export interface LiveDeps {
  readonly widgets: Pick<Widgets, "userOf">;
  readonly hub: Pick<Hub, "subscribe" | "glance">;
  readonly clock: Clock;
  readonly covers: Covers;
  /** Whether a page from this origin may listen. */
  isOwnOrigin(origin: string, host: string | null): boolean;
  /** The answer to a token that shows nobody. */
  notFound(path: string): Promise<Response>;
}

/** The overlays of one token that hear the same, and what ends their listening. */
interface Room extends LiveTicket {
  readonly sockets: Set<LiveSocket>;
  /** What was heard last. */
  latest: Reading | undefined;
  leave(): void;
}

const MOST_SOCKETS_PER_TOKEN = 100;

/** Half a minute of silence is pinged; a client that reads nothing is let go, not waited for. */
export const liveSocketSettings = {
  idleTimeout: 30,
  maxPayloadLength: 1024,
  backpressureLimit: 256 * 1024,
  closeOnBackpressureLimit: true,
  perMessageDeflate: false,
} as const satisfies WebSocketHandler<LiveTicket>;

export function createLive(deps: LiveDeps): Live {
  const { widgets, hub, clock, covers } = deps;
  const rooms = new Map<string, Room>();
  let stopBeats: (() => void) | undefined;

  const messageOf = (reading: Reading): string =>
    encode({
      type: "state",
      sentAtMs: clock.wallMs(),
      version: VERSION,
      state: toWidgetState(reading, clock.monotonicMs(), covers),
    });

  const broadcast = (sockets: Iterable<LiveSocket>, message: string) => {
    for (const socket of sockets) socket.send(message);
  };

  /** Tells a room what is heard, unless something newer is heard before its cover is ready. */
  const announce = async (room: Room, reading: Reading) => {
    room.latest = reading;
    const { late } = await covers.prepare(reading);
    if (room.latest !== reading) return;
    broadcast(room.sockets, messageOf(reading));
    await late;
    if (late && room.latest === reading) broadcast(room.sockets, messageOf(reading));
  };

  const openRoom = (ticket: LiveTicket): Room => {
    const room: Room = { ...ticket, sockets: new Set(), latest: undefined, leave: () => {} };
    room.leave = hub.subscribe(ticket.listenerId, (reading) => void announce(room, reading));
    rooms.set(roomOf(ticket), room);
    return room;
  };

  /** Tells a newcomer what the others in the room know already. */
  const welcome = async (socket: LiveSocket, room: Room) => {
    const reading = hub.glance(room.listenerId);
    if (!reading) return;
    const tell = () => {
      if (room.sockets.has(socket)) socket.send(messageOf(hub.glance(room.listenerId) ?? reading));
    };
    const { late } = await covers.prepare(reading);
    tell();
    await late;
    if (late) tell();
  };

  const socketsOf = (token: WidgetToken, userId: number): number =>
    [userId, DEMO_LISTENER].reduce(
      (sum, listenerId) => sum + (rooms.get(roomOf({ token, listenerId }))?.sockets.size ?? 0),
      0,
    );

  const beat = () => {
    const message = encode({ type: "beat", sentAtMs: clock.wallMs() });
    for (const { sockets } of rooms.values()) broadcast(sockets, message);
    stopBeats = clock.after(BEAT_MS, beat);
  };

  const closeAll = (room: Room, code: number) => {
    for (const socket of [...room.sockets]) socket.close(code);
  };

  return {
    async upgrade(request, tokenText, server) {
      const token = parseWidgetToken(tokenText);
      const user = token && (await widgets.userOf(token));
      if (!user) return deps.notFound(new URL(request.url).pathname);
      const origin = request.headers.get("origin");
      if (origin !== null && !deps.isOwnOrigin(origin, request.headers.get("host")))
        return plainText(403, "Not from this page");
      if (socketsOf(token, user.id) >= MOST_SOCKETS_PER_TOKEN) {
        return plainText(429, "Too many overlays with this address", { "Retry-After": "15" });
      }
      const hearsDemo = new URL(request.url).searchParams.get("demo") === "1";
      const listenerId = hearsDemo ? DEMO_LISTENER : user.id;
      if (server?.upgrade(request, { data: { token, listenerId } })) return undefined;
      return plainText(426, "This address speaks WebSocket", { Upgrade: "websocket" });
    },

    opened(socket) {
      const known = rooms.get(roomOf(socket.data));
      // A new room is told what is heard as soon as it listens.
      const room = known ?? openRoom(socket.data);
      room.sockets.add(socket);
      if (known) void welcome(socket, known);
      stopBeats ??= clock.after(BEAT_MS, beat);
    },
    closed(socket) {
      const name = roomOf(socket.data);
      const room = rooms.get(name);
      room?.sockets.delete(socket);
      if (!room || room.sockets.size > 0) return;
      room.leave();
      rooms.delete(name);
      if (rooms.size > 0) return;
      stopBeats?.();
      stopBeats = undefined;
    },

    async dropReplacedTokens() {
      for (const room of rooms.values()) {
        if (!(await widgets.userOf(room.token))) closeAll(room, CLOSED_TOKEN_REPLACED);
      }
    },
    stop() {
      for (const room of rooms.values()) closeAll(room, CLOSED_RESTARTING);
    },
    connected: () => [...rooms.values()].reduce((sum, { sockets }) => sum + sockets.size, 0),
  };
}

/** The name of the room that a ticket leads to. */
const roomOf = ({ token, listenerId }: LiveTicket): string => `${listenerId} ${token}`;

function encode(message: WidgetMessage): string {
  return JSON.stringify(message);
}
