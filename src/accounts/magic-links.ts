import { and, eq, getTableColumns, gt, isNull, lt, or, sql } from "drizzle-orm";
import { signInAddress } from "../addresses.ts";
import { magicLinks, users } from "../db/schema.ts";
import type { AccountsContext } from "./context.ts";
import { createMagicLinkSecret, hashCredential, type MagicLinkSecret } from "./credential.ts";
import type { User } from "./users.ts";

/** Magic links: each lets its holder do one thing for a user, once, within half an hour. */
type MagicLinks = ReturnType<typeof createMagicLinks>;

/**
 * The purpose of a link that connects a user to a source. A link may be issued with the name of the
 * connection after it.
 */
export const connectPurpose = (source: string, name = ""): string =>
  ["connect", source, name].join(" ").trimEnd();

/** The purpose of a link that signs a browser in. */
export const SIGN_IN_PURPOSE = "sign in";

/** A link that signs a browser in. */
export const signInUrl = (
  { magicLinks }: { readonly magicLinks: MagicLinks },
  baseUrl: string,
  user: User,
): string => signInAddress(baseUrl, magicLinks.issue(user, SIGN_IN_PURPOSE));

/** How long a link works. */
export const LINK_LIFETIME_MS = 30 * 60_000;

export function createMagicLinks({ store, wallMs }: AccountsContext) {
  const { queries } = store;
  const working = (secret: MagicLinkSecret, purpose: string) =>
    and(
      eq(magicLinks.hash, hashCredential(secret)),
      or(
        eq(magicLinks.purpose, purpose),
        sql`substr(${magicLinks.purpose}, 1, ${purpose.length + 1}) = ${`${purpose} `}`,
      ),
      isNull(magicLinks.usedAt),
      gt(magicLinks.expiresAt, wallMs()),
    );
  return {
    issue({ id: userId }: Pick<User, "id">, purpose: string) {
      const secret = createMagicLinkSecret();
      const hash = hashCredential(secret);
      const expiresAt = wallMs() + LINK_LIFETIME_MS;
      store.transaction((tx) => {
        tx.delete(magicLinks).where(lt(magicLinks.expiresAt, wallMs())).run();
        tx.insert(magicLinks).values({ hash, userId, purpose, expiresAt }).run();
      });
      return secret;
    },
    /** The user of a link that works. This does not use the link up. */
    userOf(secret: MagicLinkSecret, purpose: string) {
      return queries
        .select(getTableColumns(users))
        .from(magicLinks)
        .innerJoin(users, eq(users.id, magicLinks.userId))
        .where(working(secret, purpose))
        .get();
    },
    /** What stands after the purpose of a link that works; empty when nothing does. */
    detailOf(secret: MagicLinkSecret, purpose: string) {
      const link = queries
        .select({ purpose: magicLinks.purpose })
        .from(magicLinks)
        .where(working(secret, purpose))
        .get();
      return link?.purpose.slice(purpose.length + 1) ?? "";
    },
    /** Uses the link up: the second call gets nobody. */
    use(secret: MagicLinkSecret, purpose: string) {
      const used = queries
        .update(magicLinks)
        .set({ usedAt: wallMs() })
        .where(working(secret, purpose))
        .returning({ userId: magicLinks.userId })
        .get();
      return used && queries.select().from(users).where(eq(users.id, used.userId)).get();
    },
  };
}
