import { createGuesses, type Guesser } from "../http/guess-limit.ts";
import { createProcessorBudget } from "../http/processor-budget.ts";
import { secondsOf } from "../http/rate-limit.ts";
import { createBoundedMap } from "../bounded-map.ts";
import type { InboxOwner, Inboxes } from "../music/inboxes.ts";
import type { PushedTo } from "../sources/pushed.ts";
import type { Parts } from "../http/parts.ts";

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

/** What a frame may do. */
export type FrameTurn =
  /** Be shown. */
  | { readonly kind: "now" }
  /** Be read, and shown with what follows when the limit allows another message. */
  | { readonly kind: "later"; readonly waitMs: number }
  /** Nothing: its socket is to be closed. */
  | { readonly kind: "flood" };

/** Lets those in who know a secret, within the limits. */
export type Guard = ReturnType<typeof createGuard>;

export interface GuardDeps extends Pick<Parts, "clock" | "addressOf"> {
  readonly inboxes: Pick<Inboxes, "inboxOf">;
}

/** How many messages a secret may send in a second. */
const MOST_A_SECOND = 20;
/**
 * How many frames of a secret are read in a second, shown or not. A browser that connects sends two
 * for each of its tabs that play: eight browsers at once may have a dozen each.
 */
const MOST_FRAMES_A_SECOND = 200;
/** Sixteen tabs may have the largest pictures that are taken. */
const MOST_PICTURE_BYTES_A_SECOND = 32 * 1024 * 1024;
/** In UTF-16 units. Sixteen tabs may have the largest covers as data URIs that are taken. */
const MOST_TEXT_A_SECOND = 1024 * 1024;
const MOST_CONNECTIONS = 10_000;

interface Second {
  readonly startedAtMs: number;
  messages: number;
  /** What the frames among them contain. */
  text: number;
  pictureBytes: number;
}

const limitedFor = (waitMs: number): Limited => ({
  kind: "limited",
  reason: "Too many wrong secrets",
  waitSeconds: secondsOf(waitMs),
});

export function createGuard({ clock, inboxes, addressOf }: GuardDeps) {
  const guesses = createGuesses({ clock, addressOf });
  const seconds = createBoundedMap<number, Second>(MOST_CONNECTIONS);
  // One of its own: pages that a user opens must not cost a song, which programs send once.
  const budget = createProcessorBudget(clock);

  /** Whose the secret is; counts nothing. */
  const ownerOf = (secret: string, source: PushedTo) => {
    const owner = inboxes.inboxOf(secret);
    return owner?.source === source.id ? owner : undefined;
  };

  /** What a connection has sent in this second, one message more included. */
  const countMessage = (connectionId: number): Second => {
    const nowMs = clock.monotonicMs();
    let second = seconds.get(connectionId);
    if (!second || nowMs - second.startedAtMs >= 1_000) {
      second = { startedAtMs: nowMs, messages: 0, text: 0, pictureBytes: 0 };
      seconds.set(connectionId, second);
    }
    second.messages += 1;
    return second;
  };

  /** Milliseconds until the next message is within the limit; 0 when the last one was. */
  const waitMsOf = ({ messages, startedAtMs }: Second): number =>
    messages > MOST_A_SECOND ? startedAtMs + 1_000 - clock.monotonicMs() : 0;

  /** Counts a wrong secret. */
  const refuse = (from: Guesser): Admission => {
    const waitMs = guesses.count(from);
    return waitMs === undefined ? { kind: "wrong" } : limitedFor(waitMs);
  };

  /** Counts a message to a connection whose secret is known to be right. */
  const count = (owner: InboxOwner): Admitted | Limited => {
    const waitMs = waitMsOf(countMessage(owner.connectionId));
    const spentMs = budget.waitMs(owner.userId);
    if (spentMs > 0) {
      return {
        kind: "limited",
        reason: "Too much work for this user",
        waitSeconds: secondsOf(spentMs),
      };
    }
    if (waitMs === 0) return { kind: "admitted", owner };
    return {
      kind: "limited",
      reason: `Too many messages: at most ${MOST_A_SECOND} a second`,
      waitSeconds: secondsOf(waitMs),
    };
  };

  return {
    ownerOf,
    /** Whether a secret still opens what it opened when its message began to come. */
    stillOpens: (secret: string, source: PushedTo, { connectionId }: InboxOwner) =>
      ownerOf(secret, source)?.connectionId === connectionId,
    count,
    /** Charges a user for reading and showing what was pushed, from now until the turn of the event loop ends. */
    charge: ({ userId }: Pick<InboxOwner, "userId">) => budget.begin(userId),
    /** Counts a frame that came to a connection over an open socket, together with its messages. */
    countFrame(
      { connectionId, userId }: Omit<InboxOwner, "source">,
      frame: string | Uint8Array,
    ): FrameTurn {
      const second = countMessage(connectionId);
      if (typeof frame === "string") second.text += frame.length;
      else second.pictureBytes += frame.length;
      const isFlood =
        second.messages > MOST_FRAMES_A_SECOND ||
        second.text > MOST_TEXT_A_SECOND ||
        second.pictureBytes > MOST_PICTURE_BYTES_A_SECOND ||
        budget.waitMs(userId) > 0;
      if (isFlood) return { kind: "flood" };
      const waitMs = waitMsOf(second);
      return waitMs > 0 ? { kind: "later", waitMs } : { kind: "now" };
    },
    refuse,
    /** Whether too many wrong secrets came from this network; counts nothing. */
    limitOf(request: Request) {
      const waitMs = guesses.waitMsOf(request);
      return waitMs === undefined ? undefined : limitedFor(waitMs);
    },
    /** Counts the secret as a guess if it opens no connection of this source. */
    admit(secret: string, source: PushedTo, from: Guesser) {
      const owner = ownerOf(secret, source);
      return owner ? count(owner) : refuse(from);
    },
  };
}
