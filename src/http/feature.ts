import type { ServerWebSocket } from "bun";
import type { Change } from "../db/changes.ts";
import type { GaugeName } from "../metrics.ts";
import type { SocketTicket, Upgrader } from "./upgrader.ts";

/** What a route passes to its answer. */
export interface RouteContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** At once where nothing has to be waited for. */
export type RouteAnswer = Promise<Response | undefined> | Response | undefined;

export interface Route {
  /** `GET` is for `HEAD` too. A method that has no route at a path is refused there. */
  readonly method: "GET" | "POST" | "OPTIONS" | "ALL";
  readonly path: string;
  /** `undefined` when nothing exists at this address, or when a socket's route has upgraded. */
  answer(context: RouteContext, upgrader: Upgrader | undefined): RouteAnswer;
  /** Its answer may be `undefined` because the request was upgraded. */
  readonly isSocket?: true;
  /** It checks the size of bodies itself, in the form that its clients understand. */
  readonly limitsBody?: true;
  /** It answers whatever the `Host` is, or none: its answers are the same for everybody. */
  readonly isForAnyHost?: true;
  /** It is asked so often that Bun's own router has it too, which finds it sooner and without Elysia. */
  readonly isHot?: true;
}

type RouteOptions = Pick<Route, "limitsBody">;

const routeOf =
  (method: Route["method"]) =>
  (path: string, answer: Route["answer"], options: RouteOptions = {}): Route => ({
    method,
    path,
    answer,
    ...options,
  });

export const get = routeOf("GET");
export const post = routeOf("POST");
/** For every method: the route refuses those that it does not know. */
export const all = routeOf("ALL");
export const options = routeOf("OPTIONS");
/** A route that is asked often. */
export const hot = (route: Route): Route => ({ ...route, isHot: true });
/** A route for programs that monitor the server, by whatever name they know it. */
export const forAnyHost = (route: Route): Route => ({ ...route, isForAnyHost: true });
/** A route that upgrades requests to WebSockets. */
export const socket = (path: string, answer: Route["answer"]): Route => ({
  ...get(path, answer),
  isSocket: true,
});

/** What happens on the sockets of one kind. */
export interface SocketHandlers<Ticket extends SocketTicket = SocketTicket> {
  opened(socket: ServerWebSocket<Ticket>): void;
  /** Without it, nothing that clients send is read. */
  received?(socket: ServerWebSocket<Ticket>, message: string | Uint8Array): void;
  closed(socket: ServerWebSocket<Ticket>): void;
  /** It limits size and rate of messages itself. Others get at most 1 KiB, twenty times a second. */
  readonly limitsMessages?: true;
}

/** A part of the server that declares its routes, sockets and gauges itself: a new one is a folder and an entry in a list. */
export interface Feature {
  readonly routes: readonly Route[];
  /** By the kind of their tickets. */
  readonly sockets?: Readonly<Record<string, SocketHandlers>>;
  readonly gauges?: Readonly<Partial<Record<GaugeName, () => number>>>;
  /** Begins what it does by itself, once the server listens. */
  start?(): Promise<void>;
  /** Follows a change of stored data. */
  follow?(change: Change): Promise<void> | void;
  /** Closes its sockets so that clients connect again later, and ends what it has started. */
  stop?(): Promise<void> | void;
}

/** The handlers of the sockets of one kind, for a feature's list. */
export const socketsOf = <Ticket extends SocketTicket>(
  kind: Ticket["kind"],
  handlers: SocketHandlers<Ticket>,
): Readonly<Record<string, SocketHandlers>> => ({
  // The app gives a socket only to the handlers of its own kind.
  [kind]: handlers as unknown as SocketHandlers,
});

/**
 * Makes something when it is first used, so that a server that does not use it saves the memory. If
 * that fails, it is tried again at the next use.
 */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
