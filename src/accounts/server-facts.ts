import { eq } from "drizzle-orm";
import type { Schema } from "../db/schema.ts";
import type { AccountsContext } from "./context.ts";

/** What the running server and its commands note for each other. */
export interface ServerFacts {
  /** The last base URL of the server, for commands that print addresses. */
  lastBaseUrl(): Promise<string | undefined>;
  rememberBaseUrl(baseUrl: string): Promise<void>;
  /** Asks the running server to stop. It finds out by a change of `server`. */
  askToStop(): Promise<void>;
  isAskedToStop(): Promise<boolean>;
  /** A server that starts has not been asked yet. */
  forgetStop(): Promise<void>;
}

export function createServerFacts({
  store,
  wallMs,
}: Pick<AccountsContext, "store" | "wallMs">): ServerFacts {
  const { queries, atomically } = store;
  const { server } = store.tables;
  const read = async () => {
    const [row] = await queries.select().from(server).where(eq(server.id, 1));
    return row;
  };
  const write = async (set: Partial<Schema["server"]["$inferInsert"]>) => {
    await atomically((writer) => [
      writer
        .insert(server)
        .values({ id: 1, ...set })
        .onConflictDoUpdate({ target: server.id, set }),
    ]);
  };
  return {
    lastBaseUrl: async () => (await read())?.baseUrl ?? undefined,
    async rememberBaseUrl(baseUrl) {
      // If nothing changes, do not wait for another writer's lock.
      if ((await read())?.baseUrl !== baseUrl) await write({ baseUrl });
    },
    askToStop: () => write({ stopAskedAt: wallMs() }),
    isAskedToStop: async () => typeof (await read())?.stopAskedAt === "number",
    async forgetStop() {
      if (typeof (await read())?.stopAskedAt === "number") await write({ stopAskedAt: null });
    },
  };
}
