import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

type Frozen<Value> = { readonly [Key in keyof Value]: Frozen<Value[Key]> };
type Sent<Schema extends TSchema> = Frozen<Static<Schema>>;

/** The name of a running server: a new one with each start. */
export type Node = string;

/** How much one node is interested in a user's music. */
const interest = Type.Object({
  /** Whether it has subscribers, who want every change. */
  watched: Type.Boolean(),
  /** The number of its overlays on stream. */
  onStream: Type.Integer({ minimum: 0 }),
});
export type Interest = Static<typeof interest>;

const artwork = Type.Object({
  key: Type.String(),
  url: Type.Optional(Type.String()),
  origin: Type.Optional(Type.String()),
});
export type ArtworkReference = Static<typeof artwork>;

/**
 * What is sent stands here once more, because another version may send something else. All times are
 * the sender's monotonic milliseconds. JSON has `null` for a time that never was, which is `-Infinity`.
 */
const time = Type.Union([Type.Number(), Type.Null()]);
const maybe = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Undefined()]));

/** A playback as a channel knows it; the functions of its pictures are left out by JSON. */
const playback = Type.Object({
  source: Type.String(),
  state: Type.Union([Type.Literal("playing"), Type.Literal("paused")]),
  track: Type.Object({
    id: Type.String(),
    title: Type.String(),
    durationMs: Type.Union([Type.Number(), Type.Null()]),
    explicit: Type.Boolean(),
    url: Type.Optional(Type.String()),
  }),
  artists: Type.Array(Type.String()),
  namesFrom: Type.Optional(
    Type.Union([
      Type.Object({
        origin: Type.Union([Type.Literal("page"), Type.Literal("file"), Type.Literal("tag")]),
      }),
      Type.Object({ origin: Type.Literal("upload"), text: Type.String() }),
    ]),
  ),
  album: Type.Object({ name: Type.String(), artworks: Type.Array(artwork) }),
  device: Type.Object({
    name: Type.String(),
    type: Type.String(),
    volumePercent: Type.Union([Type.Number(), Type.Null()]),
  }),
  positionMs: Type.Number(),
  repeats: Type.Optional(Type.Number()),
  positionUnknown: Type.Optional(Type.Literal(true)),
  positionLagMs: Type.Optional(Type.Number()),
  observedAtMs: Type.Number(),
  rate: Type.Number(),
});
export type SentPlayback = Sent<typeof playback>;

const pause = Type.Object({
  song: Type.String(),
  positionMs: Type.Number(),
  sinceMs: time,
  beginningKnown: Type.Boolean(),
});
const failure = Type.Object({ sinceMs: time, nextTryMs: Type.Number() });
export type SentFailure = Sent<typeof failure>;

const state = Type.Union([
  Type.Object({ kind: Type.Literal("waiting"), sinceMs: time, pause: maybe(pause) }),
  Type.Object({ kind: Type.Literal("silent") }),
  Type.Object({ kind: Type.Literal("unlinked") }),
  Type.Object({ kind: Type.Literal("failing"), failure, pause: maybe(pause) }),
  Type.Object({
    kind: Type.Literal("reported"),
    playback: Type.Union([playback, Type.Null()]),
    reportedAtMs: time,
    failure: maybe(failure),
    pause: maybe(pause),
  }),
]);
export type SentState = Sent<typeof state>;

const connection = Type.Object({
  connectionId: maybe(Type.Integer()),
  delivery: Type.Union([Type.Literal("polled"), Type.Literal("streamed"), Type.Literal("pushed")]),
  pollsEveryMs: Type.Optional(Type.Number()),
  state,
});
export type SentConnection = Sent<typeof connection>;

/** All that watching a user has brought, so that whoever missed a report is right after the next. */
const report = Type.Object({
  nowMs: Type.Number(),
  /** Since when somebody has followed every change; absent while nobody does. */
  watchedSinceMs: maybe(Type.Number()),
  /** The user's overlays on stream, on all nodes. */
  onStream: Type.Integer(),
  /** In the user's order; absent before they are known. */
  connections: maybe(Type.Array(connection)),
});
export type UserReport = Sent<typeof report>;

/** What a program has pushed, and for how long that counts. */
export const pushedReport = Type.Object({
  /** Times of the playback compare with this one. */
  receivedAtMs: Type.Number(),
  playback,
  lifetime: Type.Union([
    Type.Object({ kind: Type.Literal("untilItsEnd") }),
    Type.Object({ kind: Type.Literal("exactly"), ms: Type.Number() }),
    Type.Object({ kind: Type.Literal("whileRepeated") }),
    Type.Object({ kind: Type.Literal("whileConnected") }),
  ]),
});

export type PushedReport = Sent<typeof pushedReport>;

const userId = Type.Integer();
const connectionId = Type.Integer();
const shardAndTerm = Type.Tuple([Type.Integer(), Type.Integer()]);

const message = Type.Union([
  /** Comes back to its sender, which then knows that it is connected. */
  Type.Tuple([Type.Literal("pulse"), Type.Number()]),
  /** The sender does not know the last numbers of others: repeat this random text. */
  Type.Tuple([Type.Literal("greet"), Type.String()]),
  /** The answer to a greeting: from this payload on, the sender can be believed. */
  Type.Tuple([Type.Literal("welcome"), Type.String()]),
  /** Publish your interests again: the sender may have missed some. */
  Type.Tuple([Type.Literal("repeat")]),
  /** The sender holds the leases of these shards from now on, for these terms. */
  Type.Tuple([Type.Literal("holds"), Type.Array(shardAndTerm)]),
  /** The sender has given shards back. */
  Type.Tuple([Type.Literal("resigned")]),
  /** What the sender wants of a user's music; `null` for nothing any more. */
  Type.Tuple([Type.Literal("interest"), userId, Type.Union([interest, Type.Null()])]),
  /** A request wants a user's current state. */
  Type.Tuple([Type.Literal("ask"), userId]),
  /** What the holder has got of a user, in this term. */
  Type.Tuple([Type.Literal("report"), userId, Type.Integer(), report]),
  /**
   * A program has reported this to the sender, so many milliseconds ago; `null` for nothing any
   * more. It is stored under this version: of a connection's reports the highest one counts.
   */
  Type.Tuple([
    Type.Literal("pushed"),
    connectionId,
    Type.Integer(),
    Type.Union([pushedReport, Type.Null()]),
    Type.Number({ minimum: 0 }),
  ]),
  /** Whoever has got the cover with this key is to keep it for all, as this user's. */
  Type.Tuple([Type.Literal("wanted"), userId, Type.String()]),
  /** A pushed message was understood, or refused for this reason. */
  Type.Tuple([Type.Literal("post"), connectionId, Type.Union([Type.String(), Type.Null()])]),
  /** An upstream has asked for a pause of so many milliseconds. */
  Type.Tuple([Type.Literal("closed"), Type.String(), Type.Number()]),
  /** Show a track on all of a user's overlays for so many milliseconds; sent at this time. */
  Type.Tuple([Type.Literal("show"), userId, Type.Number(), playback, Type.Number()]),
  /** Show a widget's overlays on demand for so many milliseconds; 0 hides them. */
  Type.Tuple([Type.Literal("demand"), Type.Integer(), Type.Number({ minimum: 0 })]),
]);
export type Message = Sent<typeof message>;

/**
 * The messages of one payload. Those that this version does not know are left out: while nodes are
 * updated one by one, a newer one may send more.
 */
export function readMessages(text: string): Message[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(parsed)) return [];
  return parsed.filter((one): one is Message => Value.Check(message, one));
}
