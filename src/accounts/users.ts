import { asc, eq, sql } from "drizzle-orm";
import type { Writer } from "../db/open.ts";
import { users } from "../db/schema.ts";
import { AccountError, type AccountsContext } from "./context.ts";

export interface User {
  readonly id: number;
  readonly name: string;
  readonly role: "owner" | "member";
  /** Unix time in milliseconds. */
  readonly createdAt: number;
  /** What the user's pages are written in, once chosen. */
  readonly language: string | null;
  /** When the user was through with the first steps (Unix ms). */
  readonly welcomedAt: number | null;
}

export interface UserPage {
  readonly users: User[];
  readonly number: number;
  readonly pages: number;
}

export interface Users {
  list(): Promise<User[]>;
  /** At most 50 of them: the page of this number, from 1 on, or the last one. */
  page(number: number): Promise<UserPage>;
  withId(id: number): Promise<User | undefined>;
  /** @throws {AccountError} when there is no such user. */
  named(name: string): Promise<User>;
  /** The first user, who runs this server. */
  owner(): Promise<User | undefined>;
  /**
   * Removes a user with keys, widget token and connection; the next one follows an owner.
   * @throws {AccountError} when there is none
   */
  remove(name: string): Promise<void>;
  /** What the user's pages are written in from now on. */
  setLanguage(user: Pick<User, "id">, language: string): Promise<void>;
  /** The user is through with the first steps. */
  welcome(user: Pick<User, "id">): Promise<void>;
}

/** As many as one page of a list shows. */
const PAGE = 50;

export function createUsers({ store, wallMs }: AccountsContext): Users {
  const { queries, atomically } = store;
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
    async owner() {
      const [owner] = await queries.select().from(users).where(eq(users.role, "owner"));
      return owner;
    },
    async remove(name) {
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

const isFirst = sql`${users.id} = (SELECT min(id) FROM ${users})`;

/** What adds one user; the first of all is the owner. */
export function insertUser(writer: Writer, user: Omit<User, "role">) {
  const role = sql`CASE WHEN EXISTS (SELECT 1 FROM ${users}) THEN 'member' ELSE 'owner' END`;
  return writer
    .insert(users)
    .values({ ...user, role })
    .returning();
}

/** @throws {AccountError} as there is no such user */
function refuseName(name: string): never {
  throw new AccountError(`There is no user named "${name}". "marquee user list" shows all.`);
}
