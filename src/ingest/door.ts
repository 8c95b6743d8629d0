import type { InboxSecret } from "../accounts/credential.ts";
import { createGuessLimit } from "../api/guess-limit.ts";
import { secondsOf } from "../api/rate-limit.ts";
import { createBoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";
import { networkOf } from "../http/client-address.ts";
import type { PushedSource } from "../sources/pushed.ts";

/** Whose inbox a secret opens. */
export interface InboxOwner {
  readonly connectionId: number;
  readonly userId: number;
  /** The id of the connection's source. */
  readonly source: string;
}

/** Finds the connections that secrets belong to. */
export interface Inboxes {
  /** The connection of a secret; `undefined` when it is no secret or no longer one. */
  inboxOf(secret: string): Promise<InboxOwner | undefined>;
  /**
   * The secrets of a user's connections to a source; none when there is no such user. For
   * Audioscrobbler, whose programs send a digest instead of the secret.
   */
  inboxSecretsOf(userName: string, source: string): Promise<readonly InboxSecret[]>;
  /** A name for a secret, made with the server's key; it ends with the secret. */
  sessionOf(secret: InboxSecret): string;
  /** The connection of the secret that a session was made of; `undefined` when it has none. */
  inboxOfSession(session: string): Promise<InboxOwner | undefined>;
  /** The owner's first connection to a source. */
  ownersInboxOf(source: string): Promise<InboxOwner | undefined>;
}

export type Admission =
  | Admitted
  /** The secret opens nothing here. */
  | { readonly kind: "wrong" }
  /** Too many wrong secrets from this network. */
  | Limited;

interface Admitted {
  readonly kind: "admitted";
  readonly owner: InboxOwner;
}

/** Too many came. */
export interface Limited {
  readonly kind: "limited";
  readonly reason: string;
  readonly waitSeconds: number;
}

/** Lets those in who know a secret, within the limits. */
export interface Door {
  /** Counts the secret as a guess if it opens no connection of this source. */
  admit(secret: string, source: PushedSource, request: Request): Promise<Admission>;
  /** Counts a message to a connection whose secret is known to be right. */
  count(owner: InboxOwner): Admitted | Limited;
  /** Counts a wrong secret that was noticed elsewhere. */
  refuse(request: Request): Admission;
  /** Whose the secret is; counts nothing. */
  ownerOf(secret: string, source: PushedSource): Promise<InboxOwner | undefined>;
}

export interface DoorDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly inboxes: Inboxes;
  /** The client address of a request. */
  addressOf(request: Request): string;
}

/** How many messages a secret may send in a second. */
const MOST_A_SECOND = 20;
const MOST_CONNECTIONS = 10_000;

interface Second {
  readonly startedAtMs: number;
  messages: number;
}

export function createDoor({ clock, inboxes, addressOf }: DoorDeps): Door {
  const guesses = createGuessLimit();
  const seconds = createBoundedMap<number, Second>(MOST_CONNECTIONS);

  const ownerOf = async (secret: string, source: PushedSource) => {
    const owner = await inboxes.inboxOf(secret);
    return owner?.source === source.id ? owner : undefined;
  };

  /** Milliseconds until the next message is within the limit; 0 when this one is. */
  const countMessage = (connectionId: number): number => {
    const nowMs = clock.monotonicMs();
    const second = seconds.get(connectionId);
    if (!second || nowMs - second.startedAtMs >= 1_000) {
      seconds.set(connectionId, { startedAtMs: nowMs, messages: 1 });
      return 0;
    }
    second.messages += 1;
    return second.messages > MOST_A_SECOND ? second.startedAtMs + 1_000 - nowMs : 0;
  };

  const refuse = (request: Request): Admission => {
    const waitMs = guesses.countWrongKey(networkOf(addressOf(request)), clock.monotonicMs());
    if (waitMs === undefined) return { kind: "wrong" };
    return { kind: "limited", reason: "Too many wrong secrets", waitSeconds: secondsOf(waitMs) };
  };

  const count = (owner: InboxOwner): Admitted | Limited => {
    const waitMs = countMessage(owner.connectionId);
    if (waitMs === 0) return { kind: "admitted", owner };
    return {
      kind: "limited",
      reason: `Too many messages: at most ${MOST_A_SECOND} a second`,
      waitSeconds: secondsOf(waitMs),
    };
  };

  return {
    ownerOf,
    count,
    refuse,
    async admit(secret, source, request) {
      const owner = await ownerOf(secret, source);
      return owner ? count(owner) : refuse(request);
    },
  };
}
