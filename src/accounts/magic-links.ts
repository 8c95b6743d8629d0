import { eq, lt } from "drizzle-orm";
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
  const ownerOf = (link: { readonly userId: number } | undefined) =>
    link && queries.select().from(users).where(eq(users.id, link.userId)).get();
  /** The row of a link that works. */
  const working = (secret: MagicLinkSecret, purpose: string) => {
    const isIt = eq(magicLinks.hash, hashCredential(secret));
    const link = queries.select().from(magicLinks).where(isIt).get();
    if (!link || link.usedAt !== null || link.expiresAt <= wallMs()) return undefined;
    return `${link.purpose} `.startsWith(`${purpose} `) ? link : undefined;
  };
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
    userOf: (secret: MagicLinkSecret, purpose: string) => ownerOf(working(secret, purpose)),
    /** What stands after the purpose of a link that works; empty when nothing does. */
    detailOf: (secret: MagicLinkSecret, purpose: string) =>
      working(secret, purpose)?.purpose.slice(purpose.length + 1) ?? "",
    /** Uses the link up: the second call gets nobody. */
    use(secret: MagicLinkSecret, purpose: string) {
      const link = working(secret, purpose);
      if (!link) return undefined;
      const isIt = eq(magicLinks.hash, link.hash);
      queries.update(magicLinks).set({ usedAt: wallMs() }).where(isIt).run();
      return ownerOf(link);
    },
  };
}
