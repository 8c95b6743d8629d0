import { and, desc, eq, lt, notInArray } from "drizzle-orm";
import { sessions, users } from "../db/schema.ts";
import type { AccountsContext } from "./context.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import {
  createKeyId,
  createSessionToken,
  hashCredential,
  type SessionToken,
} from "./credential.ts";
import type { User } from "./users.ts";

/** A browser that is signed in. Times are Unix milliseconds. */
export type Session = Readonly<Omit<typeof sessions.$inferSelect, "hash">>;

/** A browser not seen for this long is signed out. */
export const SESSION_LIFETIME_MS = 30 * 86_400_000;
/** How often `lastSeenAt` is stored at most. */
const SEEN_EVERY_MS = 10 * 60_000;
const LONGEST_USER_AGENT = 300;
/** A user's browsers. One more signs out the one that was not seen for longest. */
const MOST_SESSIONS = 100;

export function createSessions({ store, wallMs }: AccountsContext, deferred: DeferredWrites) {
  const { queries } = store;
  const noteSeen = (id: string) => {
    const lastSeenAt = wallMs();
    return deferred.write(`session ${id} seen`, () =>
      queries.update(sessions).set({ lastSeenAt }).where(eq(sessions.id, id)).run(),
    );
  };
  const lastSeenOf = (userId: number, most: number) =>
    queries
      .select()
      .from(sessions)
      .where(eq(sessions.userId, userId))
      .orderBy(desc(sessions.lastSeenAt), desc(sessions.createdAt))
      .limit(most)
      .all();
  const isAlive = ({ lastSeenAt }: Session) => wallMs() - lastSeenAt < SESSION_LIFETIME_MS;
  return {
    /**
     * Signs a browser in. Returns its session cookie, only this once. With {@link MOST_SESSIONS} others,
     * the one that was not seen for longest is signed out.
     */
    open({ id: userId }: Pick<User, "id">, userAgent: string) {
      const token = createSessionToken();
      const nowMs = wallMs();
      const row = {
        id: createKeyId(),
        hash: hashCredential(token),
        userId,
        userAgent: userAgent.slice(0, LONGEST_USER_AGENT),
        createdAt: nowMs,
        lastSeenAt: nowMs,
      };
      store.transaction((tx) => {
        tx.delete(sessions)
          .where(lt(sessions.lastSeenAt, nowMs - SESSION_LIFETIME_MS))
          .run();
        const staying = lastSeenOf(userId, MOST_SESSIONS - 1).map(({ id }) => id);
        tx.delete(sessions)
          .where(and(eq(sessions.userId, userId), notInArray(sessions.id, staying)))
          .run();
        tx.insert(sessions).values(row).run();
      });
      return token;
    },
    /** The user of a session cookie, if valid. */
    async of(token: SessionToken) {
      const found = queries
        .select({ session: sessions, user: users })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .where(eq(sessions.hash, hashCredential(token)))
        .get();
      if (!found || !isAlive(found.session)) return undefined;
      const { session, user } = found;
      if (wallMs() - session.lastSeenAt > SEEN_EVERY_MS) {
        // If this write fails, the page still opens and the write is retried later.
        await noteSeen(session.id).catch(() => {});
      }
      return { session, user };
    },
    /** Whether a session still exists. */
    isOpen(id: string) {
      const session = queries.select().from(sessions).where(eq(sessions.id, id)).get();
      return session !== undefined && isAlive(session);
    },
    /** The browsers a user is signed in with, last seen first. */
    list: ({ id }: Pick<User, "id">) => lastSeenOf(id, MOST_SESSIONS).filter(isAlive),
    /** Signs one browser out, if it is the user's. Resolves with whether it was signed in. */
    close: ({ id: userId }: Pick<User, "id">, id: string) =>
      store.write({ userId, what: "sessions" }, (tx) => {
        const isIt = and(eq(sessions.userId, userId), eq(sessions.id, id));
        return tx.delete(sessions).where(isIt).returning({ id: sessions.id }).get() !== undefined;
      }),
    /** Signs every browser of a user out. */
    closeAll: ({ id: userId }: Pick<User, "id">) =>
      store.write({ userId, what: "sessions" }, (tx) => {
        tx.delete(sessions).where(eq(sessions.userId, userId)).run();
      }),
  };
}
