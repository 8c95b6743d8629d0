import { eq, inArray, sql } from "drizzle-orm";
import type { ChangeFeed } from "../db/change-feed.ts";
import { server, users as usersTable } from "../db/schema.ts";
import {
  type Connections,
  createConnections,
  draftConnection,
  putConnection,
} from "./connections.ts";
import { AccountError, type AccountsContext, storeSealed, type Writer } from "./context.ts";
import type { ApiKey, WidgetToken } from "./credential.ts";
import { createDeferredWrites } from "./deferred-writes.ts";
import { createKeys, insertKey, type Keys } from "./keys.ts";
import type { Vault } from "./secrets.ts";
import { isUserName, USER_NAME_RULE } from "../user-name.ts";
import { createPrivacy, type Privacy } from "./privacy.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { createMagicLinks, type MagicLinks } from "./magic-links.ts";
import { createUpstreams, type Upstreams } from "./upstreams.ts";
import { createUsers, insertUser, type User, type Users } from "./users.ts";
import { createWidgets, draftWidgetToken, putWidgetToken, type Widgets } from "./widgets.ts";

/** A user as added, with what is shown this one time. */
export interface AddedUser {
  readonly user: User;
  readonly key: ApiKey;
  readonly widgetToken: WidgetToken;
}

/** Everything the server knows of its users. */
export interface Accounts {
  readonly users: Users;
  readonly keys: Keys;
  readonly widgets: Widgets;
  readonly connections: Connections;
  readonly magicLinks: MagicLinks;
  readonly sessions: Sessions;
  readonly privacy: Privacy;
  readonly upstreams: Upstreams;
  /**
   * Adds users, each with a key and a widget token, all or none.
   * @throws {AccountError} naming every name that is invalid, taken or given twice
   */
  add(
    names: readonly string[],
    connection?: { source: string; settings: unknown },
  ): Promise<AddedUser[]>;
  /** Where the server was last reached, for commands that print addresses. */
  lastBaseUrl(): Promise<string | undefined>;
  rememberBaseUrl(baseUrl: string): Promise<void>;
  /** Calls back with the user whose data changed; `undefined` when it concerns everybody. */
  onChange: ChangeFeed["onChange"];
  /** Looks whether another process has changed the accounts. */
  checkForChanges: ChangeFeed["checkForChanges"];
  /** Tries again what could not be written in the background; answers whether all is written. */
  retryWrites(): Promise<boolean>;
}

export function createAccounts(context: AccountsContext): Accounts {
  const { store, vault, wallMs } = context;
  const { queries } = store;
  const keys = createKeys(context);
  const privacy = createPrivacy(context);
  const deferred = createDeferredWrites();
  store.onChange((userId) => {
    keys.forget(userId);
    privacy.forget(userId);
  });

  return {
    users: createUsers(context),
    keys,
    widgets: createWidgets(context),
    connections: createConnections(context, deferred),
    magicLinks: createMagicLinks(context),
    sessions: createSessions(context, deferred),
    privacy,
    upstreams: createUpstreams(context, deferred),
    async add(names, connection) {
      // What is sealed is bound to the user's id, so ids are chosen before the rows are written.
      // Another process may take them meanwhile; then it is all done again.
      const attempt = async () => {
        const firstId = nextUserId(queries);
        const drafts = await Promise.all(
          names.map((name, index) => draftUser(vault, firstId + index, name, connection, wallMs())),
        );
        return queries.transaction(
          (writer) => {
            refuseBadNames(names, takenNames(writer, names));
            if (nextUserId(writer) !== firstId) return undefined;
            return drafts.map((draft) => insertDraft(writer, draft));
          },
          { behavior: "immediate" },
        );
      };
      for (;;) {
        const added = await storeSealed(vault, attempt);
        store.tellChanges();
        if (added) return added;
      }
    },
    lastBaseUrl: async () =>
      queries.select().from(server).where(eq(server.id, 1)).get()?.baseUrl ?? undefined,
    async rememberBaseUrl(baseUrl) {
      // A start that changes nothing need not wait for whoever writes.
      if (queries.select().from(server).where(eq(server.id, 1)).get()?.baseUrl === baseUrl) return;
      queries
        .insert(server)
        .values({ id: 1, baseUrl })
        .onConflictDoUpdate({ target: server.id, set: { baseUrl } })
        .run();
    },
    onChange: store.onChange,
    checkForChanges: store.checkForChanges,
    async retryWrites() {
      await deferred.retry();
      return deferred.waiting() === 0;
    },
  };
}

interface UserDraft {
  readonly user: Omit<User, "role">;
  readonly widget: Awaited<ReturnType<typeof draftWidgetToken>>;
  readonly connection: Awaited<ReturnType<typeof draftConnection>> | undefined;
}

async function draftUser(
  vault: Vault,
  id: number,
  name: string,
  connection: { source: string; settings: unknown } | undefined,
  createdAt: number,
): Promise<UserDraft> {
  return {
    user: { id, name, createdAt, language: null, welcomedAt: null },
    widget: await draftWidgetToken(vault, id, createdAt),
    connection: connection && (await draftConnection(vault, id, connection, createdAt)),
  };
}

function insertDraft(writer: Writer, { user: draft, widget, connection }: UserDraft): AddedUser {
  const user = insertUser(writer, draft);
  if (connection) putConnection(writer, connection);
  putWidgetToken(writer, widget.row);
  const { key } = insertKey(writer, user, "first key", draft.createdAt);
  return { user, key, widgetToken: widget.token };
}

/** The id that follows every one ever given, those of removed users too. */
function nextUserId(writer: Writer): number {
  const sequence = writer
    .select({ last: sql<number>`seq` })
    .from(sql`sqlite_sequence`)
    .where(sql`name = 'users'`)
    .get();
  return (sequence?.last ?? 0) + 1;
}

function takenNames(writer: Writer, names: readonly string[]): string[] {
  return writer
    .select({ name: usersTable.name })
    .from(usersTable)
    .where(inArray(usersTable.name, [...names]))
    .all()
    .map((user) => user.name);
}

function refuseBadNames(names: readonly string[], taken: readonly string[]): void {
  const mistakes = new Set<string>();
  let isMisuse = false;
  for (const [index, name] of names.entries()) {
    const isBad = !isUserName(name) || names.indexOf(name) !== index;
    isMisuse ||= isBad;
    if (!isUserName(name)) mistakes.add(`"${name}" is no user name: it must be ${USER_NAME_RULE}.`);
    else if (taken.includes(name)) mistakes.add(`There is a user named "${name}" already.`);
    else if (isBad) mistakes.add(`"${name}" is given twice.`);
  }
  if (mistakes.size === 0) return;
  throw new AccountError([...mistakes, "No user was added."].join("\n"), isMisuse);
}
