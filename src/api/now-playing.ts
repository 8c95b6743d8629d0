import type { KeyHolder } from "../accounts/key-holders.ts";
import { PROGRAM_WAITS_MS } from "../channels/first-answer.ts";
import type { Clock } from "../clock.ts";
import { CurrentReading } from "../channels/current-reading.ts";
import type { Reading } from "../channels/reading.ts";
import { document, failure, failureBody } from "./envelope.ts";
import type { Call } from "./guard.ts";
import { type ArtworkUrl, PlayingJson, type PlayingUser } from "./playing-json.ts";
import { secondsOf } from "../http/rate-limit.ts";
import type { Parts } from "../http/parts.ts";

/** Prepares the body of answers to a reading. What it returns writes the body for the moment. */
export type PlayingBody = (reading: Reading, user: PlayingUser) => () => string;

const NOTHING = JSON.stringify({ success: true, data: null });
const UNAVAILABLE = "Playback is temporarily unavailable";
const UNAVAILABLE_BODY = failureBody(UNAVAILABLE);

export function createPlayingBody(clock: Clock, artworkUrl: ArtworkUrl): PlayingBody {
  return (reading, user) => {
    switch (reading.kind) {
      case "nothing":
      case "unlinked":
        return () => NOTHING;
      case "unavailable":
        return () => UNAVAILABLE_BODY;
      case "playback": {
        const json = new PlayingJson(reading.playback, user, artworkUrl, clock.monotonicMs());
        return () => json.at(clock.monotonicMs(), Math.floor(clock.wallMs() / 1000));
      }
    }
  };
}

export interface NowPlayingDeps extends Pick<Parts, "hub" | "clock" | "config"> {
  readonly playingBody: PlayingBody;
}

/** What the answers to a key are written from: most calls need nothing else of a user. */
class Answers {
  readonly current: CurrentReading;
  /** The reading that `body` is about. */
  reading: Reading | undefined;
  body = () => NOTHING;

  constructor(current: CurrentReading) {
    this.current = current;
  }
}

/** `GET /api/v1/now-playing`: the playback of the key's user, in the envelope. */
export function createNowPlaying({ hub, clock, playingBody, config }: NowPlayingDeps) {
  /** Kept for each key, until it or its user changes. */
  const answersOf = (holder: KeyHolder): Answers => {
    if (holder.kept instanceof Answers) return holder.kept;
    const answers = new Answers(hub.currentOf(holder.user.id));
    holder.kept = answers;
    return answers;
  };

  const answer = (reading: Reading, answers: Answers, { holder, headers }: Call): Response => {
    if (reading === answers.reading) return document(answers.body(), headers);
    if (reading.kind === "unavailable") {
      // The rate limit would refuse an earlier call.
      const waitSeconds = Math.max(config.rateLimitSeconds, secondsOf(reading.retryAfterMs));
      return failure(503, UNAVAILABLE, { "Retry-After": String(waitSeconds) });
    }
    answers.reading = reading;
    answers.body = playingBody(reading, holder.user);
    return document(answers.body(), headers);
  };

  return (call: Call): Response | Promise<Response> => {
    const { user } = call.holder;
    const answers = answersOf(call.holder);
    const known = answers.current.at(clock.monotonicMs()) ?? hub.peek(user.id);
    if (known) return answer(known, answers, call);
    return hub.read(user.id, PROGRAM_WAITS_MS).then((reading) => answer(reading, answers, call));
  };
}
