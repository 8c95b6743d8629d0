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

/** A cover may follow the names; it is not kept. */
const MOST_COMMENT_BYTES = 16 * 1024;
const MOST_COMMENTS = 100;
const MOST_ARTISTS = 10;
const CAPTURE_PATTERN = "OggS";
/** The header of a page, which the sizes of its segments follow. */
const HEADER_BYTES = 27;
/** A segment of this size goes on in the next one. */
const UNFINISHED = 255;
const BEGINS_STREAM = 2;

export const isOgg = (bytes: Uint8Array): boolean =>
  latin1(bytes.subarray(0, CAPTURE_PATTERN.length)) === CAPTURE_PATTERN;

/** Takes bytes, which are not kept, and gives the last song whose comments are complete with them. */
export type OggReader = (bytes: Uint8Array) => SongComments | undefined;

/** Of a page of audio nothing but its size is read: thousands of small ones may arrive at once. */
export function createOggReader(): OggReader {
  let song: BegunSong | undefined;
  let audioLeft = 0;
  /** The beginning of a page, with room for as much as is wanted of it. */
  let kept = NO_BYTES;
  let filled = 0;

  const keep = (beginning: Uint8Array, wanted: number) => {
    kept = Buffer.concat([beginning], wanted);
    filled = beginning.length;
  };

  /** These bytes after what was kept; `undefined` while that is less than is wanted. */
  const gather = (bytes: Uint8Array): Buffer | undefined => {
    const passed = Math.min(audioLeft, bytes.length);
    audioLeft -= passed;
    const rest = Buffer.from(bytes.buffer, bytes.byteOffset + passed, bytes.length - passed);
    if (filled === 0) return rest;
    const part = rest.subarray(0, kept.length - filled);
    kept.set(part, filled);
    filled += part.length;
    return filled < kept.length ? undefined : Buffer.concat([kept, rest.subarray(part.length)]);
  };

  /** Reads all pages that are there, and returns the last comments in them. */
  const readPages = (data: Buffer): Uint8Array | undefined => {
    let comments: Uint8Array | undefined;
    for (let at = 0; ;) {
      at = captureIn(data, at);
      const page = pageAt(data, at);
      if (typeof page === "number") {
        keep(data.subarray(at), page);
        return comments;
      }
      const begun = page.begins ? newSong(page.serial) : song;
      if (begun?.serial !== page.serial || begun.isRead) {
        at = Math.min(page.end, data.length);
        audioLeft = page.end - at;
        continue;
      }
      if (page.end > data.length) {
        keep(data.subarray(at), page.end - at);
        return comments;
      }
      comments = readPackets(begun, page, data) ?? comments;
      // A video or an index may begin beside the audio.
      if (begun.codec) song = begun;
      at = page.end;
    }
  };

  return (bytes) => {
    const data = gather(bytes);
    const comments = data && readPages(data);
    return comments && readComments(comments);
  };
}

/** Where the next page may begin: at the latest, in what may be the beginning of a capture pattern. */
function captureIn(data: Buffer, from: number): number {
  const at = data.indexOf(CAPTURE_PATTERN, from, "latin1");
  return at === -1 ? Math.max(from, data.length + 1 - CAPTURE_PATTERN.length) : at;
}

interface Page {
  readonly begins: boolean;
  readonly serial: number;
  readonly sizesAt: number;
  readonly bodyAt: number;
  readonly end: number;
}

/** The page at a place; while its sizes are not there, how many bytes are wanted. */
function pageAt(data: Buffer, at: number): Page | number {
  const sizesAt = at + HEADER_BYTES;
  if (sizesAt > data.length) return HEADER_BYTES;
  const bodyAt = sizesAt + (data[at + 26] ?? 0);
  if (bodyAt > data.length) return bodyAt - at;
  let end = bodyAt;
  for (let place = sizesAt; place < bodyAt; place += 1) end += data[place] ?? 0;
  const begins = ((data[at + 5] ?? 0) & BEGINS_STREAM) !== 0;
  return { begins, serial: data.readUInt32LE(at + 14), sizesAt, bodyAt, end };
}

/** The song that has begun: its first packet names its codec, the second one is its comments. */
interface BegunSong {
  readonly serial: number;
  codec: Codec | undefined;
  packet: Buffer;
  isRead: boolean;
}

const NO_BYTES = Buffer.alloc(0);

const newSong = (serial: number): BegunSong => ({
  serial,
  codec: undefined,
  packet: NO_BYTES,
  isRead: false,
});

/** Reads a page of a song, and returns its comments if they end there. */
function readPackets(song: BegunSong, page: Page, data: Buffer): Uint8Array | undefined {
  let from = page.bodyAt;
  let end = from;
  for (let place = page.sizesAt; place < page.bodyAt && !song.isRead; place += 1) {
    const size = data[place] ?? 0;
    end += size;
    if (size === UNFINISHED) continue;
    const comments = endPacket(song, packetOf(song, data.subarray(from, end)));
    if (comments) return comments;
    from = end;
  }
  const packet = packetOf(song, data.subarray(from, end));
  if (!song.isRead && packet !== song.packet) song.packet = Buffer.from(packet);
  return undefined;
}

/** What is kept of a packet that goes on with these bytes. */
function packetOf({ packet }: BegunSong, bytes: Buffer): Buffer {
  const room = MOST_COMMENT_BYTES - packet.length;
  if (room === 0 || bytes.length === 0) return packet;
  const part = bytes.subarray(0, room);
  return packet.length === 0 ? part : Buffer.concat([packet, part]);
}

/** Takes a packet that is complete, and returns the comments in it. */
function endPacket(song: BegunSong, packet: Buffer): Uint8Array | undefined {
  const beginning = latin1(packet.subarray(0, LONGEST_PREFIX));
  song.packet = NO_BYTES;
  if (song.codec) {
    song.isRead = true;
    const prefix = song.codec.comments.exec(beginning)?.[0].length;
    return prefix === undefined ? undefined : packet.subarray(prefix);
  }
  song.codec = CODECS.find(({ begins }) => beginning.startsWith(begins));
  song.isRead = song.codec === undefined;
  return undefined;
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

/** Of what a packet begins with. */
const LONGEST_PREFIX = 8;

/** The names in comments (https://xiph.org/vorbis/doc/v-comment.html), as far as sizes lead. */
function readComments(bytes: Uint8Array): SongComments {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const named = new Map<string, string[]>([
    ["TITLE", []],
    ["ARTIST", []],
    ["ALBUM", []],
  ]);
  const sizeAt = (at: number) => (at + 4 <= bytes.length ? view.getUint32(at, true) : Infinity);
  let at = 4 + sizeAt(0);
  const count = Math.min(sizeAt(at), MOST_COMMENTS);
  at += 4;
  for (let read = 0; read < count && at + 4 + sizeAt(at) <= bytes.length; read += 1) {
    const comment = bytes.subarray(at + 4, at + 4 + sizeAt(at));
    at += 4 + comment.length;
    const equals = comment.indexOf("=".charCodeAt(0));
    const values = named.get(latin1(comment.subarray(0, equals)).toUpperCase());
    if (equals === -1 || !values || values.length >= MOST_ARTISTS) continue;
    values.push(decodeText(comment.subarray(equals + 1)).trim());
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
