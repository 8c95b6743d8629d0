import { and, asc, eq } from "drizzle-orm";
import type { Schema } from "../db/schema.ts";
import { step } from "../db/store.ts";
import { AccountError, type AccountsContext, readSealed, storeSealed } from "./context.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import type { User } from "./users.ts";

type Row = Schema["chatAccounts"]["$inferSelect"];

/** An account at a chat service that answers questions in a user's chat. */
export interface ChatAccount extends Omit<Row, "sealedSettings" | "options"> {
  /** How it answers, as the chat's own code reads it. */
  readonly options: unknown;
}

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
export interface ChatAccounts {
  /** Those of a user, or of all, ordered by id. */
  allOf(userId?: number): Promise<readonly ChatAccount[]>;
  /** Adds an account, or replaces the user's one of this name, which gets another id. */
  link(user: Pick<User, "id" | "name">, account: NewChatAccount): Promise<ChatAccount>;
  /** The settings; `undefined` if the account is gone or they cannot be decrypted. */
  settingsOf(id: number): Promise<unknown>;
  /**
   * Stores what `change` makes of the stored settings, unless it makes `undefined` of them. It is
   * called again if somebody else stores others in between. Resolves with the settings that are
   * stored then and whether they are the changed ones; `undefined` if the account is gone.
   */
  changeSettings(
    id: number,
    change: (stored: unknown) => unknown,
  ): Promise<{ readonly stored: unknown; readonly isChanged: boolean } | undefined>;
  /** Stores how a user's account answers. Does nothing if there is no such account. */
  changeOptions(user: Pick<User, "id">, id: number, options: object): Promise<void>;
  /** Stores that the account is not used any more until it is linked again, with the reason. */
  end(id: number, state: Exclude<ChatAccountState, "linked">, reason: string): Promise<void>;
  /** Does nothing if the account is gone. Deferred. */
  note(id: number, news: ChatAccountNews): Promise<void>;
  /**
   * Removes an account. Resolves with its settings as they were.
   * @throws {AccountError} when the user has no such account
   */
  unlink(
    user: Pick<User, "id" | "name">,
    service: ChatAccount["service"],
    login: string,
  ): Promise<unknown>;
}

export function createChatAccounts(
  { store, vault, wallMs }: AccountsContext,
  deferred: Pick<DeferredWrites, "write">,
): ChatAccounts {
  const { queries, atomically, exclusively } = store;
  const { chatAccounts } = store.tables;

  const rowOf = async (id: number): Promise<Row | undefined> => {
    const [row] = await queries.select().from(chatAccounts).where(eq(chatAccounts.id, id));
    return row;
  };
  const seal = (userId: number, settings: unknown) =>
    vault.seal("chat-account", userId, JSON.stringify(settings));
  const open = ({ userId, sealedSettings }: Row) =>
    readSealed(vault, "chat-account", userId, sealedSettings);

  return {
    async allOf(userId) {
      const rows = await queries
        .select()
        .from(chatAccounts)
        .where(userId === undefined ? undefined : eq(chatAccounts.userId, userId))
        .orderBy(asc(chatAccounts.id));
      return rows.map(withoutSettings);
    },
    link: (user, { service, login, channel, settings }) =>
      storeSealed(vault, async () => {
        const sealedSettings = await seal(user.id, settings);
        const row = await exclusively(function* (writer) {
          const isOfUser = eq(chatAccounts.userId, user.id);
          const rows = yield* step(writer.select().from(chatAccounts).where(isOfUser));
          const before = rows.find((one) => one.service === service && one.login === login);
          if (!before && rows.length >= MOST_CHAT_ACCOUNTS) throw tooMany(user.name);
          // Another id: whoever still works with the account of before stores nothing into this one.
          if (before)
            yield* step(writer.delete(chatAccounts).where(eq(chatAccounts.id, before.id)));
          const options = before?.options ?? "{}";
          const values = { service, login, channel, sealedSettings, linkedAt: wallMs(), options };
          const added = yield* step(
            writer
              .insert(chatAccounts)
              .values({ ...values, userId: user.id, state: "linked" })
              .returning(),
          );
          return added[0];
        });
        if (!row) throw new Error("the database stored no chat account, and no error");
        return withoutSettings(row);
      }),
    async settingsOf(id) {
      const row = await rowOf(id);
      return row && open(row);
    },
    changeSettings: (id, change) =>
      storeSealed(vault, async () => {
        for (;;) {
          const row = await rowOf(id);
          if (!row) return undefined;
          const stored = await open(row);
          const wanted = change(stored);
          if (wanted === undefined) return { stored, isChanged: false };
          const sealedSettings = await seal(row.userId, wanted);
          const isAsRead = eq(chatAccounts.sealedSettings, row.sealedSettings);
          const [replaced] = await atomically((writer) => [
            writer
              .update(chatAccounts)
              .set({ sealedSettings })
              .where(and(eq(chatAccounts.id, id), isAsRead))
              .returning({ id: chatAccounts.id }),
          ]);
          if (replaced.length > 0) return { stored: wanted, isChanged: true };
        }
      }),
    async changeOptions(user, id, options) {
      const isIt = and(eq(chatAccounts.id, id), eq(chatAccounts.userId, user.id));
      const values = { options: JSON.stringify(options) };
      await atomically((writer) => [writer.update(chatAccounts).set(values).where(isIt)]);
    },
    async end(id, state, refusal) {
      const values = { state, refusal, refusedAt: wallMs(), readingSince: null };
      await atomically((writer) => [
        writer.update(chatAccounts).set(values).where(eq(chatAccounts.id, id)),
      ]);
    },
    note: (id, news) => {
      // Different news of an account must not replace each other while they wait.
      const name = `${Object.keys(news).sort().join(" ")} of chat account ${id}`;
      return deferred.write(name, () =>
        store.inBackground((writer) => [
          writer.update(chatAccounts).set(news).where(eq(chatAccounts.id, id)),
        ]),
      );
    },
    async unlink(user, service, login) {
      const isIt = and(
        eq(chatAccounts.userId, user.id),
        eq(chatAccounts.login, login.toLowerCase()),
        eq(chatAccounts.service, service),
      );
      const [removed] = await atomically((writer) => [
        writer.delete(chatAccounts).where(isIt).returning(),
      ]);
      const [row] = removed;
      if (!row) {
        throw new AccountError(
          `${user.name} has no linked chat account ${JSON.stringify(login)}. "marquee chat list ${user.name}" shows them.`,
        );
      }
      return open(row);
    },
  };
}

const withoutSettings = ({ sealedSettings: _, options, ...account }: Row): ChatAccount => ({
  ...account,
  options: JSON.parse(options) as unknown,
});

const tooMany = (userName: string) =>
  new AccountError(
    `${userName} has ${MOST_CHAT_ACCOUNTS} linked chat accounts, which is the maximum. "marquee chat unlink ${userName} LOGIN" ends one.`,
  );
