import { createBoundedMap } from "../../../bounded-map.ts";
import type { Clock } from "../../../clock.ts";
import type { MediaSession, ReaderLine, SessionCover } from "./reader-lines.ts";
import { startReader } from "./running-reader.ts";

/** What the reader has reported last. */
export type ReaderState =
  /** @property crashes how many times it has crashed within ten minutes */
  | { readonly kind: "starting"; readonly crashes: number }
  | {
      readonly kind: "sessions";
      readonly sessions: readonly MediaSession[];
      /** Monotonic time at which the line arrived, in milliseconds. */
      readonly observedAtMs: number;
    }
  | { readonly kind: "unavailable"; readonly reason: string };

/**
 * The one process that reads this computer's media sessions, for all connections and searches. It
 * starts with the first use and ends ten seconds after the last. A crash, a hang or a flood of it
 * ends that process and nothing else.
 */
export type ReaderProcess = ReturnType<typeof createReaderProcess>;

export interface ReaderProcessDeps {
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  /** The program and its words. */
  readonly command: readonly string[];
  /** After this time another process takes over; `Infinity` for never. */
  readonly replaceAfterMs: number;
}

/** Of all sessions: three of the largest. Those that came last are kept. */
const MOST_COVER_BYTES = 24 * 1024 * 1024;
const ENDS_AFTER_MS = 10_000;
const FIRST_RESTART_MS = 1_000;
const LONGEST_RESTART_MS = 60_000;
/** After this many crashes within this time, it is not started again for as long. */
const MOST_CRASHES = 5;
const CRASHES_WITHIN_MS = 600_000;

export function createReaderProcess(deps: ReaderProcessDeps) {
  const { clock, command, replaceAfterMs } = deps;
  const users = new Set<() => void>();
  const covers = createBoundedMap<string, SessionCover>(
    MOST_COVER_BYTES,
    ({ bytes }) => bytes.byteLength,
  );
  let state: ReaderState = { kind: "starting", crashes: 0 };
  /** Ends the process that runs. */
  let endRunning: (() => void) | undefined;
  let cancelRestart = () => {};
  let cancelReplacement = () => {};
  let cancelEnd = () => {};
  let isResting = false;
  let crashes: number[] = [];

  const become = (next: ReaderState) => {
    state = next;
    for (const onChange of users) onChange();
  };

  const receive = (line: ReaderLine) => {
    if (line.kind === "cover") covers.set(line.cover.app, line.cover);
    if (line.kind === "failed") become({ kind: "unavailable", reason: line.reason });
    if (line.kind !== "sessions") return;
    const apps = new Set(line.sessions.map(({ app }) => app));
    for (const [app] of covers.entries()) if (!apps.has(app)) covers.take(app);
    const { sessions } = line;
    become({ kind: "sessions", sessions, observedAtMs: clock.monotonicMs() });
  };

  const start = () => {
    isResting = false;
    const endMine = startReader({ clock, command, receive, crashed });
    endRunning = endMine;
    cancelReplacement();
    if (replaceAfterMs === Infinity) return;
    cancelReplacement = clock.after(replaceAfterMs, () => {
      endMine();
      start();
    });
  };

  const crashed = (reason: string) => {
    endRunning = undefined;
    cancelReplacement();
    covers.clear();
    const nowMs = clock.monotonicMs();
    crashes = [...crashes.filter((atMs) => nowMs - atMs < CRASHES_WITHIN_MS), nowMs];
    isResting = crashes.length >= MOST_CRASHES;
    const waitMs = isResting
      ? CRASHES_WITHIN_MS
      : Math.min(FIRST_RESTART_MS * 2 ** (crashes.length - 1), LONGEST_RESTART_MS);
    cancelRestart = clock.after(waitMs, () => {
      if (users.size > 0) start();
      else isResting = false;
    });
    if (isResting) {
      crashes = [];
      const times = `reading it has failed ${MOST_CRASHES} times`;
      become({ kind: "unavailable", reason: `${times}: ${reason}` });
    } else become({ kind: "starting", crashes: crashes.length });
  };

  const end = () => {
    endRunning?.();
    endRunning = undefined;
    cancelReplacement();
    if (!isResting) cancelRestart();
    covers.clear();
    if (!isResting) state = { kind: "starting", crashes: crashes.length };
  };

  return {
    state: (): ReaderState => state,
    /** The cover of a session, if it has come. */
    coverOf({ app, cover }: MediaSession): Uint8Array | undefined {
      const known = covers.get(app);
      return known?.digest === cover ? known.bytes : undefined;
    },
    /** Calls `onChange` after each change of the state, until the returned function is called. */
    use(onChange: () => void) {
      cancelEnd();
      const user = () => onChange();
      users.add(user);
      if (!endRunning && !isResting) {
        cancelRestart();
        start();
      }
      return () => {
        if (!users.delete(user) || users.size > 0) return;
        cancelEnd = clock.after(ENDS_AFTER_MS, end);
      };
    },
  };
}
