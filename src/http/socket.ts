import type { ServerWebSocket } from "bun";
import type { Clock } from "../clock.ts";
import { describeError, type Log } from "../log.ts";

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

/** The data of every socket: what happens on it. */
export interface SocketData {
  open(socket: ServerWebSocket<unknown>): void;
  message(socket: ServerWebSocket<unknown>, message: string | Uint8Array): void;
  close(socket: ServerWebSocket<unknown>): void;
}

/** https://www.iana.org/assignments/websocket */
export const POLICY_VIOLATION = 1008;
const MESSAGE_TOO_BIG = 1009;
const INTERNAL_ERROR = 1011;
export const SERVICE_RESTART = 1012;

type AnySocket = ServerWebSocket<SocketData>;

/** Has sockets do what their data say. A failure is logged, and ends its socket only. */
export function createSocketEvents(log: Pick<Log, "error">) {
  const attempt = (socket: AnySocket, work: () => void) => {
    try {
      work();
    } catch (error) {
      log.error("a socket failed", { reason: describeError(error) });
      socket.close(INTERNAL_ERROR);
    }
  };
  return {
    open: (socket: AnySocket) => attempt(socket, () => socket.data.open(socket)),
    message: (socket: AnySocket, message: string | Uint8Array) =>
      attempt(socket, () => socket.data.message(socket, message)),
    close: (socket: AnySocket) => attempt(socket, () => socket.data.close(socket)),
  };
}

const upgraded = new WeakSet<Request>();

/** Whether a request got a socket, so that its handler returns no `Response`. */
export const isUpgraded = (request: Request): boolean => upgraded.has(request);

/** Opens sockets on which the handlers' events happen; `undefined` where there is no server. */
export function upgraderFor<Ticket extends object>(
  { opened, received, closed }: SocketHandlers<Ticket>,
  server: SocketServer | null | undefined,
): Upgrader<Ticket> | undefined {
  if (!server) return undefined;
  // A socket's own data tell which handlers are its own.
  const events: SocketData = {
    open: opened,
    message: received ?? (() => {}),
    close: closed,
  };
  return {
    upgrade(request, { data }) {
      const isDone = server.upgrade(request, { data: { ...data, ...events } });
      if (isDone) upgraded.add(request);
      return isDone;
    },
  };
}

/** What overlays, dashboards and API clients may send; only two words of overlays are read. */
const LARGEST_BYTES = 1024;
/** Our pages send a message now and then. */
const MOST_A_SECOND = 20;

/** Handlers that get messages within these limits: a socket that sends more is closed. */
export function withMessageLimit<Ticket>(
  { opened, received, closed }: SocketHandlers<Ticket>,
  clock: Pick<Clock, "monotonicMs">,
): SocketHandlers<Ticket> {
  const seconds = new WeakMap<object, { readonly startedAtMs: number; messages: number }>();
  return {
    opened,
    received(socket, message) {
      if (message.length > LARGEST_BYTES) return socket.close(MESSAGE_TOO_BIG);
      const nowMs = clock.monotonicMs();
      let second = seconds.get(socket);
      if (!second || nowMs - second.startedAtMs >= 1_000) {
        second = { startedAtMs: nowMs, messages: 0 };
        seconds.set(socket, second);
      }
      second.messages += 1;
      if (second.messages > MOST_A_SECOND) {
        return socket.close(POLICY_VIOLATION, "Too many messages");
      }
      received?.(socket, message);
    },
    closed,
  };
}
