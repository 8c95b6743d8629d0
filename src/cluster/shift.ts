import type { ConnectionState, KnownConnection } from "../channels/connection-state.ts";
import { type Artwork, type Playback, reconcile } from "../playback.ts";
import type {
  ArtworkReference,
  SentConnection,
  SentFailure,
  SentPlayback,
  SentState,
} from "./message.ts";

/**
 * States go over the bus as they are, with the sender's monotonic time. Whoever receives them shifts
 * their times by the difference to the own clock.
 */

/** Makes a picture that can be loaded of one that another node has named. */
export type ArtworkFrom = (named: ArtworkReference) => Artwork;

export const shiftPlayback = (
  playback: SentPlayback,
  byMs: number,
  artworkFrom: ArtworkFrom,
): Playback => ({
  ...playback,
  album: { ...playback.album, artworks: playback.album.artworks.map(artworkFrom) },
  observedAtMs: playback.observedAtMs + byMs,
});

function shiftState(state: SentState, byMs: number, artworkFrom: ArtworkFrom): ConnectionState {
  if (state.kind === "silent" || state.kind === "unlinked") return state;
  const shift = (atMs: number | null) => (atMs ?? -Infinity) + byMs;
  const pause = state.pause && { ...state.pause, sinceMs: shift(state.pause.sinceMs) };
  if (state.kind === "waiting") return { ...state, sinceMs: shift(state.sinceMs), pause };
  const shiftFailure = (failure: SentFailure) => ({
    sinceMs: shift(failure.sinceMs),
    nextTryMs: failure.nextTryMs + byMs,
  });
  if (state.kind === "failing") return { ...state, failure: shiftFailure(state.failure), pause };
  return {
    ...state,
    playback: state.playback && shiftPlayback(state.playback, byMs, artworkFrom),
    reportedAtMs: shift(state.reportedAtMs),
    failure: state.failure && shiftFailure(state.failure),
    pause,
  };
}

/**
 * The published connections as they are known here from now on. A node that has just taken a user
 * over, and cannot read the user's connections, reports only that it fails: then all that are known
 * fail.
 * @param before the connections as they were known here
 * @param byMs this node's monotonic time less the sender's
 */
export function shiftConnections(
  sent: readonly SentConnection[],
  before: readonly KnownConnection[] | undefined,
  byMs: number,
  artworkFrom: ArtworkFrom,
): KnownConnection[] {
  const shifted = sent.map((one) => ({
    ...one,
    connectionId: one.connectionId,
    state: shiftState(one.state, byMs, artworkFrom),
  }));
  const [first] = shifted;
  const isUnread = first?.connectionId === undefined && first?.state.kind === "failing";
  if (isUnread && shifted.length === 1 && before && before.length > 0) {
    return before.map((known) =>
      known.state.kind === "reported"
        ? { ...known, state: continueState(known.state, first.state) }
        : known,
    );
  }
  return shifted.map((one) => {
    const known = before?.find(({ connectionId }) => connectionId === one.connectionId);
    return { ...one, state: continueState(known?.state, one.state) };
  });
}

/**
 * Continues what was known. A node that has just taken a user over knows less than we do: until it
 * has got something, what was known stays; then the track's position does not jump by what two
 * nodes measured differently, and a pause keeps its age.
 */
function continueState(
  before: ConnectionState | undefined,
  next: ConnectionState,
): ConnectionState {
  if (before?.kind !== "reported") return next;
  if (next.kind === "waiting") return before;
  if (next.kind === "failing") return { ...before, failure: before.failure ?? next.failure };
  if (next.kind !== "reported") return next;
  const goesOn =
    before.pause &&
    before.pause.song === next.pause?.song &&
    before.pause.positionMs === next.pause.positionMs &&
    before.pause.sinceMs < next.pause.sinceMs;
  const pause = goesOn ? before.pause : next.pause;
  return { ...next, playback: reconcile(before.playback, next.playback), pause };
}
