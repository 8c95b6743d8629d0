import { eq } from "drizzle-orm";
import { server } from "../db/schema.ts";
import type { AccountsContext } from "./context.ts";

/** What is stored of the server itself. */
export function createServerFacts({ store: { queries } }: AccountsContext) {
  const read = () => queries.select().from(server).where(eq(server.id, 1)).get();
  return {
    /** The last base URL of the server, for addresses that are written while none runs. */
    lastBaseUrl: () => read()?.baseUrl ?? undefined,
    rememberBaseUrl(baseUrl: string) {
      if (read()?.baseUrl === baseUrl) return;
      const set = { baseUrl };
      queries
        .insert(server)
        .values({ id: 1, ...set })
        .onConflictDoUpdate({ target: server.id, set })
        .run();
    },
  };
}
