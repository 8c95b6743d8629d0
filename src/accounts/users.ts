import { asc, eq, ne, sql } from "drizzle-orm";
import type { Schema } from "../db/schema.ts";
import type { Writer } from "../db/store.ts";
import { AccountError, type AccountsContext } from "./context.ts";

export interface User {
  readonly id: number;
  readonly name: string;
  readonly role: "owner" | "member";
  /** Unix time in milliseconds. */
  readonly createdAt: number;
  /** The language of the user's pages, once chosen. */
  readonly language: string | null;
  /** When the user finished the first steps (Unix ms). */
  readonly welcomedAt: number | null;
}

export interface UserPage {
  readonly users: User[];
  readonly number: number;
  readonly pages: number;
}

export interface Users {
  list(): Promise<User[]>;
  /** A page of at most 50, from 1 on; the last page if `number` is too high. */
  page(number: number): Promise<UserPage>;
  withId(id: number): Promise<User | undefined>;
  /** @throws {AccountError} when there is no such user. */
  named(name: string): Promise<User>;
  /** The first user besides this one: the next owner. */
  heirOf(user: Pick<User, "id">): Promise<User | undefined>;
  /** The first user, who runs this server. */
  owner(): Promise<User | undefined>;
  /**
   * Removes a user with all that is stored of them. The next user replaces an owner.
   * @throws {AccountError} for unknown names
   */
  remove(name: string): Promise<void>;
  /** Sets the language of the user's pages. */
  setLanguage(user: Pick<User, "id">, language: string): Promise<void>;
  /** Stores `welcomedAt` for the user. */
  welcome(user: Pick<User, "id">): Promise<void>;
}

/** How many users a page shows. */
const PAGE = 50;

/** @param emptyHistory deletes a user's songs, of which there may be too many for one statement */
export function createUsers(
  { store, wallMs }: AccountsContext,
  emptyHistory: (user: User) => Promise<void>,
): Users {
  const { queries, atomically } = store;
  const { users } = store.tables;
  const isFirst = sql`${users.id} = (SELECT min(id) FROM ${users})`;
  return {
    list: async () => queries.select().from(users).orderBy(asc(users.id)),
    async page(asked) {
      const pages = Math.max(1, Math.ceil((await queries.$count(users)) / PAGE));
      const number = Math.min(asked, pages);
      const onIt = queries.select().from(users).orderBy(asc(users.id)).limit(PAGE);
      return { users: await onIt.offset((number - 1) * PAGE), number, pages };
    },
    async withId(id) {
      const [user] = await queries.select().from(users).where(eq(users.id, id));
      return user;
    },
    async named(name) {
      const [user] = await queries.select().from(users).where(eq(users.name, name));
      return user ?? refuseName(name);
    },
    async heirOf({ id }) {
      const others = queries.select().from(users).where(ne(users.id, id));
      const [heir] = await others.orderBy(asc(users.id)).limit(1);
      return heir;
    },
    async owner() {
      const [owner] = await queries.select().from(users).where(eq(users.role, "owner"));
      return owner;
    },
    async remove(name) {
      const [user] = await queries.select().from(users).where(eq(users.name, name));
      await emptyHistory(user ?? refuseName(name));
      const [removed] = await atomically((writer) => [
        writer.delete(users).where(eq(users.name, name)).returning({ id: users.id }),
        writer
          .update(users)
          .set({ role: "owner" })
          .where(sql`${isFirst} AND NOT EXISTS (SELECT 1 FROM ${users} WHERE role = 'owner')`),
      ]);
      if (removed.length === 0) refuseName(name);
    },
    async setLanguage({ id }, language) {
      await atomically((writer) => [
        writer.update(users).set({ language }).where(eq(users.id, id)),
      ]);
    },
    async welcome({ id }) {
      await atomically((writer) => [
        writer.update(users).set({ welcomedAt: wallMs() }).where(eq(users.id, id)),
      ]);
    },
  };
}

/**
 * Adds a user when run; the first is the owner.
 * @param isOwner the user is the owner or not added: there is only one
 */
export function insertUser(
  { users }: Schema,
  writer: Writer,
  user: Omit<User, "role">,
  isOwner: boolean,
) {
  const role = isOwner
    ? "owner"
    : sql`CASE WHEN EXISTS (SELECT 1 FROM ${users}) THEN 'member' ELSE 'owner' END`;
  return writer
    .insert(users)
    .values({ ...user, role })
    .returning();
}

/** @throws {AccountError} always: no such user */
function refuseName(name: string): never {
  throw new AccountError(`There is no user named "${name}". "marquee user list" shows all.`);
}
