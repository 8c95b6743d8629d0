import { createBoundedMap } from "../bounded-map.ts";
import type { ChatOptions } from "./options.ts";

/** Who asks, and who would answer. */
export interface Asking {
  readonly personId: string;
  /** Whether the person is the broadcaster or a moderator, who wait only for the chat's quiet time. */
  readonly isPrivileged: boolean;
  /** How long the chat has to be quiet between two answers. */
  readonly quietMs: number;
}

/** The quiet times of one chat. All times are monotonic, in milliseconds. */
export type Quiet = ReturnType<typeof createQuiet>;

/** Twitch lets others than broadcasters and moderators send 20 messages in 30 s. */
const QUIET_OF_VIEWER_MS = 30_000;
const QUIET_OF_PERSON_MS = 30_000;
const MOST_PEOPLE = 1_000;
/** At most so many messages in so long, whatever happens: then Twitch ignores an account for half an hour. */
const MOST_MESSAGES = 15;
const MESSAGES_WITHIN_MS = 30_000;

/**
 * How long a chat has to be quiet between two answers, in milliseconds.
 * @param mayMore whether the answering account is the broadcaster or a moderator, who may send more
 */
export const quietMsOf = ({ quietS }: Pick<ChatOptions, "quietS">, mayMore: boolean): number =>
  Math.max(quietS * 1_000, mayMore ? 0 : QUIET_OF_VIEWER_MS);

export function createQuiet() {
  const people = createBoundedMap<string, number>(MOST_PEOPLE);
  let sentAtMs: readonly number[] = [];
  let answeredAtMs = -Infinity;
  let pausedUntilMs = -Infinity;

  /** Whether a line may be sent that nobody has asked for in chat; counts it if so. */
  const admitLine = (nowMs: number): boolean => {
    sentAtMs = sentAtMs.filter((atMs) => nowMs - atMs < MESSAGES_WITHIN_MS);
    if (nowMs < pausedUntilMs || sentAtMs.length >= MOST_MESSAGES) return false;
    sentAtMs = [...sentAtMs, nowMs];
    return true;
  };

  return {
    admitLine,
    /** Decides on an answer to a question, and counts it if it may be given. */
    admit({ personId, isPrivileged, quietMs }: Asking, nowMs: number) {
      if (nowMs - answeredAtMs < quietMs) return false;
      const before = people.get(personId) ?? -Infinity;
      if (!isPrivileged && nowMs - before < QUIET_OF_PERSON_MS) return false;
      if (!admitLine(nowMs)) return false;
      answeredAtMs = nowMs;
      people.set(personId, nowMs);
      return true;
    },
    /** Nothing may be sent until then. */
    pause(untilMs: number) {
      pausedUntilMs = Math.max(pausedUntilMs, untilMs);
    },
  };
}
