/** One media session of Windows, read step by step. Every object that is read is released. */
import { toArrayBuffer } from "bun:ffi";
import { LARGEST_COVER_BYTES } from "../../../../upstream/cover.ts";
import type { MediaSession } from "../reader-lines.ts";
import { ComError, type ComObject, needed, objectAt, returned } from "./com.ts";
import { CLASSES, GENERIC, INTERFACES } from "./interfaces.ts";
import type { Runtime } from "./runtime.ts";

const { session, playbackInfo, timeline, mediaProperties } = INTERFACES;

/** What a session reports at once. */
export type SessionNow = Pick<
  MediaSession,
  "app" | "state" | "media" | "rate" | "positionMs" | "ageMs" | "durationMs"
>;

/** What a session reports of its track, after a while. */
export type TrackTexts = Pick<
  MediaSession,
  "title" | "artist" | "albumArtist" | "album" | "trackNumber"
>;

const PLAYING = 4;
const PAUSED = 5;
const MEDIA = ["unknown", "music", "video", "image"] as const;

/** The program, what it does now, and where it is in the track. @throws {ComError} */
export function readNow(object: ComObject, runtime: Runtime, nowWallMs: number): SessionNow {
  return {
    app: runtime.text(object, session.slots.sourceAppUserModelId, "SourceAppUserModelId"),
    ...readPlayback(object),
    ...readTimeline(object, nowWallMs),
  };
}

function readPlayback(object: ComObject): Pick<SessionNow, "state" | "media" | "rate"> {
  using info = object.get(session.slots.getPlaybackInfo, "GetPlaybackInfo");
  if (info === null) return { state: "other", media: "unknown", rate: 1 };
  const { slots } = playbackInfo;
  const status = info.read(slots.playbackStatus, "PlaybackStatus", returned.i32);
  return {
    state: status === PLAYING ? "playing" : status === PAUSED ? "paused" : "other",
    media: MEDIA[valueOf(info, slots.playbackType, "PlaybackType", returned.i32) ?? 0] ?? "unknown",
    rate: valueOf(info, slots.playbackRate, "PlaybackRate", returned.f64) ?? 1,
  };
}

/** A value that may be absent; `undefined` then. */
function valueOf(
  object: ComObject,
  slot: number,
  what: string,
  read: () => number,
): number | undefined {
  using reference = object.get(slot, what);
  return reference?.read(GENERIC.reference.value, what, read);
}

const TICKS_IN_MS = 10_000n;
/** Windows counts from 1601. */
const UNIX_EPOCH_TICKS = 116_444_736_000_000_000n;
/** An older stamp is left over from another day. */
const OLDEST_STAMP_MS = 24 * 3_600_000;

const NO_TIMES = { positionMs: null, ageMs: 0, durationMs: null } as const;

function readTimeline(
  object: ComObject,
  nowWallMs: number,
): Pick<SessionNow, "positionMs" | "ageMs" | "durationMs"> {
  using times = object.get(session.slots.getTimelineProperties, "GetTimelineProperties");
  if (times === null) return NO_TIMES;
  const ticks = (slot: number, what: string) => times.read(slot, what, returned.i64);
  const { slots } = timeline;
  return timesOf(
    {
      start: ticks(slots.startTime, "StartTime"),
      end: ticks(slots.endTime, "EndTime"),
      position: ticks(slots.position, "Position"),
      updated: ticks(slots.lastUpdatedTime, "LastUpdatedTime"),
    },
    nowWallMs,
  );
}

/** Times in units of 100 nanoseconds; `updated` is counted from 1601, 0 for never. */
export interface Timeline {
  readonly start: bigint;
  readonly end: bigint;
  readonly position: bigint;
  readonly updated: bigint;
}

/** What a timeline says: the position is a stamp of the moment at which the player reported it. */
export function timesOf(
  { start, end, position, updated }: Timeline,
  nowWallMs: number,
): Pick<SessionNow, "positionMs" | "ageMs" | "durationMs"> {
  if (updated === 0n || end <= start) return NO_TIMES;
  const updatedMs = Number((updated - UNIX_EPOCH_TICKS) / TICKS_IN_MS);
  const ageMs = Math.max(0, nowWallMs - updatedMs);
  if (ageMs > OLDEST_STAMP_MS) return NO_TIMES;
  const durationMs = Number((end - start) / TICKS_IN_MS);
  const positionMs = Number((position - start) / TICKS_IN_MS);
  return {
    positionMs: Math.min(Math.max(0, positionMs), durationMs),
    ageMs: Math.min(ageMs, durationMs),
    durationMs,
  };
}

/**
 * The track's names and the reference to its cover, which the caller releases.
 * @throws {ComError}
 */
export async function readTrack(
  object: ComObject,
  runtime: Runtime,
): Promise<{ texts: TrackTexts; thumbnail: ComObject | null }> {
  const what = "TryGetMediaPropertiesAsync";
  const operation = needed(object.get(session.slots.tryGetMediaPropertiesAsync, what), what);
  using properties = await runtime.complete(operation, GENERIC.asyncOperation.getResults, what);
  if (properties === null) return { texts: NO_TEXTS, thumbnail: null };
  const { slots } = mediaProperties;
  const text = (slot: number, name: string) => runtime.text(properties, slot, name);
  const texts = {
    title: text(slots.title, "Title"),
    artist: text(slots.artist, "Artist"),
    albumArtist: text(slots.albumArtist, "AlbumArtist"),
    album: text(slots.albumTitle, "AlbumTitle"),
    trackNumber: properties.read(slots.trackNumber, "TrackNumber", returned.i32),
  };
  return { texts, thumbnail: properties.get(slots.thumbnail, "Thumbnail") };
}

const NO_TEXTS: TrackTexts = {
  title: "",
  artist: "",
  albumArtist: "",
  album: "",
  trackNumber: 0,
};

const E_OUTOFMEMORY = 0x8007000e;

/**
 * The bytes of the picture that a reference leads to.
 * @throws {ComError} also for one of more than 8 MiB, or of a negative size
 */
export async function readCover(thumbnail: ComObject, runtime: Runtime): Promise<Uint8Array> {
  const opening = thumbnail.get(INTERFACES.streamReference.slots.openReadAsync, "OpenReadAsync");
  using opened = await runtime.complete(
    needed(opening, "OpenReadAsync"),
    GENERIC.asyncOperation.getResults,
    "OpenReadAsync",
  );
  const stream = needed(opened, "OpenReadAsync");
  using sized = stream.as(INTERFACES.randomAccessStream.id, "IRandomAccessStream");
  const size = Number(sized.read(INTERFACES.randomAccessStream.slots.size, "Size", returned.i64));
  // The size comes from the player: it may be anything, also negative.
  if (!(size >= 0 && size <= LARGEST_COVER_BYTES)) throw new ComError(E_OUTOFMEMORY, "Size");
  try {
    using input = stream.as(INTERFACES.inputStream.id, "IInputStream");
    return await readAll(input, size, runtime);
  } finally {
    using closable = stream.as(INTERFACES.closable.id, "IClosable");
    closable.call(INTERFACES.closable.slots.close, "Close", "none");
  }
}

async function readAll(input: ComObject, size: number, runtime: Runtime): Promise<Uint8Array> {
  using factory = runtime.factory(CLASSES.buffer, INTERFACES.bufferFactory.id);
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const wanted = size - length;
    factory.call(INTERFACES.bufferFactory.slots.create, "Create", "numberThenPlace", wanted);
    using empty = needed(objectAt(returned.address()), "Create");
    input.call(
      INTERFACES.inputStream.slots.readAsync,
      "ReadAsync",
      "read",
      empty.address,
      wanted,
      0,
    );
    const reading = needed(objectAt(returned.address()), "ReadAsync");
    // Often another buffer than the one that was given.
    using filled = await runtime.complete(
      reading,
      GENERIC.asyncOperationWithProgress.getResults,
      "ReadAsync",
    );
    const part = filled === null ? new Uint8Array(0) : bytesOf(filled, wanted);
    if (part.length === 0) break;
    bytes.set(part, length);
    length += part.length;
  }
  return bytes.subarray(0, length);
}

/** A copy of what a buffer holds, at most `most` bytes of it. */
function bytesOf(buffer: ComObject, most: number): Uint8Array {
  using described = buffer.as(INTERFACES.buffer.id, "IBuffer");
  const length = Math.min(
    described.read(INTERFACES.buffer.slots.length, "Length", returned.u32),
    most,
  );
  if (length === 0) return new Uint8Array(0);
  using access = buffer.as(INTERFACES.bufferByteAccess.id, "IBufferByteAccess");
  const address = access.read(INTERFACES.bufferByteAccess.slots.buffer, "Buffer", returned.address);
  return address === null
    ? new Uint8Array(0)
    : new Uint8Array(toArrayBuffer(address, 0, length).slice(0));
}
