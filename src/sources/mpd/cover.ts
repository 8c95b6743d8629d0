import { createBoundedMap } from "../../bounded-map.ts";
import type { Clock } from "../../clock.ts";
import type { Artwork } from "../../playback.ts";
import type { MpdConnection } from "./connection.ts";
import { fieldOf, MpdRefusal, type MpdResponse, quote } from "./protocol.ts";

/** What is known of a song's cover: at once or nearly so, and later. */
export interface CoverAnswer {
  /** The cover, or `null` when it has none or it is not known within a moment. */
  readonly soon: Promise<Artwork | null>;
  /** The cover if `soon` missed it, else `null`. */
  late(): Promise<Artwork | null>;
}

export interface CoverLookup {
  find(uri: string): CoverAnswer;
  close(): void;
}

/** A title is not held back longer than this for its cover. */
const MOMENT_MS = 60;
const LARGEST_COVER_BYTES = 8 * 1024 * 1024;
/** Longest time to read a cover, however small the pieces are that it comes in. */
const LONGEST_READ_MS = 30_000;

/** What all listeners' covers together may take before they are drawn. */
const MOST_ORIGINAL_BYTES = 32 * 1024 * 1024;
const originals = createBoundedMap<string, Uint8Array>(MOST_ORIGINAL_BYTES, ({ length }) => length);

/**
 * Finds covers in files, else in their folders, over a connection of its own: the first one is
 * busy waiting for changes. Pausing and seeking do not read the same song's cover again.
 */
export function createCoverLookup(
  connect: () => Promise<MpdConnection>,
  { clock, signal, origin }: { clock: Clock; signal: AbortSignal; origin: string },
): CoverLookup {
  let connection: Promise<MpdConnection> | undefined;
  let last: { uri: string; cover: Promise<Artwork | null> } | undefined;
  /** Counts the songs that were asked for: only the last one's cover is still wanted. */
  let turns = 0;

  const hangUp = () => {
    connection?.then((open) => open.close()).catch(() => undefined);
    connection = undefined;
  };

  const read = async (uri: string, isWanted: () => boolean): Promise<Artwork | null> => {
    if (!isWanted()) return null;
    const cancel = clock.after(LONGEST_READ_MS, hangUp);
    try {
      connection ??= connect();
      const open = await connection;
      const bytes = await readCover(open, uri, isWanted);
      return bytes && toArtwork(uri, bytes);
    } catch {
      // A title without its cover beats no title; the connection is made anew for the next one.
      hangUp();
      return null;
    } finally {
      cancel();
    }
  };

  /** Over a connection of its own, since the other one may be in the middle of an answer. */
  const readAgain = async (uri: string, key: string): Promise<Uint8Array> => {
    if (signal.aborted) throw new Error("its MPD is no longer listened to");
    const open = await connect();
    const cancel = clock.after(LONGEST_READ_MS, () => open.close());
    try {
      const bytes = await readCover(open, uri, () => !signal.aborted);
      if (bytes && keyOf(bytes) === key) return bytes;
      throw new Error("MPD has another cover by now, or none");
    } finally {
      cancel();
      open.close();
    }
  };
  /** One after another, so that many at once do not fill the memory. */
  let reading: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(read: () => Promise<T>): Promise<T> => {
    const turn = reading.then(read);
    reading = turn.catch(() => undefined);
    return turn;
  };

  const toArtwork = (uri: string, bytes: Uint8Array): Artwork => {
    const key = keyOf(bytes);
    originals.set(key, bytes);
    const load = async () => originals.take(key) ?? inTurn(() => readAgain(uri, key));
    return { key, origin, load };
  };

  return {
    find(uri) {
      if (last?.uri !== uri) {
        const turn = ++turns;
        // One question at a time: the song before gets its answer first, and asks no other.
        const before = last?.cover ?? Promise.resolve();
        last = { uri, cover: before.then(() => read(uri, () => turn === turns)) };
      }
      const { cover } = last;
      let missed = false;
      const moment = clock.sleep(MOMENT_MS, signal).then(() => {
        missed = true;
        return null;
      });
      const soon = Promise.race([cover, moment]);
      return {
        soon,
        late: async () => ((await soon) === null && missed ? cover : null),
      };
    },
    close() {
      turns++;
      hangUp();
    },
  };
}

/** The picture in a song's file, else the one in its folder; `null` when there is neither. */
const readCover = async (
  connection: MpdConnection,
  uri: string,
  isWanted: () => boolean,
): Promise<Uint8Array | null> =>
  (await readPicture(connection, "readpicture", uri, isWanted)) ??
  (await readPicture(connection, "albumart", uri, isWanted));

/**
 * A picture in pieces as MPD sends it, or `null` when the song has none of this kind, the pieces
 * do not make one, or it is no longer wanted.
 */
async function readPicture(
  connection: MpdConnection,
  command: "readpicture" | "albumart",
  uri: string,
  isWanted: () => boolean,
): Promise<Uint8Array | null> {
  let picture: Uint8Array | undefined;
  let received = 0;
  while (isWanted()) {
    const answer = await sendUnlessMissing(connection, `${command} ${quote(uri)} ${received}`);
    const size = answer && sizeOf(answer);
    const piece = answer?.binary;
    if (!size || !piece || piece.length === 0) return null;
    picture ??= new Uint8Array(size);
    if (size !== picture.length || received + piece.length > size) return null;
    picture.set(piece, received);
    received += piece.length;
    if (received === size) return picture;
  }
  return null;
}

/** The whole picture's bytes as an answer tells them; `undefined` when that cannot be. */
function sizeOf(answer: MpdResponse): number | undefined {
  const size = Number(fieldOf(answer, "size"));
  return Number.isInteger(size) && size >= 1 && size <= LARGEST_COVER_BYTES ? size : undefined;
}

/** MPD answers ACK when there is no picture, and to streams and files it does not know. */
async function sendUnlessMissing(connection: MpdConnection, command: string) {
  try {
    return await connection.send(command);
  } catch (error) {
    if (error instanceof MpdRefusal) return null;
    throw error;
  }
}

const keyOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("base64url");
