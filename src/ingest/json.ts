import { timeMs } from "../sources/amounts.ts";
import { COVER_RULE, type Covers } from "../upstream/covers.ts";
import { type Fields, isBlank, numberOf, textOf } from "../upstream/json.ts";
import { type Message, NOTHING, refused } from "./message.ts";

/** Our own protocol, for scripts: one object that says what plays. */

const NAMES = [
  "title",
  "artist",
  "album",
  "duration_ms",
  "position_ms",
  "state",
  "cover_url",
  "volume",
  "device",
  "id",
  "ttl_s",
] as const;

type Name = (typeof NAMES)[number];

const SHORTEST_TTL_S = 0.001;
const LONGEST_TTL_S = 86_400;
const TTL_RULE = `a number of seconds from ${SHORTEST_TTL_S} to ${LONGEST_TTL_S}`;

/** A field has a value that cannot be used. */
class WrongField extends Error {}

/** Reads what was posted, or the values of a query as {@link fieldsOfQuery} gives them. */
export function readJson(fields: Fields, covers: Pick<Covers, "allows">): Message {
  try {
    return read(fields, covers);
  } catch (error) {
    if (error instanceof WrongField) return refused(error.message);
    throw error;
  }
}

/** The query of a GET as the object that a POST would have: a name that comes twice is a list. */
export function fieldsOfQuery(query: URLSearchParams): Fields {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(names.map((name) => [name, query.getAll(name)]));
}

function read(fields: Fields, covers: Pick<Covers, "allows">): Message {
  const unknown = Object.keys(fields).find((given) => !NAMES.some((name) => name === given));
  if (unknown !== undefined) {
    // Only a plain name is repeated: it comes from whoever sent this.
    const named = /^[A-Za-z_]{1,32}$/.test(unknown) ? unknown : "A field";
    throw new WrongField(`${named} is not known. The fields are ${NAMES.join(", ")}.`);
  }
  const state = stateOf(fields);
  const title = textIn(fields, "title");
  const artists = artistsIn(fields);
  const album = textIn(fields, "album");
  const durationMs = timeIn(fields, "duration_ms");
  const positionMs = timeIn(fields, "position_ms");
  const volumePercent = numberIn(fields, "volume", 0, 100, "a number from 0 to 100");
  const device = textIn(fields, "device");
  const id = textIn(fields, "id");
  const ttlS = numberIn(fields, "ttl_s", SHORTEST_TTL_S, LONGEST_TTL_S, TTL_RULE);
  const cover = textIn(fields, "cover_url");
  if (cover !== undefined && !covers.allows(cover))
    throw new WrongField(`cover_url ${COVER_RULE}.`);
  const isEmpty = isGiven(fields["title"]) && title === undefined;
  if (state === "stopped" || isEmpty) return NOTHING;
  if (title === undefined) {
    throw new WrongField("title is missing. Send an empty one when nothing plays any more.");
  }
  return {
    kind: "track",
    track: {
      state,
      title,
      artists,
      album,
      id,
      durationMs: durationMs || null,
      positionMs,
      volumePercent: volumePercent === null ? null : Math.round(volumePercent),
      device,
      cover,
    },
    ...(ttlS !== null && { ttlMs: ttlS * 1000 }),
  };
}

/** `null` counts as nothing. */
const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

const textIn = (fields: Fields, name: Name): string | undefined =>
  nameIn(fields[name], `${name} must be a text.`);

const artistsIn = ({ artist }: Fields): string[] =>
  (Array.isArray(artist) ? artist : [artist]).flatMap(
    (name) => nameIn(name, "artist must be a text or a list of texts.") ?? [],
  );

/** `undefined` for an empty text. */
function nameIn(value: unknown, refusal: string): string | undefined {
  if (isBlank(value)) return undefined;
  const isSingle = !Array.isArray(value) || value.length === 1;
  const text = isSingle ? textOf(value) : undefined;
  if (text === undefined) throw new WrongField(refusal);
  return text;
}

function stateOf({ state }: Fields): "playing" | "paused" | "stopped" {
  const value = isBlank(state) ? "playing" : textOf(state);
  if (value === "playing" || value === "paused" || value === "stopped") return value;
  throw new WrongField("state must be playing, paused or stopped.");
}

function timeIn(fields: Fields, name: "duration_ms" | "position_ms"): number | null {
  const value = fields[name];
  if (isBlank(value)) return null;
  const ms = timeMs(value, 1);
  if (ms === null) throw new WrongField(`${name} must be a number of milliseconds, 0 or more.`);
  return ms;
}

function numberIn(
  fields: Fields,
  name: Name,
  least: number,
  most: number,
  rule: string,
): number | null {
  const value = fields[name];
  if (isBlank(value)) return null;
  const number = numberOf(value);
  if (number !== undefined && number >= least && number <= most) return number;
  throw new WrongField(`${name} must be ${rule}.`);
}
