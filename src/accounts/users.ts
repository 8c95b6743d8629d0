import { asc, eq } from "drizzle-orm";
import { users } from "../db/schema.ts";
import { AccountError, type AccountsContext, type Writer } from "./context.ts";

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
  const { queries } = store;
  return {
    list: async () => queries.select().from(users).orderBy(asc(users.id)).all(),
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
    named: async (name) => findUser(queries, name),
    owner: async () => queries.select().from(users).where(eq(users.role, "owner")).get(),
    async remove(name) {
      queries.transaction(
        (writer) => {
          const user = findUser(writer, name);
          writer.delete(users).where(eq(users.id, user.id)).run();
          if (user.role === "owner") promoteFirst(writer);
        },
        // A lock taken only after reading would fail if another process wrote in between.
        { behavior: "immediate" },
      );
      store.tellChanges();
    },
    async setLanguage({ id }, language) {
      queries.update(users).set({ language }).where(eq(users.id, id)).run();
      store.tellChanges();
    },
    async welcome({ id }) {
      queries.update(users).set({ welcomedAt: wallMs() }).where(eq(users.id, id)).run();
    },
  };
}

/** Adds one user inside a transaction; the first user of all is the owner. */
export function insertUser(writer: Writer, user: Omit<User, "role">): User {
  const role = writer.select({ id: users.id }).from(users).limit(1).get() ? "member" : "owner";
  return writer
    .insert(users)
    .values({ ...user, role })
    .returning()
    .get();
}

function promoteFirst(writer: Writer): void {
  const first = writer.select().from(users).orderBy(asc(users.id)).limit(1).get();
  if (first) writer.update(users).set({ role: "owner" }).where(eq(users.id, first.id)).run();
}

/** @throws {AccountError} when there is no such user. */
function findUser(writer: Writer, name: string): User {
  const user = writer.select().from(users).where(eq(users.name, name)).get();
  if (!user) {
    throw new AccountError(`There is no user named "${name}". "marquee user list" shows all.`);
  }
  return user;
}
