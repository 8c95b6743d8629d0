import type { Clock } from "../../../clock.ts";
import type { ReaderProcess } from "./reader-process.ts";
import type { MediaSession } from "./reader-lines.ts";
import { statesOf } from "./reader-states.ts";

/** What people who help get to see of a session: no song. */
export type ExaminedSession = Pick<
  MediaSession,
  "app" | "state" | "media" | "problem" | "readMs"
> & { readonly position: boolean; readonly cover: boolean };

export interface Examined {
  /** Why the sessions cannot be read; `null` where they can. */
  readonly problem: string | null;
  readonly sessions: readonly ExaminedSession[];
}

const ANSWERS_WITHIN_MS = 5_000;

/** What the system answers of each player, once. */
export async function examineSessions(reader: ReaderProcess, clock: Clock): Promise<Examined> {
  const ending = new AbortController();
  const cancel = clock.after(ANSWERS_WITHIN_MS, () => ending.abort());
  try {
    for await (const state of statesOf(reader, { clock, signal: ending.signal })) {
      if (state.kind === "unavailable") return { problem: state.reason, sessions: [] };
      if (state.kind === "sessions") {
        return { problem: null, sessions: state.sessions.map(withoutSong) };
      }
    }
    return { problem: "it has not answered", sessions: [] };
  } finally {
    cancel();
  }
}

const withoutSong = ({ app, state, media, problem, readMs, ...session }: MediaSession) => ({
  app,
  state,
  media,
  problem,
  readMs,
  position: session.positionMs !== null,
  cover: session.cover !== null,
});
