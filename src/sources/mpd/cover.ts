import type { Clock } from "../../clock.ts";
import type { Artwork } from "../../playback/playback.ts";
import type { MpdConnection } from "./connection.ts";
import { fieldOf, MpdRefusal, quote } from "./protocol.ts";

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

/**
 * Finds covers in files, else in their folders, over a connection of its own: the first one is
 * busy waiting for changes. Pausing and seeking do not read the same song's cover again.
 */
export function createCoverLookup(
  connect: () => Promise<MpdConnection>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): CoverLookup {
  let connection: Promise<MpdConnection> | undefined;
  let last: { uri: string; cover: Promise<Artwork | null> } | undefined;

  const read = async (uri: string): Promise<Artwork | null> => {
    try {
      connection ??= connect();
      const open = await connection;
      const bytes =
        (await readPicture(open, "readpicture", uri)) ?? (await readPicture(open, "albumart", uri));
      return bytes && toArtwork(bytes);
    } catch {
      // A title without its cover beats no title; the connection is made anew for the next one.
      connection?.then((open) => open.close()).catch(() => undefined);
      connection = undefined;
      return null;
    }
  };

  return {
    find(uri) {
      if (last?.uri !== uri) last = { uri, cover: read(uri) };
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
      connection?.then((open) => open.close()).catch(() => undefined);
    },
  };
}

/** A picture in pieces as MPD sends it, or `null` when the song has none of this kind. */
async function readPicture(
  connection: MpdConnection,
  command: "readpicture" | "albumart",
  uri: string,
): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let received = 0;
  for (;;) {
    const answer = await sendUnlessMissing(connection, `${command} ${quote(uri)} ${received}`);
    const size = Number(answer && fieldOf(answer, "size"));
    if (!answer?.binary || answer.binary.length === 0 || size > LARGEST_COVER_BYTES) return null;
    pieces.push(answer.binary);
    received += answer.binary.length;
    if (received >= size) return Buffer.concat(pieces);
  }
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

function toArtwork(bytes: Uint8Array): Artwork {
  const key = new Bun.CryptoHasher("sha256").update(bytes).digest("base64url");
  return { key, load: async () => bytes };
}
