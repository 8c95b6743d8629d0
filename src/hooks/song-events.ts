import type { Reading } from "../channels/reading.ts";
import type { Clock } from "../clock.ts";
import { isSameSong, type Playback } from "../playback.ts";
import type { HookEvent } from "../music/hooks.ts";

/** What happened to a user's music, and the playback that it happened to; `null` when it stopped. */
export interface SongEvent {
  readonly type: HookEvent;
  readonly playback: Playback | null;
}

/** A song that was skipped at once is not told. */
const HEARD_MS = 3_000;

/** Finds what is told in the readings of one user's music. */
export interface SongEvents {
  note(reading: Reading): void;
  stop(): void;
}

export function createSongEvents(
  clock: Pick<Clock, "after">,
  tell: (event: SongEvent) => void,
): SongEvents {
  /** The song that was told last; `undefined` before the first and after it has ended. */
  let told: Playback | undefined;
  let isPaused = false;
  let coming: Playback | undefined;
  let cancel = () => {};

  const forget = () => {
    cancel();
    coming = undefined;
  };
  const end = () => {
    if (told) tell({ type: "song.ended", playback: told });
    told = undefined;
    isPaused = false;
  };
  const begin = () => {
    if (!coming) return;
    end();
    told = coming;
    coming = undefined;
    tell({ type: "song.started", playback: told });
  };

  return {
    note(reading) {
      // The song may go on while its source cannot be asked.
      if (reading.kind === "unavailable") return;
      if (reading.kind !== "playback") {
        const wasThere = told !== undefined;
        forget();
        end();
        if (wasThere) tell({ type: "playback.stopped", playback: null });
        return;
      }
      const { playback } = reading;
      if (isSameSong(told, playback)) {
        forget();
        told = playback;
        if (playback.state === "paused" && !isPaused) tell({ type: "playback.paused", playback });
        isPaused = playback.state === "paused";
      } else if (playback.state === "paused") forget();
      else if (isSameSong(coming, playback)) coming = playback;
      else {
        forget();
        coming = playback;
        cancel = clock.after(HEARD_MS, begin);
      }
    },
    stop: forget,
  };
}
