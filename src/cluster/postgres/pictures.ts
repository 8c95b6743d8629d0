import { resize } from "../../artwork/artwork-store.ts";
import { createBoundedMap } from "../../bounded-map.ts";
import type { Pool } from "../../db/postgres/pool.ts";
import { describeError, type Log } from "../../log.ts";
import type { Artwork } from "../../playback.ts";
import type { Pictures } from "../cluster.ts";

const MOST_KNOWN = 8_192;
/** Pictures that were not told of for so long are deleted. */
const FORGET_AFTER = "7 days";
const FORGET_EVERY = 1_000;
/** A node tells of a picture before it is kept. */
const TRIES = 4;
const TRY_EVERY_MS = 300;

export interface PostgresPicturesDeps {
  readonly pool: Pick<Pool, "query">;
  readonly log: Pick<Log, "warn">;
  /** Loads a picture from its public address. */
  loadFrom(url: string): Promise<Uint8Array>;
}

/** Covers in PostgreSQL: the address of one that is public, else the picture itself. */
export function createPostgresPictures({ pool, log, loadFrom }: PostgresPicturesDeps): Pictures {
  const known = createBoundedMap<string, true>(MOST_KNOWN);
  let kept = 0;

  const keepOne = async (id: string, { url, load }: Artwork) => {
    const picture = url === undefined ? await resize(await load(), "640.jpg") : null;
    await pool.query(
      `INSERT INTO pictures VALUES ($1, $2, decode($3, 'base64'), now())
        ON CONFLICT (id) DO UPDATE SET kept_at = excluded.kept_at`,
      [id, url ?? null, picture && Buffer.from(picture).toString("base64")],
    );
  };

  const forgetOld = async () => {
    kept += 1;
    if (kept < FORGET_EVERY) return;
    kept = 0;
    await pool.query(`DELETE FROM pictures WHERE kept_at < now() - interval '${FORGET_AFTER}'`);
  };

  const row = async (id: string) => {
    const [found] = await pool.query(
      "SELECT url, encode(picture, 'base64') FROM pictures WHERE id = $1",
      [id],
    );
    if (!found) return undefined;
    const [url, picture] = found;
    return { url: typeof url === "string" ? url : undefined, picture };
  };

  const loadKept = async (id: string): Promise<Uint8Array> => {
    for (let attempt = 1; ; attempt++) {
      const found = await row(id);
      if (found) return Buffer.from(String(found.picture), "base64");
      if (attempt === TRIES) throw new Error("no node has kept this cover");
      await Bun.sleep(TRY_EVERY_MS);
    }
  };

  return {
    async keep(artworks) {
      for (const { id, artwork } of artworks) {
        if (known.get(id)) continue;
        known.set(id, true);
        try {
          await keepOne(id, artwork);
          await forgetOld();
        } catch (error) {
          // It is tried again when it is told of again.
          known.take(id);
          log.warn("a cover cannot be kept for other nodes", {
            origin: artwork.origin,
            reason: describeError(error),
          });
        }
      }
    },
    async find(id) {
      const found = await row(id);
      if (!found) return undefined;
      const { url } = found;
      return url === undefined
        ? { key: id, load: () => loadKept(id) }
        : { key: id, url, load: () => loadFrom(url) };
    },
    told(id, artwork) {
      const { url } = artwork;
      return { ...artwork, load: () => (url === undefined ? loadKept(id) : loadFrom(url)) };
    },
  };
}
