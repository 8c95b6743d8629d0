import { eq, getTableColumns } from "drizzle-orm";
import { users, widgetTokens } from "../db/schema.ts";
import type { Writer } from "../db/open.ts";
import { type AccountsContext, storeSealed } from "./context.ts";
import { createWidgetToken, hashCredential, type WidgetToken } from "./credential.ts";
import type { Vault } from "./secrets.ts";
import type { User } from "./users.ts";

export interface Widgets {
  /** The user a token shows, if it is the user's current one. */
  userOf(token: WidgetToken): Promise<User | undefined>;
  /** The user's current token. */
  tokenOf(user: User): Promise<WidgetToken>;
  /** @throws {SecretError} when the user's token was sealed under another key */
  proveKey(user: User): Promise<void>;
  /** Replaces the token: the old address stops working at once. */
  rotate(user: User): Promise<WidgetToken>;
}

export function createWidgets({ store, vault, wallMs }: AccountsContext): Widgets {
  const { queries } = store;
  const replace = (user: User): Promise<WidgetToken> =>
    storeSealed(vault, async () => {
      const { token, row } = await draftWidgetToken(vault, user.id, wallMs());
      await store.atomically((writer) => [putWidgetToken(writer, row)]);
      return token;
    });
  const storedTokenOf = async (user: User) => {
    const [row] = await queries.select().from(widgetTokens).where(eq(widgetTokens.userId, user.id));
    return row;
  };

  return {
    async userOf(token) {
      const [user] = await queries
        .select(getTableColumns(users))
        .from(widgetTokens)
        .innerJoin(users, eq(users.id, widgetTokens.userId))
        .where(eq(widgetTokens.hash, hashCredential(token)));
      return user;
    },
    async tokenOf(user) {
      const row = await storedTokenOf(user);
      if (!row) return replace(user);
      return (await vault.open("widget-token", user.id, row.sealedToken)) as WidgetToken;
    },
    async proveKey(user) {
      const row = await storedTokenOf(user);
      if (row) vault.recognize(row.sealedToken);
    },
    rotate: replace,
  };
}

type WidgetTokenRow = typeof widgetTokens.$inferInsert;

/** A new token for a user, and the row that stores it. */
export async function draftWidgetToken(
  vault: Vault,
  userId: number,
  createdAt: number,
): Promise<{ token: WidgetToken; row: WidgetTokenRow }> {
  const token = createWidgetToken();
  const sealedToken = await vault.seal("widget-token", userId, token);
  return { token, row: { userId, hash: hashCredential(token), sealedToken, createdAt } };
}

/** Stores a token, replacing the user's old one. */
export function putWidgetToken(writer: Writer, row: WidgetTokenRow) {
  return writer
    .insert(widgetTokens)
    .values(row)
    .onConflictDoUpdate({ target: widgetTokens.userId, set: row });
}
