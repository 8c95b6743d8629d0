import type { KeyHolder } from "../accounts/key-holders.ts";
import {
  SERVICE_RESTART,
  type SocketHandlers,
  upgraderFor,
  withMessageLimit,
} from "../http/socket.ts";
import { apiHeaders, failure, failureBody } from "./envelope.ts";
import { createEventRooms, type EventRoomsDeps } from "./event-rooms.ts";
import { openEventStream } from "./event-stream.ts";
import { type Call, INVALID_KEY } from "./guard.ts";
import { MOST_STREAMS_PER_KEY, TOO_MANY_STREAMS } from "./stream-limit.ts";
import type { Parts } from "../http/parts.ts";

/** The data of a client's WebSocket. */
export interface EventsTicket {
  readonly holder: KeyHolder;
  /** Set once it is open. */
  leaveRoom?(): void;
}

/** What `Bun.serve` does for a request that stays open. */
export interface EventsServer {
  upgrade(request: Request, options: { data: object }): boolean;
  /** Sets after how many idle seconds the connection is closed; 0 is never. */
  timeout(request: Request, seconds: number): void;
}

/** Clients that are sent each change. */
export type Events = ReturnType<typeof createEvents>;

export interface EventsDeps extends EventRoomsDeps, Pick<Parts, "config"> {
  server(): EventsServer | undefined;
}

/** A browser does not try again after a 429, so it must not come back before the limit allows it. */
const RECONNECT_SECONDS = 5;
/** Close code of a WebSocket whose key has ended, after the status 401. */
const CLOSED_INVALID_KEY = 4401;

const encoder = new TextEncoder();
const BEAT = encoder.encode(": beat\n\n");
const CLOSED = encoder.encode(`event: closed\ndata: ${failureBody(INVALID_KEY)}\n\n`);

export function createEvents(deps: EventsDeps) {
  const { config, server } = deps;
  const rooms = createEventRooms(deps);
  const retrySeconds = Math.max(RECONNECT_SECONDS, config.rateLimitSeconds);
  const greeting = encoder.encode(`retry: ${retrySeconds * 1000}\n\n`);

  /** HEAD gets the headers of a stream that is not opened. */
  const noStream = ({ signal }: Request) => {
    const stream = openEventStream(signal, () => {});
    stream.end();
    return stream.body;
  };

  const openStream = ({ keyId, user }: KeyHolder, request: Request) => {
    server()?.timeout(request, 0);
    let leaveRoom = () => {};
    const stream = openEventStream(request.signal, () => leaveRoom());
    stream.write(greeting);
    leaveRoom = rooms.join(user, {
      keyId,
      send: ({ bytes }) => stream.write(bytes),
      beat: () => stream.write(BEAT),
      refuse() {
        stream.write(CLOSED);
        stream.end();
      },
      restart: stream.end,
    });
    return stream.body;
  };

  const handlers: SocketHandlers<EventsTicket> = withMessageLimit(
    {
      opened(socket) {
        const { keyId, user } = socket.data.holder;
        socket.data.leaveRoom = rooms.join(user, {
          keyId,
          send: ({ text }) => void socket.sendText(text),
          // Bun pings by itself.
          beat: () => {},
          refuse: () => socket.close(CLOSED_INVALID_KEY, INVALID_KEY),
          restart: () => socket.close(SERVICE_RESTART),
        });
      },
      closed: (socket) => socket.data.leaveRoom?.(),
    },
    deps.clock,
  );

  return {
    /**
     * `GET /api/v1/now-playing/events`: server-sent events. `undefined` when the request asked for a
     * WebSocket and got it.
     */
    open({ holder, headers }: Call, request: Request) {
      if (rooms.sizeOf(holder) >= MOST_STREAMS_PER_KEY) {
        return failure(429, TOO_MANY_STREAMS, { "Retry-After": String(retrySeconds) });
      }
      const isHead = request.method === "HEAD";
      const wantsSocket = request.headers.get("upgrade")?.toLowerCase() === "websocket";
      const upgrader = upgraderFor(handlers, server());
      if (wantsSocket && !isHead && upgrader?.upgrade(request, { data: { holder } })) {
        return undefined;
      }
      const streamHeaders = new Headers(headers ?? apiHeaders());
      streamHeaders.set("Content-Type", "text/event-stream");
      // nginx would keep events back until its buffer is full.
      streamHeaders.set("X-Accel-Buffering", "no");
      const body = isHead ? noStream(request) : openStream(holder, request);
      return new Response(body, { headers: streamHeaders });
    },
    followKeys: rooms.followKeys,
    /** Ends every stream in a way that makes its client reconnect. */
    stop: rooms.restart,
  };
}
