import { and, asc, eq } from "drizzle-orm";
import { type AccountsContext, readSealed } from "../accounts/context.ts";
import type { User } from "../accounts/users.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import type { Queries } from "../db/store.ts";
import { chatAccounts, users } from "../db/schema.ts";
import { Refused } from "../i18n/refused.ts";

type Row = typeof chatAccounts.$inferSelect;
type LinkedAccount = Omit<typeof chatAccounts.$inferInsert, "userId" | "options" | "state">;

/** An account at a chat service that answers questions in a user's chat. */
export type ChatAccount = Readonly<Omit<Row, "sealedSettings">>;

/** `refused`: the user has to link again. `stopped`: the service does not let it answer there. */
export type ChatAccountState = ChatAccount["state"];

/** What is known of an account when it is linked. */
export type NewChatAccount = Pick<ChatAccount, "service" | "login" | "channel"> & {
  /** As the service's own code reads them. */
  readonly settings: unknown;
};

/** What a running server notes of an account; each is stored alone. */
export type ChatAccountNews = Partial<
  Pick<ChatAccount, "readingSince" | "answeredAt" | "refusal" | "refusedAt">
>;

/** The most accounts that a user may link. */
const MOST_CHAT_ACCOUNTS = 5;

/** The stored accounts at chat services. */
export type ChatAccounts = ReturnType<typeof createChatAccounts>;

export function createChatAccounts(
  { store, vault, wallMs }: AccountsContext,
  deferred: Pick<DeferredWrites, "write" | "expect">,
) {
  const { queries } = store;

  const rowOf = (id: number): Row | undefined =>
    queries.select().from(chatAccounts).where(eq(chatAccounts.id, id)).get();
  const seal = (userId: number, settings: unknown) =>
    vault.seal("chat-account", userId, JSON.stringify(settings));
  const open = ({ userId, sealedSettings }: Row) =>
    readSealed(vault, "chat-account", userId, sealedSettings);
  /** @throws {Refused} */
  const rowNamed = ({ id: userId }: Pick<User, "id">, login: string): Row => {
    const isIt = and(eq(chatAccounts.userId, userId), eq(chatAccounts.login, login.toLowerCase()));
    const row = queries.select().from(chatAccounts).where(isIt).get();
    if (row) return row;
    throw new Refused("chat.unknown");
  };

  return {
    /** Those of a user, or of all, ordered by id. */
    allOf: (userId?: number) =>
      queries
        .select()
        .from(chatAccounts)
        .where(userId === undefined ? undefined : eq(chatAccounts.userId, userId))
        .orderBy(asc(chatAccounts.id))
        .all()
        .map(withoutSettings),
    /** @throws {Refused} when the user has no account of this name */
    named: (user: Pick<User, "id">, login: string) => withoutSettings(rowNamed(user, login)),
    /**
     * Adds an account, or replaces the user's one of this name, which gets another id.
     * @throws {Refused} when the user has the maximum, or was removed while they decided
     */
    async link(
      user: Pick<User, "id" | "name">,
      { service, login, channel, settings }: NewChatAccount,
    ) {
      const sealedSettings = seal(user.id, settings);
      const values = { service, login, channel, sealedSettings, linkedAt: wallMs() };
      const row = await store.write({ userId: user.id, what: "chat" }, (tx) => {
        const isThere = tx.select().from(users).where(eq(users.id, user.id)).get() !== undefined;
        if (!isThere) throw new Refused("user.unknown", { user: user.name });
        return putInPlace(tx, user.id, values);
      });
      return withoutSettings(row);
    },
    /** The settings; `undefined` if the account is gone or they cannot be decrypted. */
    settingsOf(id: number) {
      const row = rowOf(id);
      return row && open(row);
    },
    /** Stores settings in place of those that are stored. Returns false if the account is gone. */
    storeSettings(id: number, settings: unknown) {
      const row = rowOf(id);
      if (!row) return false;
      const sealedSettings = seal(row.userId, settings);
      queries.update(chatAccounts).set({ sealedSettings }).where(eq(chatAccounts.id, id)).run();
      return true;
    },
    /** Work that stores settings which cannot be had again: a stop of the server waits for it. */
    expectSettings: deferred.expect,
    /**
     * Stores how a user's account answers, made of what is stored.
     * @throws {Refused} when the user has no account of this name
     */
    changeOptions: <Options extends object>(
      user: Pick<User, "id">,
      login: string,
      change: (stored: unknown) => Options,
    ) =>
      store.write({ userId: user.id, what: "chat" }, (tx) => {
        const { id, options: stored } = rowNamed(user, login);
        const options = change(stored);
        tx.update(chatAccounts).set({ options }).where(eq(chatAccounts.id, id)).run();
        return options;
      }),
    /** Stores that the account is not used any more until it is linked again, with the reason. */
    async end(id: number, state: Exclude<ChatAccountState, "linked">, refusal: string) {
      const row = rowOf(id);
      if (!row) return;
      await store.write({ userId: row.userId, what: "chat" }, (tx) => {
        tx.update(chatAccounts)
          .set({ state, refusal, refusedAt: wallMs(), readingSince: null })
          .where(eq(chatAccounts.id, id))
          .run();
      });
    },
    /** Does nothing if the account is gone. Deferred. */
    note: (id: number, news: ChatAccountNews) => {
      // Different news of an account must not replace each other while they wait.
      const name = `${Object.keys(news).sort().join(" ")} of chat account ${id}`;
      return deferred.write(name, () =>
        queries.update(chatAccounts).set(news).where(eq(chatAccounts.id, id)).run(),
      );
    },
    /**
     * Removes an account. Resolves with its settings as they were.
     * @throws {Refused} when the user has no account of this name
     */
    async unlink(user: Pick<User, "id">, login: string) {
      const removed = await store.write({ userId: user.id, what: "chat" }, (tx) => {
        const row = rowNamed(user, login);
        tx.delete(chatAccounts).where(eq(chatAccounts.id, row.id)).run();
        return row;
      });
      return open(removed);
    },
  };
}

/**
 * Adds an account, or replaces the user's one of this name, whose options it keeps. It gets another id:
 * whoever still works with the account of before stores nothing into this one.
 * @throws {Refused} when the user has the maximum
 */
function putInPlace(tx: Queries, userId: number, account: LinkedAccount): Row {
  const all = tx.select().from(chatAccounts).where(eq(chatAccounts.userId, userId)).all();
  const before = all.find(
    ({ service, login }) => service === account.service && login === account.login,
  );
  if (!before && all.length >= MOST_CHAT_ACCOUNTS) {
    throw new Refused("chat.tooMany", { most: String(MOST_CHAT_ACCOUNTS) });
  }
  if (before) tx.delete(chatAccounts).where(eq(chatAccounts.id, before.id)).run();
  const options = before?.options ?? {};
  return tx
    .insert(chatAccounts)
    .values({ ...account, userId, options, state: "linked" })
    .returning()
    .get();
}

const withoutSettings = ({ sealedSettings: _, ...account }: Row): ChatAccount => account;
