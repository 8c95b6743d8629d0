import { createBoundedMap } from "../../../bounded-map.ts";
import type { Clock } from "../../../clock.ts";
import { createInTurn } from "../../../in-turn.ts";
import type { Artwork } from "../../../playback.ts";
import { LARGEST_COVER_BYTES } from "../../../upstream/cover.ts";
import type { MpdConnection } from "./connection.ts";
import { fieldOf, MpdRefusal, type MpdResponse, quote } from "./protocol.ts";

/** Longest time to read a whole cover, which MPD sends in pieces. */
const LONGEST_READ_MS = 30_000;

/** Most memory for the covers of all users together, before they are drawn. */
const MOST_ORIGINAL_BYTES = 32 * 1024 * 1024;
const originals = createBoundedMap<string, Uint8Array>(MOST_ORIGINAL_BYTES, ({ length }) => length);

/**
 * Finds covers in song files, else in their folders. It has its own connection, because the first
 * one is busy waiting for changes. Pausing and seeking do not read the same song's cover again.
 */
export function createCoverLookup(
  connect: () => Promise<MpdConnection>,
  { clock, signal, origin }: { clock: Clock; signal: AbortSignal; origin: string },
) {
  let connection: Promise<MpdConnection> | undefined;
  let last: { uri: string; cover: Promise<Artwork | null> } | undefined;
  /** Counts the requested songs: only the cover of the last one is still needed. */
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
      // A title without a cover is better than none. The next cover gets a new connection.
      hangUp();
      return null;
    } finally {
      cancel();
    }
  };

  /** Uses a new connection, since the other one may be in the middle of an answer. */
  const readAgain = async (uri: string, key: string): Promise<Uint8Array> => {
    if (signal.aborted) throw new Error("its MPD is no longer followed");
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
  /** Many reads at once would fill the memory. */
  const inTurn = createInTurn();

  const toArtwork = (uri: string, bytes: Uint8Array): Artwork => {
    const key = keyOf(bytes);
    originals.set(key, bytes);
    const load = async () => originals.take(key) ?? inTurn(() => readAgain(uri, key));
    return { key, origin, load };
  };

  return {
    /** A song's cover; `null` when it has none. */
    find(uri: string): Promise<Artwork | null> {
      if (last?.uri !== uri) {
        const turn = ++turns;
        // One command at a time: the previous song's read ends with its current answer.
        const before = last?.cover ?? Promise.resolve();
        last = { uri, cover: before.then(() => read(uri, () => turn === turns)) };
      }
      return last.cover;
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
 * Reads a picture, which MPD sends in pieces. `null` when the song has none of this kind, the
 * pieces do not fit together, or the picture is no longer needed.
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

/** The whole picture's size in bytes, as answered; `undefined` when it is not plausible. */
function sizeOf(answer: MpdResponse): number | undefined {
  const size = Number(fieldOf(answer, "size"));
  return Number.isInteger(size) && size >= 1 && size <= LARGEST_COVER_BYTES ? size : undefined;
}

/** `null` on ACK: MPD sends it for a missing picture, for streams and for unknown files. */
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
