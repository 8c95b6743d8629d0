import { COVER_RULE, type Covers } from "./covers.ts";
import { type Fields, toTimeMs } from "./fields.ts";
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

/** The query of a GET as the object that a POST would have. */
export function fieldsOfQuery(query: URLSearchParams): Fields {
  const fields: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    const value = values.length > 1 ? values : values[0];
    const isNumber = NUMBERS.some((number) => number === name) && typeof value === "string";
    fields[name] = isNumber ? toNumber(value) : value;
  }
  return fields;
}

const NUMBERS: readonly Name[] = ["duration_ms", "position_ms", "volume", "ttl_s"];

/** A text that is no number stays what it is, so that it is refused. An empty one is left out. */
function toNumber(text: string): unknown {
  if (text === "") return undefined;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function read(fields: Fields, covers: Pick<Covers, "allows">): Message {
  const unknown = Object.keys(fields).find((given) => !NAMES.some((name) => name === given));
  if (unknown !== undefined) {
    // Only a plain name is repeated: it comes from whoever sent this.
    const named = /^[A-Za-z_]{1,32}$/.test(unknown) ? unknown : "A field";
    throw new WrongField(`${named} is not known. The fields are ${NAMES.join(", ")}.`);
  }
  const state = stateOf(fields);
  const title = textOf(fields, "title");
  const artists = artistsOf(fields);
  const album = textOf(fields, "album");
  const durationMs = timeOf(fields, "duration_ms");
  const positionMs = timeOf(fields, "position_ms");
  const volumePercent = numberOf(fields, "volume", 0, 100, "a number from 0 to 100");
  const device = textOf(fields, "device");
  const id = textOf(fields, "id");
  const ttlS = numberOf(fields, "ttl_s", SHORTEST_TTL_S, LONGEST_TTL_S, TTL_RULE);
  const cover = textOf(fields, "cover_url") || null;
  if (cover !== null && !covers.allows(cover)) throw new WrongField(`cover_url ${COVER_RULE}.`);
  if (state === "stopped" || title === "") return NOTHING;
  if (title === undefined) {
    throw new WrongField("title is missing. Send an empty one when nothing plays any more.");
  }
  return {
    kind: "track",
    track: {
      state,
      title,
      artists,
      album: album ?? "",
      id: id || null,
      durationMs: durationMs || null,
      positionMs,
      volumePercent: volumePercent === null ? null : Math.round(volumePercent),
      device: device || null,
      cover,
    },
    ...(ttlS !== null && { ttlMs: ttlS * 1000 }),
  };
}

/** The value of a field; `null` counts as none. */
const valueOf = (fields: Fields, name: Name): unknown => fields[name] ?? undefined;

function textOf(fields: Fields, name: Name): string | undefined {
  const value = valueOf(fields, name);
  if (value !== undefined && typeof value !== "string") {
    throw new WrongField(`${name} must be a text.`);
  }
  return value?.trim();
}

function artistsOf(fields: Fields): string[] {
  const value = valueOf(fields, "artist") ?? [];
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  return names
    .map((name) => {
      if (typeof name !== "string") {
        throw new WrongField("artist must be a text or a list of texts.");
      }
      return name.trim();
    })
    .filter((name) => name !== "");
}

function stateOf(fields: Fields): "playing" | "paused" | "stopped" {
  const value = valueOf(fields, "state") ?? "playing";
  if (value === "playing" || value === "paused" || value === "stopped") return value;
  throw new WrongField("state must be playing, paused or stopped.");
}

function timeOf(fields: Fields, name: "duration_ms" | "position_ms"): number | null {
  const value = valueOf(fields, name);
  if (value === undefined) return null;
  const ms = typeof value === "number" ? toTimeMs(value) : null;
  if (ms === null) throw new WrongField(`${name} must be a number of milliseconds, 0 or more.`);
  return ms;
}

function numberOf(
  fields: Fields,
  name: Name,
  least: number,
  most: number,
  rule: string,
): number | null {
  const value = valueOf(fields, name);
  if (value === undefined) return null;
  if (typeof value === "number" && value >= least && value <= most) return value;
  throw new WrongField(`${name} must be ${rule}.`);
}
