import { and, eq, gt, isNull, lt } from "drizzle-orm";
import { magicLinks, users } from "../db/schema.ts";
import type { AccountsContext } from "./context.ts";
import { createMagicLinkSecret, hashCredential, type MagicLinkSecret } from "./credential.ts";
import type { User } from "./users.ts";

/** Links that let whoever holds them do one thing for a user, once and for half an hour. */
export interface MagicLinks {
  issue(user: Pick<User, "id">, purpose: string): Promise<MagicLinkSecret>;
  /** Whose link it is, while it works. Looking does not use it up. */
  userOf(secret: MagicLinkSecret, purpose: string): Promise<User | undefined>;
  /** Uses the link up; of two who try at once, one gets the user. */
  use(secret: MagicLinkSecret, purpose: string): Promise<User | undefined>;
}

/** The purpose of a link that connects a user to a source. */
export const connectPurpose = (source: string): string => `connect ${source}`;

/** The purpose of a link that signs a browser in. */
export const SIGN_IN_PURPOSE = "sign in";

/** How long a link works. */
export const LINK_LIFETIME_MS = 30 * 60_000;

export function createMagicLinks({ store, wallMs }: AccountsContext): MagicLinks {
  const { queries } = store;
  const working = (secret: MagicLinkSecret, purpose: string) =>
    and(
      eq(magicLinks.hash, hashCredential(secret)),
      eq(magicLinks.purpose, purpose),
      isNull(magicLinks.usedAt),
      gt(magicLinks.expiresAt, wallMs()),
    );
  const userWithId = (id: number) => queries.select().from(users).where(eq(users.id, id)).get();
  return {
    async issue({ id: userId }, purpose) {
      const secret = createMagicLinkSecret();
      const hash = hashCredential(secret);
      const expiresAt = wallMs() + LINK_LIFETIME_MS;
      queries.transaction((writer) => {
        writer.delete(magicLinks).where(lt(magicLinks.expiresAt, wallMs())).run();
        writer.insert(magicLinks).values({ hash, userId, purpose, expiresAt }).run();
      });
      return secret;
    },
    async userOf(secret, purpose) {
      const row = queries.select().from(magicLinks).where(working(secret, purpose)).get();
      return row && userWithId(row.userId);
    },
    async use(secret, purpose) {
      const [row] = queries
        .update(magicLinks)
        .set({ usedAt: wallMs() })
        .where(working(secret, purpose))
        .returning({ userId: magicLinks.userId })
        .all();
      return row && userWithId(row.userId);
    },
  };
}
