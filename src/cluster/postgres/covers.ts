import { resize } from "../../artwork/artwork-store.ts";
import { createBoundedMap } from "../../bounded-map.ts";
import type { Clock } from "../../clock.ts";
import type { Pool } from "../../db/postgres/pool.ts";
import { describeError, type Log } from "../../log.ts";
import type { Artwork } from "../../playback.ts";
import type { Bus } from "../bus.ts";
import type { ArtworkReference } from "../message.ts";

/** A cover with the name under which it is served. */
interface NamedArtwork {
  readonly id: string;
  readonly artwork: Artwork;
}

/** Covers that any node can draw, whichever has got them. */
export interface SharedCovers {
  /**
   * Keeps the covers that a user's music shows now, sooner or later. Where another node has the
   * bytes, it is asked to keep them.
   */
  keep(userId: number, artworks: readonly NamedArtwork[]): void;
  /** A cover by the name under which it is served; `undefined` for one that nobody has kept. */
  find(id: string): Promise<Artwork | undefined>;
  /** A cover that another node has named. */
  received(id: string, artwork: ArtworkReference): Artwork;
}

/** A cover that was kept so long ago is touched when it is shown again, or kept anew. */
const TOUCH_AFTER_MS = 10 * 60_000;
const MOST_KNOWN = 8_192;
/** Bytes of a picture that is kept as it is; a larger one is resized. */
const MOST_ORIGINAL_BYTES = 256 * 1024;
/** A user's newest covers: more than are shown at a time, so that nobody uses up the total. */
const MOST_OF_A_USER = 8;
/** Bytes of all covers in the table: its oldest ones are deleted. */
const MOST_BYTES = 128 * 1024 * 1024;
const TRIM_EVERY = 20;
const FORGET_AFTER = "7 days";
/** Until a cover is there: the node that has it must be asked for it first. */
const TRIES = 6;
const TRY_EVERY_MS = 300;

export interface PostgresCoversDeps {
  readonly clock: Pick<Clock, "monotonicMs" | "sleep">;
  readonly pool: Pick<Pool, "query">;
  readonly log: Pick<Log, "warn">;
  readonly bus: Pick<Bus, "send">;
  /** Loads a picture from its public address. */
  loadFrom(url: string): Promise<Uint8Array>;
}

/** Covers in PostgreSQL: the address of one that is public, else the picture itself. */
export function createPostgresCovers(deps: PostgresCoversDeps): SharedCovers {
  const { clock, log, bus, loadFrom } = deps;
  const table = createTable(deps.pool);
  /** When covers were kept or touched (monotonic), by name. */
  const known = createBoundedMap<string, { readonly atMs: number }>(MOST_KNOWN);
  /** Covers whose bytes another node has. */
  const fromOthers = new WeakSet<Artwork>();
  /** What is to be kept next, by user: only the newest counts. */
  const waiting = new Map<number, readonly NamedArtwork[]>();
  let isKeeping = false;

  const keepOne = async (userId: number, { id, artwork }: NamedArtwork) => {
    const keptAtMs = known.get(id)?.atMs ?? -Infinity;
    if (clock.monotonicMs() - keptAtMs < TOUCH_AFTER_MS) return;
    try {
      if (!(await table.touch(id))) {
        if (fromOthers.has(artwork)) return bus.send(["wanted", userId, artwork.key]);
        await table.insert(userId, id, artwork);
      }
      known.set(id, { atMs: clock.monotonicMs() });
    } catch (error) {
      // It is tried again when it is shown again.
      log.warn("a cover cannot be kept for other nodes", {
        origin: artwork.origin,
        reason: describeError(error),
      });
    }
  };

  /** One at a time, a user after the other. */
  const keepAll = async () => {
    isKeeping = true;
    for (;;) {
      const [next] = waiting;
      if (!next) break;
      const [userId, artworks] = next;
      waiting.delete(userId);
      for (const artwork of artworks) await keepOne(userId, artwork);
    }
    isKeeping = false;
  };

  const loadKept = async (id: string): Promise<Uint8Array> => {
    for (let attempt = 1; ; attempt++) {
      const found = await table.find(id);
      if (found) return Buffer.from(String(found.picture), "base64");
      if (attempt === TRIES) throw new Error("no node has kept this cover");
      await clock.sleep(TRY_EVERY_MS, new AbortController().signal);
    }
  };

  return {
    keep(userId, artworks) {
      if (artworks.length === 0) return;
      waiting.set(userId, artworks);
      if (!isKeeping) void keepAll();
    },
    async find(id) {
      const found = await table.find(id);
      if (!found) return undefined;
      const { url } = found;
      return url === undefined
        ? { key: id, load: () => loadKept(id) }
        : { key: id, url, load: () => loadFrom(url) };
    },
    received(id, named) {
      const { url } = named;
      if (url !== undefined) return { ...named, load: () => loadFrom(url) };
      const artwork: Artwork = { ...named, load: () => loadKept(id) };
      fromOthers.add(artwork);
      return artwork;
    },
  };
}

/** The table of covers. */
function createTable(pool: PostgresCoversDeps["pool"]) {
  let kept = 0;

  const touch = async (id: string): Promise<boolean> => {
    const rows = await pool.query(
      "UPDATE covers SET kept_at = now() WHERE id = $1 RETURNING true",
      [id],
    );
    return rows.length > 0;
  };

  const insert = async (userId: number, id: string, { url, load }: Artwork) => {
    let picture: Uint8Array | undefined;
    if (url === undefined) {
      const original = await load();
      picture =
        original.length > MOST_ORIGINAL_BYTES ? await resize(original, "640.jpg") : original;
    }
    await pool.query(
      `INSERT INTO covers VALUES ($1, $2, $3, decode($4, 'base64'), now())
        ON CONFLICT (id) DO UPDATE SET kept_at = excluded.kept_at`,
      [id, userId, url ?? null, picture ? Buffer.from(picture).toString("base64") : null],
    );
    await pool.query(
      `DELETE FROM covers WHERE user_id = $1 AND id NOT IN
        (SELECT id FROM covers WHERE user_id = $1 ORDER BY kept_at DESC, id LIMIT ${MOST_OF_A_USER})`,
      [userId],
    );
    kept += 1;
    if (kept % TRIM_EVERY === 0) await trim();
  };

  const trim = async () => {
    await pool.query(`DELETE FROM covers WHERE kept_at < now() - interval '${FORGET_AFTER}'`);
    await pool.query(
      `DELETE FROM covers WHERE id IN (SELECT id FROM (
        SELECT id, sum(coalesce(octet_length(bytes), 0)) OVER (ORDER BY kept_at DESC, id) AS bytes
          FROM covers) AS newest WHERE bytes > ${MOST_BYTES})`,
    );
  };

  const find = async (id: string) => {
    const [found] = await pool.query(
      "SELECT url, encode(bytes, 'base64') FROM covers WHERE id = $1",
      [id],
    );
    if (!found) return undefined;
    const [url, picture] = found;
    return { url: typeof url === "string" ? url : undefined, picture };
  };

  return { touch, insert, find };
}
