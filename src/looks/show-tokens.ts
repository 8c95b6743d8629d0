import { and, eq, isNull } from "drizzle-orm";
import type { AccountsContext } from "../accounts/context.ts";
import { createShowToken, hashCredential, type ShowToken } from "../accounts/credential.ts";
import type { User } from "../accounts/users.ts";
import { widgets } from "../db/schema.ts";
import { Refused } from "../i18n/refused.ts";

type WidgetRow = typeof widgets.$inferSelect;

/**
 * @param rowOf finds a user's widget
 * @param change changes columns of one
 */
export function createShowTokens(
  { store, vault }: Pick<AccountsContext, "store" | "vault">,
  rowOf: (user: User, id: number) => WidgetRow,
  change: (user: User, id: number, values: Partial<WidgetRow>) => Promise<void>,
) {
  const renew = async ({ id, kind }: WidgetRow, user: User): Promise<ShowToken> => {
    if (kind !== "overlay") throw new Refused("widget.noOverlay");
    const token = createShowToken();
    const sealedShowToken = vault.seal("show-token", user.id, token);
    await change(user, id, { showHash: hashCredential(token), sealedShowToken });
    return token;
  };

  return {
    /** The overlay that a token shows and hides. */
    findByShowToken(token: ShowToken) {
      return store.queries
        .select({ id: widgets.id })
        .from(widgets)
        .where(and(eq(widgets.showHash, hashCredential(token)), isNull(widgets.removedAt)))
        .get();
    },
    /**
     * An overlay's token, made when it is first asked for.
     * @throws {Refused} when the widget is no overlay, or not the user's
     * @throws {SecretError} when it is damaged
     */
    async showTokenOf(user: User, id: number) {
      const row = rowOf(user, id);
      if (!row.sealedShowToken) return renew(row, user);
      return vault.open("show-token", user.id, row.sealedShowToken) as ShowToken;
    },
    /** Replaces it: the old one stops working at once. @throws as `showTokenOf` */
    rotateShowToken: async (user: User, id: number) => renew(rowOf(user, id), user),
  };
}
