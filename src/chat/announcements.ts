import type { Reading } from "../channels/reading.ts";
import type { Clock } from "../clock.ts";
import { isSameSong, type Playback } from "../playback.ts";

export interface AnnouncementsDeps {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** The shortest time between two announcements, in milliseconds. */
  readonly everyMs: number;
  /** Follows the user's music until the result is called. */
  subscribe(note: (reading: Reading) => void): () => void;
  /** Says what plays at this moment. */
  announce(): void;
}

/** A song counts once it was played for so long. */
const HEARD_MS = 10_000;

/** Announces a user's songs while a stream is live. */
export function createAnnouncements(deps: AnnouncementsDeps) {
  const { clock, everyMs } = deps;
  let leave: (() => void) | undefined;
  /** The song that played when announcing began, and the one that was announced last. */
  let first: Playback | undefined;
  let announced: Playback | undefined;
  /** Set until the first song after a start, or after a pause in sharing. */
  let isFirst = true;
  let coming: Playback | undefined;
  let cancel = () => {};
  let announcedAtMs = -Infinity;

  const forget = () => {
    cancel();
    coming = undefined;
  };
  const announce = () => {
    announced = coming;
    coming = undefined;
    announcedAtMs = clock.monotonicMs();
    deps.announce();
  };
  const note = (reading: Reading) => {
    // The song may go on while its source cannot be asked.
    if (reading.kind === "unavailable") return;
    if (reading.kind !== "playback" || reading.playback.state === "paused") {
      if (reading.kind === "nothing" && reading.hides === "all") isFirst = true;
      return forget();
    }
    const { playback } = reading;
    if (isSameSong(coming, playback)) return;
    forget();
    if (isFirst) first = playback;
    else if (!isSameSong(first, playback)) first = undefined;
    isFirst = false;
    if (isSameSong(first, playback) || isSameSong(announced, playback)) return;
    coming = playback;
    const restMs = announcedAtMs + everyMs - clock.monotonicMs();
    cancel = clock.after(Math.max(HEARD_MS, restMs), announce);
  };
  const stop = () => {
    leave?.();
    leave = undefined;
    forget();
  };

  return {
    setLive(isLive: boolean) {
      if (!isLive) return stop();
      if (leave) return;
      isFirst = true;
      leave = deps.subscribe(note);
    },
    stop,
  };
}
