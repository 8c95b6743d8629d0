import type { ServerWebSocket } from "bun";
import type { Clock } from "../clock.ts";
import { createMessageLimit } from "./message-limit.ts";

/** What happens on the sockets of one kind. */
export interface SocketHandlers<Ticket> {
  opened(socket: ServerWebSocket<Ticket>): void;
  /** Without it, nothing that clients send is read. */
  received?(socket: ServerWebSocket<Ticket>, message: string | Uint8Array): void;
  closed(socket: ServerWebSocket<Ticket>): void;
}

/** Opens sockets of one kind. */
export interface Upgrader<Ticket> {
  upgrade(request: Request, options: { data: Ticket }): boolean;
}

/** The part of `Bun.serve`'s server that opens sockets. */
export interface SocketServer {
  upgrade(request: Request, options: { data: object }): boolean;
}

/** The data of every socket: its one handler, which is Elysia's, calls these methods. */
export interface SocketData {
  open(socket: ServerWebSocket<unknown>): void;
  message(socket: ServerWebSocket<unknown>, message: string | Uint8Array): void;
  close(socket: ServerWebSocket<unknown>): void;
}

/** Opens sockets on which the handlers' events happen; `undefined` where there is no server. */
export function upgraderFor<Ticket extends object>(
  { opened, received, closed }: SocketHandlers<Ticket>,
  server: SocketServer | null | undefined,
): Upgrader<Ticket> | undefined {
  if (!server) return undefined;
  // A socket's own data tell which handlers are its own.
  const events = {
    open: opened,
    message: received ?? (() => {}),
    close: closed,
  } as SocketData;
  return {
    upgrade: (request, { data }) => server.upgrade(request, { data: { ...data, ...events } }),
  };
}

/** Handlers that get at most 1 KiB, twenty times a second: a socket that sends more is closed. */
export function withMessageLimit<Ticket>(
  { opened, received, closed }: SocketHandlers<Ticket>,
  clock: Pick<Clock, "monotonicMs">,
): SocketHandlers<Ticket> {
  const isWithinLimit = createMessageLimit(clock);
  return {
    opened,
    received: (socket, message) => {
      if (isWithinLimit(socket, message)) received?.(socket, message);
    },
    closed,
  };
}
