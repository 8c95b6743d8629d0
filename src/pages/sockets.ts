import type { ServerWebSocket, WebSocketHandler } from "bun";
import type { DashboardLive } from "./dashboard/live.ts";
import type { Live } from "./overlay/live.ts";
import type { DashboardTicket, LiveTicket, SocketTicket } from "./socket-ticket.ts";

/** Sockets that are idle for 30 s are pinged. A client that does not read is disconnected. */
export const socketSettings = {
  idleTimeout: 30,
  maxPayloadLength: 1024,
  backpressureLimit: 256 * 1024,
  closeOnBackpressureLimit: true,
  perMessageDeflate: false,
} as const satisfies WebSocketHandler<SocketTicket>;

/** All sockets, of overlays and dashboards. */
export interface Sockets {
  opened(socket: ServerWebSocket<SocketTicket>): void;
  closed(socket: ServerWebSocket<SocketTicket>): void;
  /** Closes every socket with a code that makes its page reconnect later. */
  stop(): void;
  /** The number of connected overlays. */
  overlays(): number;
}

/** @param dashboardLive returns `undefined` until a dashboard has been opened */
export function createSockets(live: Live, dashboardLive: () => DashboardLive | undefined): Sockets {
  return {
    opened(socket) {
      if (isDashboards(socket)) dashboardLive()?.opened(socket);
      else if (isOverlays(socket)) live.opened(socket);
    },
    closed(socket) {
      if (isDashboards(socket)) dashboardLive()?.closed(socket);
      else if (isOverlays(socket)) live.closed(socket);
    },
    stop() {
      live.stop();
      dashboardLive()?.stop();
    },
    overlays: live.connected,
  };
}

type AnySocket = ServerWebSocket<SocketTicket>;

const isDashboards = (socket: AnySocket): socket is ServerWebSocket<DashboardTicket> =>
  socket.data.kind === "dashboard";
const isOverlays = (socket: AnySocket): socket is ServerWebSocket<LiveTicket> =>
  socket.data.kind === "overlay";
