import { asc, eq } from "drizzle-orm";
import { users } from "../db/schema.ts";
import { AccountError, type AccountsContext, type Writer } from "./context.ts";

export interface User {
  readonly id: number;
  readonly name: string;
  readonly role: "owner" | "member";
  /** Unix time in milliseconds. */
  readonly createdAt: number;
}

export interface Users {
  list(): Promise<User[]>;
  /** @throws {AccountError} when there is no such user. */
  named(name: string): Promise<User>;
  /** The first user, who runs this server. */
  owner(): Promise<User | undefined>;
  /** Removes a user with keys, widget token and connection. @throws {AccountError} when there is none. */
  remove(name: string): Promise<void>;
}

export function createUsers({ store }: AccountsContext): Users {
  const { queries } = store;
  const all = () => queries.select().from(users).orderBy(asc(users.id)).all();
  return {
    list: async () => all(),
    named: async (name) => findUser(queries, name),
    owner: async () => all().find((user) => user.role === "owner"),
    async remove(name) {
      const user = findUser(queries, name);
      queries.delete(users).where(eq(users.id, user.id)).run();
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

/** @throws {AccountError} when there is no such user. */
function findUser(writer: Writer, name: string): User {
  const user = writer.select().from(users).where(eq(users.name, name)).get();
  if (!user) {
    throw new AccountError(`There is no user named "${name}". "marquee user list" shows all.`);
  }
  return user;
}
