import { Database } from "bun:sqlite";
import { databaseCode } from "../../../db/errors.ts";
import { textOf } from "../../../upstream/json.ts";
import { lengthMs } from "../../amounts.ts";
import type { LoggedSong } from "../../local-source.ts";
import { fileMissing, SourceFailure } from "../../source.ts";

export type Deck = "mixxx" | "serato";

/**
 * The newest song of each program's log. A log of Mixxx is a hidden playlist for each time that it ran;
 * Serato has sessions, which end at -1 while they go on, and entries that were only loaded.
 */
const LAST_SONG: Readonly<Record<Deck, string>> = {
  mixxx: `
    select played.id, title, artist, album, duration, filename, pl_datetime_added as started
    from PlaylistTracks as played
    join library on library.id = track_id
    left join track_locations on track_locations.id = library.location
    where playlist_id = (select max(id) from Playlists where hidden = 2)
    order by played.id desc limit 1`,
  serato: `
    select id, name as title, artist, album, length_sec as duration, file_name as filename,
      start_time as started
    from history_entry
    where played = 1 and session_id = (
      select id from history_session where end_time = -1 order by start_time desc limit 1
    )
    order by start_time desc, id desc limit 1`,
};

/** Another program writes into the database now. */
export class DatabaseLocked extends SourceFailure {}

/** The song that was written down last; it may have ended. @throws {SourceFailure} in words */
export function lastSongIn(
  { id, name }: { readonly id: Deck; readonly name: string },
  path: string,
): LoggedSong | null {
  try {
    // Opened anew each time: a file that was replaced is noticed, and no lock is held in between.
    using database = new Database(path, { readonly: true });
    const row = database.query<Record<string, unknown>, []>(LAST_SONG[id]).get();
    return row && songIn(row);
  } catch (error) {
    throw failureOf(databaseCode(error), name, path);
  }
}

function songIn(row: Record<string, unknown>): LoggedSong {
  return {
    id: String(row["id"]),
    title: textOf(row["title"]) ?? "",
    artist: textOf(row["artist"]) ?? "",
    album: textOf(row["album"]) ?? "",
    fileName: (textOf(row["filename"]) ?? "").replace(/\.\w{1,5}$/, ""),
    startedAtMs: timeIn(row["started"]),
    durationMs: lengthMs(row["duration"], 1_000),
  };
}

/** Unix seconds, or SQLite's text, which is in UTC. */
function timeIn(value: unknown): number {
  const text = String(value);
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  return Date.parse(/Z$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.replace(" ", "T")}Z`);
}

function failureOf(code: string, name: string, path: string): SourceFailure {
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    const message = `${name} is writing into its database, which is locked`;
    return new DatabaseLocked({ kind: "unavailable", reason: "databaseLocked" }, message);
  }
  if (/^SQLITE_CANTOPEN/.test(code)) {
    return fileMissing(`there is no database of ${name} at ${path}, or it may not be read`);
  }
  return new SourceFailure(
    { kind: "unavailable", reason: "databaseUnknown" },
    `the database at ${path} is of a version of ${name} that Marquee does not know, or damaged`,
  );
}
