import type { KeyHolder } from "../accounts/key-holders.ts";
import type { Keys } from "../accounts/keys.ts";
import type { User } from "../accounts/users.ts";
import { createAudience, type Room } from "../channels/audience.ts";
import { follow } from "../channels/follow.ts";
import type { Reading } from "../channels/reading.ts";
import type { PlayingBody } from "./now-playing.ts";
import type { Parts } from "../http/parts.ts";

/** A change, written once for all clients of a user. */
export interface Event {
  /** For server-sent events. */
  readonly bytes: Uint8Array;
  /** For WebSockets. */
  readonly text: string;
}

export interface Client {
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
/** How soon keys are looked at again after the database could not be read. */
const LOOK_AGAIN_MS = 1_000;
const keyOf = ({ id }: User): string => String(id);

const encoder = new TextEncoder();

export interface EventRoomsDeps extends Pick<Parts, "hub" | "clock"> {
  readonly accounts: { readonly keys: Pick<Keys, "list"> };
  readonly playingBody: PlayingBody;
}

/** The clients of each user, their readings, and the end of their keys. */
export function createEventRooms({ accounts, hub, clock, playingBody }: EventRoomsDeps) {
  const audience = createAudience<Client, UserRoom>(clock, {
    everyMs: BEAT_MS,
    send: (client) => client.beat(),
  });
  const eventOf = ({ user, changes }: UserRoom, reading: Reading): Event => {
    const json = playingBody(reading, user)();
    return {
      bytes: encoder.encode(`event: now-playing\nid: ${changes}\ndata: ${json}\n\n`),
      text: `{"type":"now-playing",${json.slice(1)}`,
    };
  };

  const announce = (room: UserRoom, reading: Reading) => {
    room.latest = reading;
    room.changes += 1;
    const event = eventOf(room, reading);
    audience.sendTo(room.members, (client) => client.send(event));
  };

  const followKeysOf = (room: UserRoom) => {
    const keys = accounts.keys.list(room.user);
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
      try {
        followKeysOf(room);
      } catch {
        lookAtKeysIn(LOOK_AGAIN_MS, room);
      }
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

  return {
    /** Sends a client the current reading and each change until the result is called. */
    join(user: User, client: Client) {
      const known = audience.rooms.get(keyOf(user));
      const room = audience.join(keyOf(user), client, () => openRoom(user, client));
      const reading = known && (hub.peek(user.id) ?? known.latest);
      if (reading) client.send(eventOf(room, reading));
      // The key may have ended meanwhile, or be in a grace period.
      lookAtKeysIn(0, room);
      return () => audience.leave(keyOf(user), client);
    },

    /** The number of clients with this key. */
    sizeOf: ({ keyId, user }: KeyHolder) =>
      [...(audience.rooms.get(keyOf(user))?.members ?? [])].filter(
        (client) => client.keyId === keyId,
      ).length,
    /** Closes clients, of one user or of all, whose key has ended. */
    followKeys(userId?: number) {
      for (const room of [...audience.rooms.values()]) {
        if (userId === undefined || room.user.id === userId) followKeysOf(room);
      }
    },
    /** Closes all so that they reconnect. */
    restart() {
      for (const client of audience.members()) client.restart();
    },
  };
}
