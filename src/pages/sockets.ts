import type { ServerWebSocket, WebSocketHandler } from "bun";
import type { DashboardLive } from "./dashboard/live.ts";
import type { Live } from "./overlay/live.ts";
import type { DashboardTicket, LiveTicket, SocketTicket } from "./socket-ticket.ts";

/** Half a minute of silence is pinged; a client that reads nothing is let go, not waited for. */
export const socketSettings = {
  idleTimeout: 30,
  maxPayloadLength: 1024,
  backpressureLimit: 256 * 1024,
  closeOnBackpressureLimit: true,
  perMessageDeflate: false,
} as const satisfies WebSocketHandler<SocketTicket>;

/** Every socket there is, whoever it belongs to. */
export interface Sockets {
  opened(socket: ServerWebSocket<SocketTicket>): void;
  closed(socket: ServerWebSocket<SocketTicket>): void;
  /** Asks every page to come back later. */
  stop(): void;
  /** How many overlays are on screen. */
  overlays(): number;
}

/** @param dashboardLive there once a dashboard has been opened */
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
