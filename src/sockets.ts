import type { ServerWebSocket, WebSocketHandler } from "bun";
import type { DashboardLive } from "./dashboard/live.ts";
import type { ApiStreams } from "./api/api.ts";
import type { EventsTicket } from "./api/events.ts";
import type { Clock } from "./clock.ts";
import type { Live } from "./overlay/live.ts";
import type { PushTicket, WebNowPlayingSockets } from "./ingest/webnowplaying-sockets.ts";
import type { DashboardTicket } from "./dashboard/ticket.ts";
import type { SocketTicket } from "./http/upgrader.ts";
import type { LiveTicket } from "./overlay/ticket.ts";

/** Sockets that are idle for 30 s are pinged. A client that does not read is disconnected. */
export const socketSettings = {
  idleTimeout: 30,
  // A cover that a program pushes, and its player. Others send next to nothing, see `received`.
  maxPayloadLength: 2 * 1024 * 1024 + 4,
  backpressureLimit: 256 * 1024,
  closeOnBackpressureLimit: true,
  perMessageDeflate: false,
} as const satisfies WebSocketHandler<SocketTicket>;

/** What overlays, dashboards and API clients may send; only two words of overlays are read. */
const LARGEST_UNREAD_BYTES = 1024;
/** How many frames each of their sockets may send in a second; our pages send one now and then. */
const MOST_UNREAD_A_SECOND = 20;
/** https://www.iana.org/assignments/websocket */
const POLICY_VIOLATION = 1008;
const MESSAGE_TOO_BIG = 1009;

/** All sockets, of overlays, dashboards, programs that push and API clients. */
export interface Sockets {
  opened(socket: ServerWebSocket<SocketTicket>): void;
  received(socket: ServerWebSocket<SocketTicket>, message: string | Uint8Array): void;
  closed(socket: ServerWebSocket<SocketTicket>): void;
  /** Closes every socket, and the API's streams, so that their clients reconnect later. */
  stop(): void;
  /** The number of connected overlays. */
  overlays(): number;
}

/** @param dashboardLive returns `undefined` until a dashboard has been opened */
export function createSockets(
  live: Live,
  dashboardLive: () => DashboardLive | undefined,
  pushing: WebNowPlayingSockets,
  streams: ApiStreams,
  clock: Pick<Clock, "monotonicMs">,
): Sockets {
  const seconds = new WeakMap<AnySocket, { readonly startedAtMs: number; frames: number }>();

  const isFlood = (socket: AnySocket): boolean => {
    const nowMs = clock.monotonicMs();
    let second = seconds.get(socket);
    if (!second || nowMs - second.startedAtMs >= 1_000) {
      second = { startedAtMs: nowMs, frames: 0 };
      seconds.set(socket, second);
    }
    second.frames += 1;
    return second.frames > MOST_UNREAD_A_SECOND;
  };

  return {
    received(socket, message) {
      if (isPushing(socket)) pushing.received(socket, message);
      else if (message.length > LARGEST_UNREAD_BYTES) socket.close(MESSAGE_TOO_BIG);
      else if (isFlood(socket)) socket.close(POLICY_VIOLATION, "Too many messages");
      else if (isOverlays(socket)) live.received(socket, message);
    },
    opened(socket) {
      if (isPushing(socket)) pushing.opened(socket);
      else if (isDashboards(socket)) dashboardLive()?.opened(socket);
      else if (isOverlays(socket)) live.opened(socket);
      else if (isStream(socket)) streams.opened(socket);
    },
    closed(socket) {
      if (isPushing(socket)) pushing.closed(socket);
      else if (isDashboards(socket)) dashboardLive()?.closed(socket);
      else if (isOverlays(socket)) live.closed(socket);
      else if (isStream(socket)) streams.closed(socket);
    },
    stop() {
      pushing.stop();
      streams.stop();
      live.stop();
      dashboardLive()?.stop();
    },
    overlays: live.connected,
  };
}

type AnySocket = ServerWebSocket<SocketTicket>;

const isPushing = (socket: AnySocket): socket is ServerWebSocket<PushTicket> =>
  socket.data.kind === "push";
const isDashboards = (socket: AnySocket): socket is ServerWebSocket<DashboardTicket> =>
  socket.data.kind === "dashboard";
const isOverlays = (socket: AnySocket): socket is ServerWebSocket<LiveTicket> =>
  socket.data.kind === "overlay";
const isStream = (socket: AnySocket): socket is ServerWebSocket<EventsTicket> =>
  socket.data.kind === "events";
