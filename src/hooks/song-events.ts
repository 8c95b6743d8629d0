import type { Reading } from "../channels/reading.ts";
import type { Clock } from "../clock.ts";
import { isSamePlay, type Playback, positionAt } from "../playback.ts";
import type { HookEvent } from "./store.ts";

/**
 * What happened to a user's music, and the playback that it happened to: `null` when the music stopped,
 * or when a song has ended because the user hides it.
 */
export interface SongEvent {
  readonly type: HookEvent;
  readonly playback: Playback | null;
}

/** A song that was skipped at once is not reported. */
const COUNTS_AFTER_MS = 3_000;
/** Nor is a pause that is over at once: players report one between songs, or while they seek. */
const PAUSE_COUNTS_AFTER_MS = 1_000;

/** Finds the events in the readings of one user's music. */
export function createSongEvents(
  clock: Pick<Clock, "after" | "monotonicMs">,
  emit: (event: SongEvent) => void,
) {
  /** The song that was reported last; `undefined` before the first and after it has ended. */
  let current: Playback | undefined;
  let isPaused = false;
  let coming: Playback | undefined;
  let cancel = () => {};

  /** Forgets what was to be reported later. */
  const forget = () => {
    cancel();
    coming = undefined;
  };
  const end = (isHidden = false) => {
    if (!current) return;
    const nowMs = clock.monotonicMs();
    const stopped = { positionMs: positionAt(current, nowMs), observedAtMs: nowMs };
    const ended: Playback = { ...current, state: "paused", ...stopped };
    current = undefined;
    isPaused = false;
    emit({ type: "song.ended", playback: isHidden ? null : ended });
  };
  const begin = () => {
    if (!coming) return;
    current = coming;
    coming = undefined;
    emit({ type: "song.started", playback: current });
  };

  const reportPause = () => {
    if (current) emit({ type: "playback.paused", playback: current });
  };

  return {
    note(reading: Reading) {
      // The song may go on while its source cannot be asked.
      if (reading.kind === "unavailable") return;
      if (reading.kind !== "playback") {
        const wasThere = current !== undefined;
        forget();
        end(reading.kind === "nothing" && reading.hides !== undefined);
        if (wasThere) emit({ type: "playback.stopped", playback: null });
        return;
      }
      const { playback } = reading;
      if (isSamePlay(current, playback)) {
        const { state } = playback;
        current = playback;
        if (isPaused && state === "paused") return;
        forget();
        isPaused = state === "paused";
        if (isPaused) cancel = clock.after(PAUSE_COUNTS_AFTER_MS, reportPause);
        return;
      }
      end();
      if (playback.state === "paused") forget();
      else if (isSamePlay(coming, playback)) coming = playback;
      else {
        forget();
        coming = playback;
        cancel = clock.after(COUNTS_AFTER_MS, begin);
      }
    },
    stop: forget,
  };
}
