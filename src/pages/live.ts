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
import type { Artwork } from "../playback/playback.ts";
import { plainText } from "../http/plain-text.ts";
import { toWidgetState } from "./widget-state.ts";

/** What a socket carries. */
export interface LiveTicket {
  readonly token: WidgetToken;
  readonly userId: number;
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
  artworkPath(artwork: Artwork): string;
  /** Whether a page from this origin may listen. */
  isOwnOrigin(origin: string): boolean;
  /** The answer to a token that shows nobody. */
  notFound(path: string): Promise<Response>;
}

/** The overlays of one token, and what ends their listening. */
interface Room {
  readonly userId: number;
  readonly sockets: Set<LiveSocket>;
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
  const { widgets, hub, clock, artworkPath } = deps;
  const rooms = new Map<WidgetToken, Room>();
  let stopBeats: (() => void) | undefined;

  const messageOf = (reading: Reading): string =>
    encode({
      type: "state",
      sentAtMs: clock.wallMs(),
      state: toWidgetState(reading, clock.monotonicMs(), artworkPath),
    });

  const broadcast = (sockets: Iterable<LiveSocket>, message: string) => {
    for (const socket of sockets) socket.send(message);
  };

  const openRoom = ({ token, userId }: LiveTicket): Room => {
    const sockets = new Set<LiveSocket>();
    const leave = hub.subscribe(userId, (reading) => broadcast(sockets, messageOf(reading)));
    const room = { userId, sockets, leave };
    rooms.set(token, room);
    return room;
  };

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
      if (origin !== null && !deps.isOwnOrigin(origin)) return plainText(403, "Not from this page");
      if ((rooms.get(token)?.sockets.size ?? 0) >= MOST_SOCKETS_PER_TOKEN) {
        return plainText(429, "Too many overlays with this address", { "Retry-After": "15" });
      }
      if (server?.upgrade(request, { data: { token, userId: user.id } })) return undefined;
      return plainText(426, "This address speaks WebSocket", { Upgrade: "websocket" });
    },

    opened(socket) {
      const { token, userId } = socket.data;
      const room = rooms.get(token) ?? openRoom(socket.data);
      room.sockets.add(socket);
      const reading = hub.glance(userId);
      if (reading) socket.send(messageOf(reading));
      stopBeats ??= clock.after(BEAT_MS, beat);
    },
    closed(socket) {
      const { token } = socket.data;
      const room = rooms.get(token);
      room?.sockets.delete(socket);
      if (!room || room.sockets.size > 0) return;
      room.leave();
      rooms.delete(token);
      if (rooms.size > 0) return;
      stopBeats?.();
      stopBeats = undefined;
    },

    async dropReplacedTokens() {
      for (const [token, room] of rooms) {
        if (!(await widgets.userOf(token))) closeAll(room, CLOSED_TOKEN_REPLACED);
      }
    },
    stop() {
      for (const room of rooms.values()) closeAll(room, CLOSED_RESTARTING);
    },
    connected: () => [...rooms.values()].reduce((sum, { sockets }) => sum + sockets.size, 0),
  };
}

function encode(message: WidgetMessage): string {
  return JSON.stringify(message);
}
