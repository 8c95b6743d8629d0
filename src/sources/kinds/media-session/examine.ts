import { atMost, type Clock } from "../../../clock.ts";
import type { ReaderProcess } from "./reader-process.ts";
import type { MediaSession } from "./reader-lines.ts";

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
  const answered = Promise.withResolvers<void>();
  const look = () => {
    if (reader.state().kind !== "starting") answered.resolve();
  };
  const release = reader.use(look);
  try {
    look();
    await atMost(clock, ANSWERS_WITHIN_MS, answered.promise);
    const state = reader.state();
    if (state.kind === "unavailable") return { problem: state.reason, sessions: [] };
    if (state.kind === "starting") return { problem: "it has not answered", sessions: [] };
    const sessions = state.sessions.map(({ app, media, problem, readMs, ...session }) => ({
      app,
      state: session.state,
      media,
      problem,
      readMs,
      position: session.positionMs !== null,
      cover: session.cover !== null,
    }));
    return { problem: null, sessions };
  } finally {
    release();
  }
}
