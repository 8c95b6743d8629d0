import { accountTables } from "./tables/accounts.ts";
import { hookTables } from "./tables/hooks.ts";
import { chatTables } from "./tables/chat.ts";
import { lookTables } from "./tables/looks.ts";
import { musicTables } from "./tables/music.ts";
import { serverTables } from "./tables/server.ts";
import { type Kit, sqliteKit } from "./sqlite-kit.ts";

export type Schema = ReturnType<typeof createSchema>;

/**
 * The tables, as one of the databases spells them. None comes before what its rows belong to, and the
 * server's, which holds the key in force, comes before what that key has sealed.
 */
export function createSchema(kit: Kit) {
  const { ownedBy, ...accounts } = accountTables(kit);
  return {
    ...serverTables(kit),
    ...accounts,
    ...lookTables(kit, ownedBy),
    ...musicTables(kit, ownedBy),
    ...hookTables(kit, ownedBy),
    ...chatTables(kit, ownedBy),
  };
}

/** As SQLite spells them. */
export const tables = createSchema(sqliteKit);
export const {
  users,
  apiKeys,
  widgets,
  widgetRevisions,
  fonts,
  connections,
  connectionStatuses,
  upstreams,
  magicLinks,
  sessions,
  privacy,
  server,
  histories,
  songs,
  hooks,
  chatAccounts,
  foundCovers,
} = tables;

/** Whose data changed last, in the order of the ids; filled by triggers (change-feed.ts). */
export const changes = sqliteKit.table(
  "changes",
  {
    id: sqliteKit.id("id"),
    /** Not a foreign key: the change may be that the user was removed. */
    userId: sqliteKit.integer("user_id").notNull(),
    /** Which of the user's tables; empty in rows of an earlier version. */
    tableName: sqliteKit.text("table_name").notNull().default(""),
  },
  (columns) => [sqliteKit.uniqueIndex("changes_user").on(columns.userId, columns.tableName)],
);
