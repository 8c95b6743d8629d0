import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { runMarquee } from "../fixtures/servers/marquee-process.ts";

const SONGS = 100_000;
const SONG_EVERY_MS = 180_000;

/** How much the database grows by a song, with names of usual length. */
export async function bytesOfASong(): Promise<number> {
  const folder = createTempFolder();
  const given = ["user", "add", "ada", "--source", "json", "--json", "--data", folder.path];
  await runMarquee({ folder: folder.path, arguments: given });
  const path = join(folder.path, "marquee.db");
  const database = new Database(path);
  database.run("PRAGMA journal_mode = DELETE");
  const before = statSync(path).size;
  const insert = database.prepare(
    `INSERT INTO songs (user_id, started_at, played_ms, source, track_id, title, duration_ms, explicit,
      artists, album_name, cover_path, cover_url)
    VALUES (1, ?, 180000, 'spotify', ?, 'A Title of Usual Length', 200000, 0, '["Juniper Vale"]',
      'An Album of Usual Length', NULL, ?)`,
  );
  database.transaction(() => {
    for (let song = 0; song < SONGS; song++) {
      const id = Bun.hash(String(song)).toString(36).padStart(22, "0");
      insert.run(song * SONG_EVERY_MS, id, `https://i.scdn.co/image/${id.padStart(40, "0")}`);
    }
  })();
  database.close();
  const bytes = (statSync(path).size - before) / SONGS;
  folder.remove();
  return bytes;
}
