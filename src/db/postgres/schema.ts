import { createSchema } from "../schema.ts";
import { postgresKit } from "./kit.ts";

/** The tables, as PostgreSQL spells them. */
export const tables = createSchema(postgresKit);
// drizzle-kit reads them from this module's exports.
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
