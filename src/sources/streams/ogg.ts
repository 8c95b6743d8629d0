import { decodeText } from "../../decode-text.ts";

/**
 * Finds the names in an Ogg stream (https://www.rfc-editor.org/rfc/rfc3533), whose pages arrive cut anywhere.
 * Audio is passed over. A broadcast is a chain of logical streams: one ends and the next begins with each song.
 */

/** What the comments at the beginning of a song name; what they do not name is empty. */
export interface SongComments {
  readonly title: string;
  /** Several artists are joined by commas. */
  readonly artist: string;
  readonly album: string;
}

export interface OggReader {
  /** The songs whose comments are complete with these bytes, which are not kept. */
  push(bytes: Uint8Array): readonly SongComments[];
}

/** A cover may follow the names; it is not kept. */
const MOST_COMMENT_BYTES = 16 * 1024;
const MOST_COMMENTS = 100;
const CAPTURE_PATTERN = "OggS";
/** The header of a page without its capture pattern. */
const HEADER_BYTES = 23;
/** A segment of this size goes on in the next one. */
const UNFINISHED = 255;
const BEGINS_STREAM = 2;

export const isOgg = (bytes: Uint8Array): boolean =>
  latin1(bytes.subarray(0, CAPTURE_PATTERN.length)) === CAPTURE_PATTERN;

export function createOggReader(): OggReader {
  const found: SongComments[] = [];
  /** The end of what is no page, with which the next one may begin. */
  let passed: Uint8Array = new Uint8Array();
  const reading = readPages(
    (comments) => found.push(comments),
    (bytes) => (passed = bytes),
  );
  let { value: wanted } = reading.next();

  /** What follows the next capture pattern. A search by single bytes would take a thousand times as long. */
  const afterCapture = (bytes: Uint8Array): Uint8Array => {
    const searched = Buffer.concat([passed, bytes]);
    const at = searched.indexOf(CAPTURE_PATTERN);
    if (at === -1) {
      passed = Buffer.from(searched.subarray(1 - CAPTURE_PATTERN.length));
      return new Uint8Array();
    }
    wanted = reading.next(searched).value;
    return searched.subarray(at + CAPTURE_PATTERN.length);
  };

  return {
    push(bytes) {
      for (let rest = bytes; rest.length > 0;) {
        if (wanted === LOST) {
          rest = afterCapture(rest);
          continue;
        }
        const part = rest.subarray(0, wanted);
        rest = rest.subarray(part.length);
        wanted = reading.next(part).value;
      }
      return found.splice(0);
    },
  };
}

/** Is yielded where no page begins, until the next capture pattern has passed. */
const LOST = 0;

/** Yields how many bytes it wants, and is given at least one and at most as many. */
type Reading<Result> = Generator<number, Result, Uint8Array>;

function* take(count: number): Reading<Uint8Array> {
  const taken = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const part = yield count - at;
    taken.set(part, at);
    at += part.length;
  }
  return taken;
}

function* passOver(count: number): Reading<void> {
  for (let left = count; left > 0;) left -= (yield left).length;
}

/** The song that has begun: its first packet names its codec, the second one is its comments. */
interface BegunSong {
  readonly serial: number;
  codec: Codec | undefined;
  packet: Uint8Array;
  isRead: boolean;
}

function* readPages(
  onComments: (comments: SongComments) => void,
  onLost: (bytes: Uint8Array) => void,
): Reading<never> {
  let song: BegunSong | undefined;
  for (;;) {
    const capture = yield* take(CAPTURE_PATTERN.length);
    if (!isOgg(capture)) {
      onLost(capture.subarray(1));
      yield LOST;
    }
    const header = yield* take(HEADER_BYTES);
    const serial = new DataView(header.buffer).getUint32(10, true);
    const sizes = yield* take(header[22] ?? 0);
    const begins = ((header[1] ?? 0) & BEGINS_STREAM) !== 0;
    const begun = begins ? newSong(serial) : song;
    for (const [size, isComplete] of packetsIn(sizes)) {
      if (begun?.serial !== serial || begun.isRead) {
        yield* passOver(size);
        continue;
      }
      const kept = Math.min(size, MOST_COMMENT_BYTES - begun.packet.length);
      begun.packet = Buffer.concat([begun.packet, yield* take(kept)]);
      yield* passOver(size - kept);
      if (isComplete) endPacket(begun, onComments);
    }
    // A video or an index may begin beside the audio.
    if (begun?.codec) song = begun;
  }
}

const newSong = (serial: number): BegunSong => ({
  serial,
  codec: undefined,
  packet: new Uint8Array(),
  isRead: false,
});

/** The parts of packets in a page, and whether the packet ends there. */
function* packetsIn(sizes: Uint8Array): Generator<readonly [size: number, isComplete: boolean]> {
  let size = 0;
  for (const segment of sizes) {
    size += segment;
    if (segment === UNFINISHED) continue;
    yield [size, true];
    size = 0;
  }
  if (size > 0) yield [size, false];
}

function endPacket(song: BegunSong, onComments: (comments: SongComments) => void): void {
  const packet = latin1(song.packet);
  if (song.codec === undefined) {
    song.codec = CODECS.find(({ begins }) => packet.startsWith(begins));
    song.isRead = song.codec === undefined;
  } else {
    song.isRead = true;
    const { comments } = song.codec;
    const prefix = comments.exec(packet)?.[0].length;
    if (prefix !== undefined) onComments(readComments(song.packet.subarray(prefix)));
  }
  song.packet = new Uint8Array();
}

interface Codec {
  /** How its first packet begins. */
  readonly begins: string;
  /** What its comments follow. */
  readonly comments: RegExp;
}

const CODECS: readonly Codec[] = [
  { begins: "\x01vorbis", comments: /^\x03vorbis/ },
  { begins: "OpusHead", comments: /^OpusTags/ },
  // The header of a metadata block: its kind, of which the first bit says that it is the last, and its length.
  { begins: "\x7fFLAC", comments: /^[\x04\x84].{3}/s },
];

/** The names in comments (https://xiph.org/vorbis/doc/v-comment.html), as far as sizes lead. */
function readComments(bytes: Uint8Array): SongComments {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const named = new Map<string, string[]>();
  const sizeAt = (at: number) => (at + 4 <= bytes.length ? view.getUint32(at, true) : Infinity);
  let at = 4 + sizeAt(0);
  const count = Math.min(sizeAt(at), MOST_COMMENTS);
  at += 4;
  for (let read = 0; read < count && at + 4 + sizeAt(at) <= bytes.length; read += 1) {
    const end = at + 4 + sizeAt(at);
    const [name = "", ...value] = decodeText(bytes.subarray(at + 4, end)).split("=");
    const key = name.toUpperCase();
    named.set(key, (named.get(key) ?? []).concat(value.join("=").trim()));
    at = end;
  }
  return {
    title: named.get("TITLE")?.[0] ?? "",
    artist: named.get("ARTIST")?.join(", ") ?? "",
    album: named.get("ALBUM")?.[0] ?? "",
  };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
