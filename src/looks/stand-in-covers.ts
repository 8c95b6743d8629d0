import { eq } from "drizzle-orm";
import type { AccountsContext } from "../accounts/context.ts";
import { createFileId } from "../accounts/credential.ts";
import type { User } from "../accounts/users.ts";
import { createBoundedMap } from "../bounded-map.ts";
import { standInCovers } from "../db/schema.ts";
import { Refused } from "../i18n/refused.ts";
import { createInTurn } from "../in-turn.ts";

/** How often a user may try another picture in an hour: each has to be decoded. */
export const MOST_TRIES = 20;
const TRIES_COUNT_FOR_MS = 3_600_000;
/** Users whose tries are remembered: those who tried last. */
const MOST_USERS = 10_000;

/** The pictures that users' overlays show where a track has no cover, one a user. */
export type StandInCovers = ReturnType<typeof createStandInCovers>;

export function createStandInCovers({ store, wallMs }: AccountsContext) {
  const { queries } = store;
  const inTurn = createInTurn();
  const tries = createBoundedMap<number, Tries>(MOST_USERS);

  /** @throws {Refused} */
  const countTry = (userId: number) => {
    const known = tries.get(userId);
    const isRecent = known && wallMs() - known.sinceMs < TRIES_COUNT_FOR_MS;
    const { count, sinceMs } = isRecent ? known : { count: 0, sinceMs: wallMs() };
    if (count >= MOST_TRIES) throw new Refused("cover.tooOften", { most: String(MOST_TRIES) });
    tries.set(userId, { count: count + 1, sinceMs });
  };

  return {
    /** The unguessable id in the picture's public address; `undefined` where a user has none. */
    idOf: (userId: number) =>
      queries
        .select({ id: standInCovers.id })
        .from(standInCovers)
        .where(eq(standInCovers.userId, userId))
        .get()?.id,
    /**
     * Stores the WebP picture that `draw` makes, in the place of the one before. One is drawn at a time.
     * @throws {Refused} when the user has tried too often, and what `draw` throws
     */
    async set({ id: userId }: Pick<User, "id">, draw: () => Promise<Uint8Array>) {
      countTry(userId);
      const bytes = Buffer.from(await inTurn(draw));
      const row = { id: createFileId(), bytes, createdAt: wallMs() };
      await store.write({ userId, what: "standInCovers" }, (tx) =>
        tx
          .insert(standInCovers)
          .values({ userId, ...row })
          .onConflictDoUpdate({ target: standInCovers.userId, set: row })
          .run(),
      );
      return row.id;
    },
    /** @throws {Refused} when the user has none */
    async remove({ id: userId }: Pick<User, "id">) {
      const removed = await store.write({ userId, what: "standInCovers" }, (tx) =>
        tx.delete(standInCovers).where(eq(standInCovers.userId, userId)).returning().all(),
      );
      if (removed.length === 0) throw new Refused("cover.none");
    },
    /** A picture's bytes, whosever it is. */
    bytesOf: (id: string) =>
      queries
        .select({ bytes: standInCovers.bytes })
        .from(standInCovers)
        .where(eq(standInCovers.id, id))
        .get()?.bytes,
  };
}

interface Tries {
  readonly count: number;
  /** The time of the first one. */
  readonly sinceMs: number;
}
