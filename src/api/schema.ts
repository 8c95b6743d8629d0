import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { TOO_MANY_STREAMS } from "./stream-limit.ts";
import { withMusicPrefix } from "./music-prefix.ts";

/**
 * The schemas of the API's answers. Their types, the OpenAPI document and the reference page are
 * derived from them. Endpoints import only types, so this file is loaded only for the document.
 */

/** An object with exactly these fields. The document refers to named ones. */
const closed = <Fields extends TProperties>(
  fields: Fields,
  about?: { readonly $id?: string; readonly description?: string },
) => Type.Object(fields, { ...about, additionalProperties: false });

const count = (description: string) => Type.Integer({ minimum: 0, description });
const nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema["type"], "null"] });

const Track = closed(
  {
    id: Type.String({ description: "As the source gives it; a local file's id is its URI." }),
    name: Type.String(),
    duration_ms: count("0 when the source does not report it."),
    explicit: Type.Boolean(),
    original_name: Type.Optional(
      Type.String({ description: "As the source gives it, where `name` is a cleaned title." }),
    ),
  },
  { $id: "Track" },
);

const Album = closed(
  {
    name: Type.String(),
    images: Type.Array(closed({ url: Type.String({ format: "uri" }) }), {
      description: "Largest first; may be empty.",
    }),
  },
  { $id: "Album" },
);

const Device = closed(
  {
    name: Type.String(),
    type: Type.String({ description: "As the source gives it." }),
    volume: nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: "Null when the source does not report it.",
      }),
    ),
  },
  { $id: "Device" },
);

const Playback = closed(
  {
    is_playing: Type.Boolean({ description: "False while paused." }),
    progress_ms: count("Position in the track, in milliseconds."),
    progress_percent: Type.Number({
      minimum: 0,
      maximum: 100,
      description: "Position as a percentage of the duration, at most two decimals.",
    }),
    time_remaining_ms: count("duration_ms − progress_ms."),
    track: Track,
    artist_name: Type.String({
      description: "The artists in the source's order, joined with a comma and a space.",
    }),
    original_artist_name: Type.Optional(
      Type.String({
        description: "As the source gives it, where `artist_name` comes from a cleaned title.",
      }),
    ),
    album: Album,
    device: Device,
  },
  { $id: "Playback" },
);
export type Playback = Static<typeof Playback>;

const Meta = closed(
  {
    user: Type.String({ description: "The user the key belongs to." }),
    timestamp: count("Time of the answer, Unix seconds."),
  },
  { $id: "Meta" },
);
export type Meta = Static<typeof Meta>;

const dateTime = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$", description });

const PlayedSong = closed(
  {
    track: Track,
    artist_name: Playback.properties.artist_name,
    original_artist_name: Playback.properties.original_artist_name,
    album: Album,
    started_at: dateTime("When it began, in UTC."),
    played_ms: count("How long it played, in milliseconds, without pauses."),
  },
  { $id: "PlayedSong" },
);
export type PlayedSong = Static<typeof PlayedSong>;

const User = Type.Object({
  username: Type.String(),
  music_connected: Type.Boolean({
    description: "False when no connected source has worked, or each has to be connected again.",
  }),
  music_display_name: nullable(Type.String()),
  music_product: nullable(Type.String()),
  created_at: dateTime("When the user was created, in UTC."),
});
export type User = Static<typeof User>;

export const ErrorAnswer = closed({
  success: Type.Literal(false),
  error: Type.String({ description: "What went wrong, for people." }),
});

const BUSY = "The server is busy: try again";

/** The description of an endpoint. */
interface Endpoint<Path extends string> {
  readonly path: Path;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly answer: {
    readonly name: string;
    readonly about: string;
    readonly schema: TObject;
    /** The reference page shows the first one. */
    readonly examples: Readonly<Record<string, { summary: string; value: object }>>;
  };
  /** Set where the answers come one after the other, as server-sent events. */
  readonly stream?: {
    readonly about: string;
    /** The errors with status 429 besides those of every endpoint, by name. */
    readonly refusals: Readonly<Record<string, string>>;
  };
  /** The errors with status 503, by name. */
  readonly unavailable: {
    readonly about: string;
    readonly errors: Readonly<Record<string, string>>;
  };
}

const endpoint = <Path extends string>(one: Endpoint<Path>) => one;

export interface ApiSettings {
  /** The API's base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** The first word of the names of the three music fields. */
  readonly musicPrefix: string;
}

/** Playing, paused or nothing playing: each event has the same. */
const nowPlayingAnswer = (baseUrl: string): Endpoint<string>["answer"] => ({
  name: "NowPlayingAnswer",
  about: "Playing, paused, or nothing playing.",
  // One form: generators of clients lose a property that is only ever null.
  schema: closed(
    {
      success: Type.Literal(true),
      data: Type.Union([Playback, Type.Null()]),
      meta: Type.Optional(Meta),
    },
    { description: "With `meta` exactly when `data` is not null." },
  ),
  examples: {
    playing: { summary: "A track plays", value: playingExample(baseUrl) },
    nothing: { summary: "Nothing plays", value: { success: true, data: null } },
  },
});

/** Every endpoint that requires a key. */
export const describeEndpoints = ({ baseUrl, musicPrefix }: ApiSettings) => [
  endpoint({
    path: "/api/v1/now-playing",
    operationId: "getNowPlaying",
    summary: "What is playing",
    description:
      "The current playback, its position worked out for this very moment. `data` is null when nothing is playing.",
    answer: nowPlayingAnswer(baseUrl),
    unavailable: {
      about: "The music source has not answered for a while.",
      errors: { unavailable: "Playback is temporarily unavailable", busy: BUSY },
    },
  }),
  endpoint({
    path: "/api/v1/now-playing/events",
    operationId: "streamNowPlaying",
    summary: "What is playing, at each change",
    description: [
      "Server-sent events: one when the stream opens, then one at each change. Each is of the type `now-playing`, and its data is exactly what `/api/v1/now-playing` answers at that moment, also when the source has failed.",
      "An event `closed` with the error as its data says that the key no longer works; then the stream ends.",
      'A request with `Upgrade: websocket` gets a WebSocket, whose messages have the same fields and `"type":"now-playing"`. It closes with the code 4401 when the key no longer works.',
    ].join("\n\n"),
    answer: nowPlayingAnswer(baseUrl),
    stream: {
      about: "The events. A comment every 15 seconds keeps the connection open.",
      refusals: { streams: TOO_MANY_STREAMS },
    },
    unavailable: {
      about: "The server's database is locked by another program.",
      errors: { busy: BUSY },
    },
  }),
  endpoint({
    path: "/api/v1/recently-played",
    operationId: "getRecentlyPlayed",
    summary: "What was playing before",
    description:
      "The songs that were played for at least 30 seconds, also the one that plays, newest first, at most 50. Empty unless the user has switched the history on, and while the user has paused sharing. It knows only what was played while a widget, a stream or a bot was connected.",
    answer: {
      name: "RecentlyPlayedAnswer",
      about: "The songs.",
      schema: closed({ success: Type.Literal(true), data: Type.Array(PlayedSong) }),
      examples: {
        songs: { summary: "A song was played", value: playedExample(baseUrl) },
        none: { summary: "No history", value: { success: true, data: [] } },
      },
    },
    unavailable: {
      about: "The server's database is locked by another program.",
      errors: { busy: BUSY },
    },
  }),
  endpoint({
    path: "/api/v1/user",
    operationId: "getUser",
    summary: "Who the key belongs to",
    description: "The user linked to the key, and whether music is connected.",
    answer: {
      name: "UserAnswer",
      about: "The user.",
      schema: closed({
        success: Type.Literal(true),
        data: closed(withMusicPrefix(User.properties, musicPrefix), { $id: "User" }),
      }),
      examples: {
        user: {
          summary: "A connected user",
          value: { success: true, data: withMusicPrefix(userExample, musicPrefix) },
        },
      },
    },
    unavailable: {
      about: "The server's database is locked by another program.",
      errors: { busy: BUSY },
    },
  }),
];

export type EndpointPath = ReturnType<typeof describeEndpoints>[number]["path"];

function playingExample(baseUrl: string): { success: true; data: Playback; meta: Meta } {
  return {
    success: true,
    data: {
      is_playing: true,
      progress_ms: 61_250,
      progress_percent: 32.58,
      time_remaining_ms: 126_750,
      track: { id: "demo:lanterns", name: "Paper Lanterns", duration_ms: 188_000, explicit: false },
      artist_name: "Juniper Vale",
      album: {
        name: "Slow Weather",
        images: [{ url: `${baseUrl}/art/q0jT3yUuJ9m1cWm8k2v0nA/640.jpg` }],
      },
      device: { name: "Demo player", type: "demo", volume: 65 },
    },
    meta: { user: "ada", timestamp: 1_795_219_200 },
  };
}

function playedExample(baseUrl: string): { success: true; data: PlayedSong[] } {
  const { track, artist_name, album } = playingExample(baseUrl).data;
  const times = { started_at: "2026-11-21 04:47:58", played_ms: 186_400 };
  return { success: true, data: [{ track, artist_name, album, ...times }] };
}

const userExample: User = {
  username: "ada",
  music_connected: true,
  music_display_name: "Marquee Demo",
  music_product: null,
  created_at: "2026-11-21 00:00:00",
};
