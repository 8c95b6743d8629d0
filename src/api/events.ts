import type { KeyHolder } from "../accounts/key-holders.ts";
import type { Keys } from "../accounts/keys.ts";
import type { User } from "../accounts/users.ts";
import { createAudience, type Room } from "../channels/audience.ts";
import { follow } from "../channels/follow.ts";
import type { Hub } from "../channels/hub.ts";
import type { Reading } from "../channels/reading.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { apiHeaders, failure, failureBody } from "./envelope.ts";
import { openEventStream } from "./event-stream.ts";
import { INVALID_KEY } from "./guard.ts";
import type { PlayingBody } from "./now-playing.ts";
import { MOST_STREAMS_PER_KEY, TOO_MANY_STREAMS } from "./stream-limit.ts";

/** The data of a client's WebSocket. */
export interface EventsTicket {
  readonly kind: "events";
  readonly holder: KeyHolder;
}

/** The part of Bun's socket that is used. */
export interface EventsSocket {
  readonly data: EventsTicket;
  sendText(text: string): unknown;
  close(code?: number, reason?: string): void;
}

/** What `Bun.serve` does for a request that stays open. */
export interface EventsServer {
  upgrade(request: Request, options: { data: EventsTicket }): boolean;
  /** Sets after how many idle seconds the connection is closed; 0 is never. */
  timeout(request: Request, seconds: number): void;
}

/** Clients that are told of each change. */
export interface Events {
  /**
   * `GET /api/v1/now-playing/events`: server-sent events. `undefined` when the request asked for a
   * WebSocket and got it.
   */
  open(holder: KeyHolder, headers: Headers | undefined, request: Request): Response | undefined;
  opened(socket: EventsSocket): void;
  closed(socket: EventsSocket): void;
  /** Closes the streams, of one user or of all, whose key has ended. */
  followKeys(userId?: number): Promise<void>;
  /** Ends every stream in a way that makes its client reconnect. */
  stop(): void;
}

export interface EventsDeps {
  readonly accounts: { readonly keys: Pick<Keys, "list"> };
  readonly hub: Pick<Hub, "peek" | "read" | "subscribe">;
  readonly clock: Clock;
  readonly playingBody: PlayingBody;
  readonly config: Pick<Config, "rateLimitSeconds">;
  server(): EventsServer | undefined;
}

/** A change, written once for all clients of a user. */
interface Event {
  /** For server-sent events. */
  readonly bytes: Uint8Array;
  /** For WebSockets. */
  readonly text: string;
}

interface Client {
  readonly keyId: string;
  send(event: Event): void;
  beat(): void;
  /** Closes it because its key has ended. */
  refuse(): void;
  /** Closes it so that it reconnects. */
  restart(): void;
}

/** The clients of one user, and their subscription to the user's channel. */
interface UserRoom extends Room<Client> {
  readonly user: User;
  /** The last reading. */
  latest: Reading | undefined;
  /** How many changes there were. */
  changes: number;
  /** Cancels the wait for the end of a key's grace period. */
  stopWaiting(): void;
}

const BEAT_MS = 15_000;
/** A browser does not try again after a 429, so it must not come back before the limit allows it. */
const RECONNECT_SECONDS = 5;
/** How soon keys are looked at again after the database could not be read. */
const LOOK_AGAIN_MS = 1_000;
/** Close code of a WebSocket whose key has ended, after the status 401. */
const CLOSED_INVALID_KEY = 4401;
/** https://www.iana.org/assignments/websocket */
const SERVICE_RESTART = 1012;

const keyOf = ({ id }: User): string => String(id);

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const BEAT = encoder.encode(": beat\n\n");
const CLOSED = encoder.encode(`event: closed\ndata: ${failureBody(INVALID_KEY)}\n\n`);

export function createEvents({
  accounts,
  hub,
  clock,
  playingBody,
  config,
  server,
}: EventsDeps): Events {
  const audience = createAudience<Client, UserRoom>(clock, {
    everyMs: BEAT_MS,
    send(clients) {
      for (const client of clients) client.beat();
    },
  });
  /** Ends the part of each socket in its room. */
  const sockets = new Map<EventsSocket, () => void>();
  const retrySeconds = Math.max(RECONNECT_SECONDS, config.rateLimitSeconds);
  const greeting = encoder.encode(`retry: ${retrySeconds * 1000}\n\n`);

  const eventOf = ({ user, changes }: UserRoom, reading: Reading): Event => {
    const body = playingBody(reading, user);
    const json = typeof body === "string" ? body : decoder.decode(body);
    return {
      bytes: encoder.encode(`event: now-playing\nid: ${changes}\ndata: ${json}\n\n`),
      text: `{"type":"now-playing",${json.slice(1)}`,
    };
  };

  const announce = (room: UserRoom, reading: Reading) => {
    room.latest = reading;
    room.changes += 1;
    const event = eventOf(room, reading);
    for (const client of room.members) client.send(event);
  };

  const followKeysOf = async (room: UserRoom) => {
    const keys = await accounts.keys.list(room.user);
    const ends = new Map(keys.map(({ id, revokedAt }) => [id, revokedAt ?? Infinity]));
    let nextMs = Infinity;
    for (const client of [...room.members]) {
      const leftMs = (ends.get(client.keyId) ?? -Infinity) - clock.wallMs();
      if (leftMs <= 0) client.refuse();
      else nextMs = Math.min(nextMs, leftMs);
    }
    if (nextMs < Infinity) lookAtKeysIn(nextMs, room);
  };

  const lookAtKeysIn = (ms: number, room: UserRoom) => {
    room.stopWaiting();
    if (audience.rooms.get(keyOf(room.user)) !== room) return;
    room.stopWaiting = clock.after(ms, () => {
      void followKeysOf(room).catch(() => lookAtKeysIn(LOOK_AGAIN_MS, room));
    });
  };

  const openRoom = (user: User, first: Client): UserRoom => {
    const room: UserRoom = {
      user,
      members: new Set([first]),
      latest: undefined,
      changes: 0,
      leave: () => {},
      stopWaiting: () => {},
    };
    const unfollow = follow(hub, user.id, (reading) => announce(room, reading));
    room.leave = () => {
      unfollow();
      room.stopWaiting();
    };
    return room;
  };

  /** Sends a client the current reading and each change until the result is called. */
  const join = (user: User, client: Client): (() => void) => {
    const known = audience.rooms.get(keyOf(user));
    const room = audience.join(keyOf(user), client, () => openRoom(user, client));
    const reading = known && (hub.peek(user.id) ?? known.latest);
    if (reading) client.send(eventOf(room, reading));
    // The key may have ended meanwhile, or be in a grace period.
    lookAtKeysIn(0, room);
    return () => audience.leave(keyOf(user), client);
  };

  const streamsOf = ({ keyId, user }: KeyHolder): number =>
    [...(audience.rooms.get(keyOf(user))?.members ?? [])].filter((client) => client.keyId === keyId)
      .length;

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
    leaveRoom = join(user, {
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

  return {
    open(holder, headers, request) {
      if (streamsOf(holder) >= MOST_STREAMS_PER_KEY) {
        return failure(429, TOO_MANY_STREAMS, { "Retry-After": String(retrySeconds) });
      }
      const isHead = request.method === "HEAD";
      const wantsSocket = request.headers.get("upgrade")?.toLowerCase() === "websocket";
      if (
        wantsSocket &&
        !isHead &&
        server()?.upgrade(request, { data: { kind: "events", holder } })
      )
        return undefined;
      const streamHeaders = new Headers(headers ?? apiHeaders());
      streamHeaders.set("Content-Type", "text/event-stream");
      // nginx would keep events back until its buffer is full.
      streamHeaders.set("X-Accel-Buffering", "no");
      const body = isHead ? noStream(request) : openStream(holder, request);
      return new Response(body, { headers: streamHeaders });
    },
    opened(socket) {
      const { keyId, user } = socket.data.holder;
      const leaveRoom = join(user, {
        keyId,
        send: ({ text }) => void socket.sendText(text),
        // Bun pings by itself.
        beat: () => {},
        refuse: () => socket.close(CLOSED_INVALID_KEY, INVALID_KEY),
        restart: () => socket.close(SERVICE_RESTART),
      });
      sockets.set(socket, leaveRoom);
    },
    closed(socket) {
      sockets.get(socket)?.();
      sockets.delete(socket);
    },
    async followKeys(userId) {
      for (const room of [...audience.rooms.values()]) {
        if (userId === undefined || room.user.id === userId) await followKeysOf(room);
      }
    },
    stop() {
      for (const client of audience.members()) client.restart();
    },
  };
}
