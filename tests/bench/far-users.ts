import { sql } from "drizzle-orm";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { draftKey } from "../../src/accounts/keys.ts";
import { SIGN_IN_PURPOSE } from "../../src/accounts/magic-links.ts";
import { resolveConfig } from "../../src/config.ts";
import { openFolder, workspaceOf } from "../../src/control/data-folder.ts";
import { apiKeys } from "../../src/db/schema.ts";

/** Users of one server, of whom the first ones stream. */

export const USERS = 20_000;
export const STREAMERS = 2_000;
/** As many as a user may have. */
const KEYS_A_STREAMER = 50;
/** SQLite takes so many values in a statement at least. */
const ADDED_AT_ONCE = 10_000;
const FILE = "far.json";

/** What the clients of those who stream have. Every list has the users in the same order. */
export interface Credentials {
  /** Tokens of overlays, one of each user. */
  readonly overlays: readonly string[];
  /** Paths that songs are pushed to, one of each user. */
  readonly inboxes: readonly string[];
  /** One key of each user, then a second one of each, and so on. */
  readonly keys: readonly string[];
  /** A secret that signs the owner in, once. */
  readonly signIn: string;
}

/** Makes a database with these users. Their clients find the credentials in its folder. */
export async function makeUsers(folder: string): Promise<void> {
  const { config } = resolveConfig({ data: folder }, {});
  const { accounts, sources, store } = workspaceOf(config, openFolder(config));
  // Nobody needs what a broken machine would lose here.
  store.queries.run(sql`PRAGMA synchronous = OFF`);
  const settings = sources.byId("json")?.open({}).settings;
  const names = Array.from({ length: USERS }, (_, index) => `user-${index}`);
  const users = [];
  for (let from = 0; from < USERS; from += ADDED_AT_ONCE) {
    const part = names.slice(from, from + ADDED_AT_ONCE);
    users.push(...(await accounts.add(part, { source: "json", settings })));
  }
  const streamers = users.slice(0, STREAMERS);
  const inboxes: string[] = [];
  for (const { user } of streamers) {
    const [connection] = accounts.connections.allOf(user.id);
    if (!connection) throw new Error(`${user.name} has no connection`);
    inboxes.push(`/in/${await accounts.connections.secretOf(connection.id)}/json`);
  }
  const keys = streamers.map(({ key }) => key);
  store.transaction((tx) => {
    for (let made = 1; made < KEYS_A_STREAMER; made++) {
      for (const { user } of streamers) {
        const { row, issued } = draftKey(user.id, `key ${made}`, Date.now());
        tx.insert(apiKeys).values(row).run();
        keys.push(issued.key);
      }
    }
  });
  const owner = accounts.users.owner();
  if (!owner) throw new Error("nobody is the owner");
  const credentials: Credentials = {
    overlays: streamers.map(({ widgetToken }) => widgetToken),
    inboxes,
    keys,
    signIn: accounts.magicLinks.issue(owner, SIGN_IN_PURPOSE),
  };
  store.close();
  writeFileSync(join(folder, FILE), JSON.stringify(credentials));
}

export const credentialsIn = (folder: string): Credentials =>
  JSON.parse(readFileSync(join(folder, FILE), "utf8"));
