import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { withMusicPrefix } from "./music-prefix.ts";

/**
 * The schemas of the API's answers. Their types, the OpenAPI document and the reference page are
 * derived from them.
 */

/** An object with exactly these fields. The document refers to named ones. */
const closed = <Fields extends TProperties>(
  fields: Fields,
  about?: { readonly $id?: string; readonly description?: string },
) => Type.Object(fields, { ...about, additionalProperties: false });

const count = (description: string) => Type.Integer({ minimum: 0, description });
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const Track = closed(
  {
    id: Type.String({
      description:
        "As the source gives it; a local file's id is its URI, and a stream's a digest that changes with the song.",
    }),
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
      description:
        "Position as a percentage of the duration, at most two decimals; 0 when that is unknown.",
    }),
    time_remaining_ms: count("duration_ms − progress_ms; 0 when the duration is unknown."),
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

export const PlayedSong = closed(
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

/** Playing, paused or nothing playing. One form: generators of clients lose what is only ever null. */
export const NowPlayingAnswer = closed(
  {
    success: Type.Literal(true),
    data: Type.Union([Playback, Type.Null()]),
    meta: Type.Optional(Meta),
  },
  { $id: "NowPlayingAnswer", description: "With `meta` exactly when `data` is not null." },
);

export const RecentlyPlayedAnswer = closed(
  { success: Type.Literal(true), data: Type.Array(PlayedSong) },
  { $id: "RecentlyPlayedAnswer" },
);

/** @param musicPrefix the first word of the names of the three music fields */
export const userAnswer = (musicPrefix: string) =>
  closed(
    {
      success: Type.Literal(true),
      data: closed(withMusicPrefix(User.properties, musicPrefix), { $id: "User" }),
    },
    { $id: "UserAnswer" },
  );
