import type { Socket, TCPSocketListener } from "bun";
import { errorCode } from "../../error-code.ts";
import type { Parts } from "../../http/parts.ts";
import type { InboxOwner } from "../../music/inboxes.ts";
import { BROADCAST, type BroadcastPlace } from "../../sources/pushed.ts";
import { createHeadReader, type Head, HeadTooLong } from "../../upstream/head.ts";
import type { Delivery } from "../delivery.ts";
import type { Guard } from "../guard.ts";
import * as answers from "./answers.ts";
import { type Broadcast, createOnAir } from "./on-air.ts";
import { type BroadcastRequest, readRequest, songIn } from "./request.ts";

interface BroadcastDeps extends Pick<Parts, "clock" | "config" | "log"> {
  readonly guard: Guard;
  readonly delivery: Delivery;
  /** Whether anybody has a connection to broadcast to, and the owner allows it. */
  mayBroadcast(): boolean;
  /** Is told the port. */
  readonly broadcasts: BroadcastPlace;
}

/** Ports that are tried, from the one in the settings on. */
const PORTS = 10;
const MOST_CONNECTIONS = 100;
/** For a request and its answer. */
const ANSWERED_WITHIN_MS = 10_000;
/** Programs send audio in forty parts a second: to read each as it comes takes twice the processor. */
const READ_EVERY_MS = 100;

/** A connection. */
interface Caller {
  readonly reader: ReturnType<typeof createHeadReader>;
  /** Until it broadcasts it has to hurry. */
  readonly cancelDeadline: () => void;
  isAsked: boolean;
  /** What it broadcasts, with which secret, and to whom. */
  broadcasting?: {
    readonly broadcast: Broadcast;
    readonly secret: string;
    readonly connectionId: number;
  };
}

type CallerSocket = Socket<Caller>;

/** The port for programs that broadcast. Bun's server refuses `SOURCE`, and a `PUT` without a length. */
export function createBroadcastListener(deps: BroadcastDeps) {
  const { clock, config, log, guard, mayBroadcast, broadcasts } = deps;
  const onAir = createOnAir(clock, deps.delivery);
  const answerTo = createAnswers(guard, onAir);
  const sockets = new Set<CallerSocket>();
  let listener: TCPSocketListener<Caller> | undefined;

  const say = (socket: CallerSocket, text: string) => {
    socket.resume();
    socket.end(text);
  };

  const goOnAir = (
    owner: InboxOwner,
    { password = "", waits, station }: BroadcastRequest,
    socket: CallerSocket,
    rest: Uint8Array,
  ) => {
    const caller = socket.data;
    const broadcast = onAir.begin(owner, station, () => socket.terminate());
    if (!broadcast) return say(socket, answers.OCCUPIED);
    caller.cancelDeadline();
    caller.broadcasting = { broadcast, secret: password, connectionId: owner.connectionId };
    socket.write(waits ? answers.GO_ON : answers.ON_AIR);
    socket.resume();
    if (rest.length > 0) listen(socket, rest);
  };

  const listen = (socket: CallerSocket, bytes: Uint8Array) => {
    const waitMs = socket.data.broadcasting?.broadcast.take(bytes) ?? 0;
    socket.pause();
    clock.after(Math.max(READ_EVERY_MS, Math.ceil(waitMs)), () => socket.resume());
  };

  const answer = (head: Head, socket: CallerSocket, rest: Uint8Array): void => {
    const request = readRequest(head);
    const answered = request ? answerTo(request, socket.remoteAddress) : answers.BAD_REQUEST;
    if (typeof answered === "string") return say(socket, answered);
    if (request) goOnAir(answered, request, socket, rest);
  };

  const handlers: Bun.SocketHandler<Caller> = {
    open(socket) {
      // Who has said nothing yet makes room.
      if (sockets.size >= MOST_CONNECTIONS) {
        const idle = [...sockets].find(({ data }) => !data.isAsked);
        (idle ?? socket).terminate();
        if (!idle) return;
      }
      const cancelDeadline = clock.after(ANSWERED_WITHIN_MS, () => socket.terminate());
      socket.data = { reader: createHeadReader(), cancelDeadline, isAsked: false };
      sockets.add(socket);
    },
    data(socket, bytes) {
      const { data: caller } = socket;
      if (caller.broadcasting) return listen(socket, bytes);
      if (caller.isAsked) return;
      try {
        const found = caller.reader.push(bytes);
        if (!found) return;
        caller.isAsked = true;
        socket.pause();
        answer(found.head, socket, found.rest);
      } catch (error) {
        caller.isAsked = true;
        if (error instanceof HeadTooLong) return say(socket, answers.TOO_LARGE);
        log.error("a broadcast could not be answered", { code: errorCode(error) });
        socket.terminate();
      }
    },
    close(socket) {
      sockets.delete(socket);
      socket.data?.cancelDeadline();
      socket.data?.broadcasting?.broadcast.end();
    },
    error() {},
  };

  const end = () => {
    listener?.stop(true);
    listener = undefined;
  };

  return {
    /** Listens while anybody may broadcast, and hangs up on those whose secret opens none any more. */
    followChanges(): void {
      const isWanted = mayBroadcast();
      if (isWanted && !listener) {
        listener = listenOnFreePort(config, handlers);
        broadcasts.port = listener?.port ?? null;
        if (listener) log.info("programs may broadcast", { port: listener.port });
        else
          log.warn("no port is free for programs that broadcast", { from: config.broadcastPort });
      }
      if (!isWanted) end();
      for (const socket of sockets) {
        const { broadcasting } = socket.data;
        if (!broadcasting) continue;
        const owner = guard.ownerOf(broadcasting.secret, BROADCAST);
        if (owner?.connectionId !== broadcasting.connectionId) socket.terminate();
      }
    },
    stop: end,
  };
}

/** Makes what answers requests from an address: with a text, or with the connection that may broadcast. */
const createAnswers =
  (guard: Guard, onAir: ReturnType<typeof createOnAir>) =>
  ({ method, path, password, query }: BroadcastRequest, address: string): string | InboxOwner => {
    if (method === "OPTIONS") return answers.OPTIONS;
    const status = method === "GET" ? answers.STATUSES.get(path) : undefined;
    if (status !== undefined) return status;
    const broadcasts = method === "SOURCE" || method === "PUT";
    if (!broadcasts && !(method === "GET" && path === "/admin/metadata")) return answers.NOT_FOUND;
    if (password === undefined) return answers.UNAUTHORIZED;
    const admission = guard.admit(password, BROADCAST, address);
    if (admission.kind === "wrong") return answers.UNAUTHORIZED;
    if (admission.kind === "limited") return answers.limited(admission.waitSeconds);
    if (broadcasts) return admission.owner;
    if (query.get("mode") !== "updinfo") return answers.BAD_REQUEST;
    const broadcast = onAir.of(admission.owner.connectionId);
    broadcast?.show(songIn(query));
    return broadcast ? answers.TITLE_TAKEN : answers.NOBODY_ON_AIR;
  };

function listenOnFreePort(
  { broadcastHost, broadcastPort }: BroadcastDeps["config"],
  socket: Bun.SocketHandler<Caller>,
): TCPSocketListener<Caller> | undefined {
  for (let port = broadcastPort; port < broadcastPort + PORTS; port += 1) {
    try {
      return Bun.listen<Caller>({ hostname: broadcastHost, port, socket });
    } catch {
      // Another program listens there, such as an Icecast of one's own.
    }
  }
  return undefined;
}
