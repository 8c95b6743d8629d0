import type {
  ConnectionState,
  Failure,
  HeardConnection,
  Pause,
} from "../channels/connection-state.ts";
import { type Artwork, type Playback, reconcile } from "../playback.ts";
import type { ArtworkReference, ToldConnection, ToldPlayback, ToldState } from "./message.ts";

/**
 * What watching has brought, told to other nodes and heard from them. Told times are ages: nodes'
 * clocks are never compared.
 */

type ToldFailure = Extract<ToldState, { kind: "failing" }>["failure"];
type ToldPause = NonNullable<Extract<ToldState, { kind: "heard" }>["pause"]>;

/** Loads a picture that another node has named. */
export type ArtworkFrom = (told: ArtworkReference) => Artwork;

export const toldConnection = (connection: HeardConnection, nowMs: number): ToldConnection => ({
  ...(connection.connectionId !== undefined && { id: connection.connectionId }),
  delivery: connection.delivery,
  ...(connection.pollsEveryMs !== undefined && { pollsEveryMs: connection.pollsEveryMs }),
  state: toldState(connection.state, nowMs),
});

function toldState(state: ConnectionState, nowMs: number): ToldState {
  switch (state.kind) {
    case "silent":
    case "unlinked":
      return state;
    case "waiting":
      return { kind: "waiting", ageMs: ageOf(state.sinceMs, nowMs), ...toldPause(state, nowMs) };
    case "failing":
      return {
        kind: "failing",
        failure: toldFailure(state.failure, nowMs),
        ...toldPause(state, nowMs),
      };
    case "heard":
      return {
        kind: "heard",
        playback: state.playback && toldPlayback(state.playback, nowMs),
        ageMs: ageOf(state.heardAtMs, nowMs),
        ...(state.failure && { failure: toldFailure(state.failure, nowMs) }),
        ...toldPause(state, nowMs),
      };
  }
}

export function toldPlayback(playback: Playback, nowMs: number): ToldPlayback {
  const { observedAtMs, album, artists, ...rest } = playback;
  return {
    ...rest,
    artists: [...artists],
    album: { ...album, artworks: album.artworks.map(({ load: _, ...named }) => named) },
    ageMs: nowMs - observedAtMs,
  };
}

const toldPause = (
  { pause }: { readonly pause: Pause | undefined },
  nowMs: number,
): { pause?: ToldPause } => {
  if (!pause) return {};
  const { sinceMs, ...rest } = pause;
  return { pause: { ...rest, ageMs: ageOf(sinceMs, nowMs) } };
};

const toldFailure = ({ sinceMs, nextTryMs }: Failure, nowMs: number): ToldFailure => ({
  ageMs: ageOf(sinceMs, nowMs),
  nextTryInMs: nextTryMs - nowMs,
});

/** A time that never was has no finite age, which JSON could not carry. */
const ageOf = (atMs: number, nowMs: number): number =>
  Math.min(nowMs - atMs, Number.MAX_SAFE_INTEGER);

/**
 * A told connection as it is known here from now on.
 * @param before the same connection as it was known here
 */
function heardConnection(
  told: ToldConnection,
  before: HeardConnection | undefined,
  nowMs: number,
  artworkFrom: ArtworkFrom,
): HeardConnection {
  return {
    connectionId: told.id,
    delivery: told.delivery,
    ...(told.pollsEveryMs !== undefined && { pollsEveryMs: told.pollsEveryMs }),
    state: continued(before?.state, heardState(told.state, nowMs, artworkFrom)),
  };
}

/**
 * The told connections as they are known here from now on. A node that has just taken a user over,
 * and cannot read the user's connections, says only that it fails: then all that are known fail.
 */
export function heardConnections(
  told: readonly ToldConnection[],
  before: readonly HeardConnection[] | undefined,
  nowMs: number,
  artworkFrom: ArtworkFrom,
): HeardConnection[] {
  const [first] = told;
  const isUnread = told.length === 1 && first?.id === undefined && first?.state.kind === "failing";
  if (first && isUnread && before && before.length > 0) {
    const failing = heardState(first.state, nowMs, artworkFrom);
    return before.map((known) =>
      known.state.kind === "heard" ? { ...known, state: continued(known.state, failing) } : known,
    );
  }
  return told.map((one) => {
    const known = before?.find(({ connectionId }) => connectionId === one.id);
    return heardConnection(one, known, nowMs, artworkFrom);
  });
}

function heardState(told: ToldState, nowMs: number, artworkFrom: ArtworkFrom): ConnectionState {
  switch (told.kind) {
    case "silent":
    case "unlinked":
      return told;
    case "waiting":
      return { kind: "waiting", sinceMs: nowMs - told.ageMs, pause: heardPause(told, nowMs) };
    case "failing":
      return {
        kind: "failing",
        failure: heardFailure(told.failure, nowMs),
        pause: heardPause(told, nowMs),
      };
    case "heard":
      return {
        kind: "heard",
        playback: told.playback && heardPlayback(told.playback, nowMs, artworkFrom),
        heardAtMs: nowMs - told.ageMs,
        failure: told.failure && heardFailure(told.failure, nowMs),
        pause: heardPause(told, nowMs),
      };
  }
}

export function heardPlayback(
  { ageMs, album, ...rest }: ToldPlayback,
  nowMs: number,
  artworkFrom: ArtworkFrom,
): Playback {
  return {
    ...rest,
    album: { ...album, artworks: album.artworks.map(artworkFrom) },
    observedAtMs: nowMs - ageMs,
  };
}

const heardPause = ({ pause }: { readonly pause?: ToldPause }, nowMs: number) => {
  if (!pause) return undefined;
  const { ageMs, ...rest } = pause;
  return { ...rest, sinceMs: nowMs - ageMs };
};

const heardFailure = ({ ageMs, nextTryInMs }: ToldFailure, nowMs: number): Failure => ({
  sinceMs: nowMs - ageMs,
  nextTryMs: nowMs + nextTryInMs,
});

/**
 * Continues what was known with what is told. A node that has just taken a user over knows less
 * than we do: until it has heard something, what was known stays; then the track's position does
 * not jump by what two nodes measured differently, and a pause keeps its age.
 */
function continued(before: ConnectionState | undefined, told: ConnectionState): ConnectionState {
  if (before?.kind !== "heard") return told;
  switch (told.kind) {
    case "waiting":
      return before;
    case "failing":
      return { ...before, failure: before.failure ?? told.failure };
    case "heard": {
      const goesOn =
        before.pause &&
        before.pause.trackId === told.pause?.trackId &&
        before.pause.positionMs === told.pause.positionMs &&
        before.pause.sinceMs < told.pause.sinceMs;
      return {
        ...told,
        playback: reconcile(before.playback, told.playback),
        pause: goesOn ? before.pause : told.pause,
      };
    }
    default:
      return told;
  }
}
