import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant, rowId } from "../columns.ts";
import { ownedBy } from "./accounts.ts";

/** Where a user's songs are sent to other programs. */

export const hooks = sqliteTable(
  "hooks",
  {
    /** Never reused, so another id means another hook. */
    id: rowId("id"),
    userId: ownedBy().notNull(),
    /** JSON: the address, which may hold a secret of its own, the secret and the events; encrypted. */
    sealedSettings: bytes("sealed_settings").notNull(),
    createdAt: instant("created_at").notNull(),
    /** How many events in a row could not be sent. */
    failures: integer("failures").notNull().default(0),
    /** Why nothing is sent any more: the address is gone (410), or failed a hundred times in a row. */
    off: text("off", { enum: ["gone", "failing"] }),
  },
  (columns) => [index("hooks_user").on(columns.userId)],
);
