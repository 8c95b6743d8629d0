/**
 * The program that reads the media sessions of Windows for the server, as a process of its own: a player
 * that hangs or crashes in a call takes only this one along. It writes lines as in `../reader-lines.ts`.
 * https://learn.microsoft.com/en-us/uwp/api/windows.media.control
 */
import type { MediaSession } from "../reader-lines.ts";
import { ComError, type ComObject, needed, objectAt, returned } from "./com.ts";
import { CLASSES, GENERIC, INTERFACES } from "./interfaces.ts";
import { explain, type Runtime } from "./runtime.ts";
import { readCover, readNow, readTrack, type SessionNow, type TrackTexts } from "./session.ts";

export interface ReaderDeps {
  readonly runtime: Runtime;
  readonly clock: {
    wallMs(): number;
    monotonicMs(): number;
    pause(ms: number): Promise<void>;
  };
  /** Writes a line. @throws when nobody reads any more */
  write(line: string): void;
}

const READ_EVERY_MS = 250;
const ALIVE_EVERY_MS = 5_000;
/** A session that answers is in the same reading; one that hangs delays no other. */
const WAIT_FOR_TRACKS_MS = 50;
/** Players send covers late, or first that of the track before. Counted from a new track. */
const COVER_AGAIN_AFTER_MS = [500, 1_500, 3_000] as const;
const MOST_SESSIONS = 32;

/** What is known of a program's session between readings. */
interface Known {
  now: SessionNow;
  texts: TrackTexts | null;
  problem: string | null;
  readMs: number;
  isReading: boolean;
  /** The digest of its cover; `null` without one. */
  cover: string | null;
  /** That of the track before, which a player may still give. */
  formerCover: string | null;
  trackSinceMs: number;
  /** How many times the cover of this track has been read. */
  coverReads: number;
}

/** Reads for ever. Ends by throwing when nobody reads what it writes. */
export async function readSessions({ runtime, clock, write }: ReaderDeps): Promise<never> {
  const reader = createReader({ runtime, clock, write });
  while (true) {
    try {
      using manager = await requestManager(runtime);
      while (true) {
        await reader.readOnce(manager);
        await clock.pause(READ_EVERY_MS);
      }
    } catch (error) {
      if (!(error instanceof ComError)) throw error;
      reader.reportFailure(explain(error));
      await clock.pause(ALIVE_EVERY_MS);
    }
  }
}

/** @throws {ComError} */
export async function requestManager(runtime: Runtime): Promise<ComObject> {
  using statics = runtime.factory(CLASSES.manager, INTERFACES.managerStatics.id);
  const operation = statics.get(INTERFACES.managerStatics.slots.requestAsync, "RequestAsync");
  const manager = await runtime.complete(
    needed(operation, "RequestAsync"),
    GENERIC.asyncOperation.getResults,
    "RequestAsync",
  );
  return needed(manager, "RequestAsync");
}

export function createReader({ runtime, clock, write }: ReaderDeps) {
  let known = new Map<string, Known>();
  let lastWritten = "";
  let lastLineAtMs = clock.monotonicMs();

  const report = (line: object) => {
    write(JSON.stringify(line));
    lastLineAtMs = clock.monotonicMs();
  };

  const reportChanges = () => {
    const sessions = [...known.values()].map(lineOf);
    // An age grows and a reading takes its time without any change.
    const written = JSON.stringify(sessions.map(({ ageMs: _, readMs: __, ...rest }) => rest));
    if (written !== lastWritten) {
      lastWritten = written;
      report({ sessions });
    } else if (clock.monotonicMs() - lastLineAtMs >= ALIVE_EVERY_MS) report({ alive: true });
  };

  /** Reads the track of one session, and its cover when it is time. Owns the session. */
  const readMore = async (session: ComObject, one: Known): Promise<void> => {
    const beganAtMs = clock.monotonicMs();
    one.isReading = true;
    try {
      using owned = session;
      const { texts, thumbnail } = await readTrack(owned, runtime);
      using picture = thumbnail;
      if (!isSameTrack(one.texts, texts)) beginTrack(one, texts, beganAtMs);
      one.texts = texts;
      one.problem = null;
      await readCoverWhenDue(one, picture);
    } catch (error) {
      if (!(error instanceof ComError)) throw error;
      one.problem = error.message;
    } finally {
      one.isReading = false;
      one.readMs = Math.round(clock.monotonicMs() - beganAtMs);
    }
  };

  const readCoverWhenDue = async (one: Known, picture: ComObject | null): Promise<void> => {
    const dueMs = [0, ...COVER_AGAIN_AFTER_MS][one.coverReads];
    if (dueMs === undefined || clock.monotonicMs() - one.trackSinceMs < dueMs) return;
    one.coverReads += 1;
    if (picture === null) return;
    const bytes = await readCover(picture, runtime);
    if (bytes.length === 0) return;
    const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("base64url").slice(0, 22);
    if (digest === one.cover) return;
    // At the very beginning it may be that of the track before.
    if (digest === one.formerCover && one.coverReads === 1) return;
    report({ cover: { app: one.now.app, digest, base64: Buffer.from(bytes).toBase64() } });
    one.cover = digest;
  };

  return {
    /** Reads every session once, and writes what has changed. @throws {ComError} */
    async readOnce(manager: ComObject) {
      const reads: Promise<void>[] = [];
      const next = new Map<string, Known>();
      for (const session of sessionsOf(manager)) {
        let isHandedOver = false;
        try {
          const now = readNow(session, runtime, clock.wallMs());
          const key = keyIn(next, now.app);
          const one = known.get(key) ?? newlyKnown(now, clock.monotonicMs());
          one.now = now;
          next.set(key, one);
          if (one.isReading) continue;
          isHandedOver = true;
          reads.push(readMore(session, one));
        } catch (error) {
          // The program of the session has ended: the others are read.
          if (!(error instanceof ComError)) throw error;
        } finally {
          if (!isHandedOver) session[Symbol.dispose]();
        }
      }
      known = next;
      if (reads.length > 0) {
        await Promise.race([Promise.all(reads), clock.pause(WAIT_FOR_TRACKS_MS)]);
      }
      reportChanges();
    },
    reportFailure(reason: string) {
      lastWritten = "";
      report({ failed: reason });
    },
  };
}

/** The sessions that are there now; each is released by who takes it. @throws {ComError} */
function* sessionsOf(manager: ComObject): Generator<ComObject, void> {
  const { getSessions } = INTERFACES.manager.slots;
  using list = needed(manager.get(getSessions, "GetSessions"), "GetSessions");
  const size = Math.min(list.read(GENERIC.vectorView.size, "Size", returned.u32), MOST_SESSIONS);
  for (let index = 0; index < size; index += 1) {
    try {
      list.call(GENERIC.vectorView.getAt, "GetAt", "numberThenPlace", index);
    } catch (error) {
      // The list has become shorter.
      if (error instanceof ComError) return;
      throw error;
    }
    const session = objectAt(returned.address());
    if (session !== null) yield session;
  }
}

/** A program may have several sessions. */
function keyIn(sessions: ReadonlyMap<string, Known>, app: string): string {
  let number = 0;
  while (sessions.has(`${app} ${number}`)) number += 1;
  return `${app} ${number}`;
}

const newlyKnown = (now: SessionNow, nowMs: number): Known => ({
  now,
  texts: null,
  problem: null,
  readMs: 0,
  isReading: false,
  cover: null,
  formerCover: null,
  trackSinceMs: nowMs,
  coverReads: 0,
});

const isSameTrack = (before: TrackTexts | null, texts: TrackTexts): boolean =>
  before !== null && Bun.deepEquals(before, texts);

/** A cover stays while the album does: covers of one album are often the same. */
function beginTrack(one: Known, texts: TrackTexts, nowMs: number): void {
  const isSameAlbum = texts.album !== "" && texts.album === one.texts?.album;
  one.formerCover = isSameAlbum ? null : one.cover;
  if (!isSameAlbum) one.cover = null;
  one.trackSinceMs = nowMs;
  one.coverReads = 0;
}

function lineOf({ now, texts, cover, problem, readMs }: Known): MediaSession {
  const { title = "", artist = "", albumArtist = "", album = "", trackNumber = 0 } = texts ?? {};
  const track = { title, artist, albumArtist, album, trackNumber };
  return { ...now, name: "", ...track, cover, problem, readMs };
}
