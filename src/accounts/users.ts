import { asc, eq, ne } from "drizzle-orm";
import { users } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
import { Refused } from "../i18n/refused.ts";
import type { AccountsContext } from "./context.ts";

export type User = Readonly<typeof users.$inferSelect>;

export interface UserPage {
  readonly users: User[];
  readonly number: number;
  readonly pages: number;
}

export type Users = ReturnType<typeof createUsers>;

/** How many users a page shows. */
const PAGE = 50;

/** @param emptyHistory deletes a user's songs, of which there may be too many for one transaction */
export function createUsers(
  { store, wallMs }: AccountsContext,
  emptyHistory: (user: User) => Promise<void>,
) {
  const { queries } = store;
  const named = (name: string): User => {
    const user = queries.select().from(users).where(eq(users.name, name)).get();
    if (user) return user;
    throw new Refused("user.unknown", { user: name });
  };
  return {
    list: () => queries.select().from(users).orderBy(asc(users.id)).all(),
    /** A page of at most 50, from 1 on; the last page if `asked` is too high. */
    async page(asked: number) {
      const pages = Math.max(1, Math.ceil((await queries.$count(users)) / PAGE));
      const number = Math.min(asked, pages);
      const onIt = queries.select().from(users).orderBy(asc(users.id)).limit(PAGE);
      return { users: onIt.offset((number - 1) * PAGE).all(), number, pages };
    },
    withId: (id: number) => queries.select().from(users).where(eq(users.id, id)).get(),
    /** @throws {Refused} when there is no such user */
    named,
    /** The first user besides this one: the next owner. */
    heirOf: ({ id }: Pick<User, "id">) =>
      queries.select().from(users).where(ne(users.id, id)).orderBy(asc(users.id)).limit(1).get(),
    /** The first user, who runs this server. */
    owner: () => queries.select().from(users).where(eq(users.role, "owner")).get(),
    /**
     * Removes a user with all that is stored of them. The next user replaces an owner.
     * @throws {Refused} for unknown names
     */
    async remove(name: string) {
      await emptyHistory(named(name));
      // Another may have removed the user meanwhile, or made it the owner.
      const { id, role } = named(name);
      await store.write({ userId: id, what: "users" }, (tx) => {
        tx.delete(users).where(eq(users.id, id)).run();
        const first = tx.select().from(users).orderBy(asc(users.id)).limit(1).get();
        if (role !== "owner" || !first) return;
        tx.update(users).set({ role: "owner" }).where(eq(users.id, first.id)).run();
      });
    },
    /** Sets the language of the user's pages. */
    setLanguage: ({ id }: Pick<User, "id">, language: string) =>
      store.write({ userId: id, what: "users" }, (tx) => {
        tx.update(users).set({ language }).where(eq(users.id, id)).run();
      }),
    /** Stores `welcomedAt` for the user. */
    welcome: ({ id }: Pick<User, "id">) =>
      store.write({ userId: id, what: "users" }, (tx) => {
        tx.update(users).set({ welcomedAt: wallMs() }).where(eq(users.id, id)).run();
      }),
  };
}

/** Adds a user; the first is the owner. */
export function insertUser(tx: Queries, user: Omit<User, "role">): User {
  const isFirst = tx.select({ id: users.id }).from(users).limit(1).get() === undefined;
  const row: User = { ...user, role: isFirst ? "owner" : "member" };
  tx.insert(users).values(row).run();
  return row;
}
