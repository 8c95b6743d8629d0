import { createBoundedMap } from "../../../bounded-map.ts";
import type { Clock } from "../../../clock.ts";
import type { MediaSession, ReaderLine, SessionCover } from "./reader-lines.ts";
import { runReader } from "./running-reader.ts";

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
  readonly clock: Pick<Clock, "monotonicMs" | "after" | "sleep">;
  /** The program and its words. */
  readonly command: readonly string[];
  /** After this time another process takes over; `Infinity` for never. */
  readonly replaceAfterMs: number;
}

/** Of all sessions: three of the largest. Those that came last are kept. */
const MOST_COVER_BYTES = 24 * 1024 * 1024;
const ENDS_AFTER_MS = 10_000;
const FIRST_RESTART_MS = 1_000;
/** After this many crashes within this time, it is not started again for as long. */
const MOST_CRASHES = 5;
const CRASHES_WITHIN_MS = 600_000;

export function createReaderProcess({ clock, command, replaceAfterMs }: ReaderProcessDeps) {
  const users = new Set<() => void>();
  const covers = createBoundedMap<string, SessionCover>(
    MOST_COVER_BYTES,
    ({ bytes }) => bytes.byteLength,
  );
  let state: ReaderState = { kind: "starting", crashes: 0 };
  /** Ends the reading; `undefined` while there is none. */
  let reading: AbortController | undefined;
  let cancelEnd = () => {};
  let crashes: number[] = [];
  /** It is not started again before. */
  let startsAtMs = Number.NEGATIVE_INFINITY;

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

  const noteCrash = (reason: string) => {
    covers.clear();
    const nowMs = clock.monotonicMs();
    crashes = [...crashes.filter((atMs) => nowMs - atMs < CRASHES_WITHIN_MS), nowMs];
    if (crashes.length < MOST_CRASHES) {
      startsAtMs = nowMs + FIRST_RESTART_MS * 2 ** (crashes.length - 1);
      return become({ kind: "starting", crashes: crashes.length });
    }
    crashes = [];
    startsAtMs = nowMs + CRASHES_WITHIN_MS;
    const times = `reading it has failed ${MOST_CRASHES} times`;
    become({ kind: "unavailable", reason: `${times}: ${reason}` });
  };

  const read = async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      const waitMs = startsAtMs - clock.monotonicMs();
      if (waitMs > 0) await clock.sleep(waitMs, signal);
      if (signal.aborted) return;
      const parts = { clock, command, receive, forMs: replaceAfterMs };
      const reason = await runReader(parts, signal);
      if (reason !== undefined) noteCrash(reason);
    }
  };

  const end = () => {
    reading?.abort();
    reading = undefined;
    covers.clear();
    const isResting = clock.monotonicMs() < startsAtMs;
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
      if (!reading) {
        reading = new AbortController();
        void read(reading.signal);
      }
      return () => {
        if (!users.delete(user) || users.size > 0) return;
        cancelEnd = clock.after(ENDS_AFTER_MS, end);
      };
    },
  };
}
