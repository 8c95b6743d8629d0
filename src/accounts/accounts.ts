import { inArray } from "drizzle-orm";
import type { ChangeFeed } from "../db/change-feed.ts";
import { isNotUnique } from "../db/errors.ts";
import type { Schema } from "../db/schema.ts";
import type { Statement, Writer } from "../db/store.ts";
import { type Connections, createConnections, draftConnection } from "../music/connections.ts";
import { AccountError, type AccountsContext, storeSealed } from "./context.ts";
import type { ApiKey, WidgetToken } from "./credential.ts";
import { createDeferredWrites } from "../db/deferred-writes.ts";
import { type ChatAccounts, createChatAccounts } from "./chat-accounts.ts";
import { createFoundCovers, type FoundCovers } from "./found-covers.ts";
import { createFonts, type Fonts } from "../looks/fonts.ts";
import { createHistory, type History } from "../music/history.ts";
import { createHooks, type Hooks } from "../music/hooks.ts";
import { createKeys, draftKey, type Keys } from "./keys.ts";
import type { Vault } from "../vault/vault.ts";
import { isUserName, USER_NAME_RULE } from "../user-name.ts";
import { createPrivacy, insertRules, type Privacy } from "./privacy.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { createMagicLinks, type MagicLinks } from "./magic-links.ts";
import { createUpstreams, type Upstreams } from "./upstreams.ts";
import { createServerFacts, type ServerFacts } from "./server-facts.ts";
import { createUsers, insertUser, type User, type Users } from "./users.ts";
import { draftFirstWidget, insertWidget } from "../looks/new-widget.ts";
import { createWidgets, type Widgets } from "../looks/widgets.ts";

/** A new user, with the credentials to show once. */
export interface AddedUser {
  readonly user: User;
  readonly key: ApiKey;
  readonly widgetToken: WidgetToken;
}

/** All that the server stores: its users with what is theirs, and facts of the server itself. */
export interface Accounts extends ServerFacts {
  readonly users: Users;
  readonly keys: Keys;
  readonly widgets: Widgets;
  readonly fonts: Fonts;
  readonly connections: Connections;
  readonly magicLinks: MagicLinks;
  readonly sessions: Sessions;
  readonly privacy: Privacy;
  readonly history: History;
  readonly hooks: Hooks;
  readonly upstreams: Upstreams;
  readonly chat: ChatAccounts;
  readonly foundCovers: FoundCovers;
  /**
   * Adds users, each with a key and a first widget, all or none.
   * @throws {AccountError} naming every name that is invalid, taken or given twice
   */
  add(
    names: readonly string[],
    connection?: { source: string; settings: unknown },
  ): Promise<AddedUser[]>;
  /**
   * Adds the first user with a key and a first widget. Returns `undefined` if there is an owner,
   * whom another server on the same database may have added at this moment.
   */
  addOwner(
    name: string,
    connection: { source: string; settings: unknown },
  ): Promise<AddedUser | undefined>;
  /** Calls back with the changes of one user, or those that concern all users. */
  onChange: ChangeFeed["onChange"];
  /** Checks whether another process changed the accounts. */
  checkForChanges: ChangeFeed["checkForChanges"];
  /** Retries the deferred writes that failed. Returns whether all are stored now. */
  retryWrites(): Promise<boolean>;
}

export async function createAccounts(context: AccountsContext): Promise<Accounts> {
  const { store, vault, wallMs } = context;
  const { queries, atomically, tables } = store;
  const { users: usersTable } = tables;
  const keys = createKeys(context);
  const privacy = await createPrivacy(context);
  const deferred = createDeferredWrites();
  const connections = createConnections(context, deferred);
  const history = await createHistory(context, deferred, privacy.of);
  const users = createUsers(context, history.empty);
  store.onChange(async ({ userId, concerns }) => {
    if (concerns("users", "api_keys")) keys.forget(userId);
    if (concerns("users", "connections")) connections.forgetInboxes(userId);
    if (concerns("users", "histories")) await history.reload(userId);
    if (concerns("users", "privacy", "connections")) await privacy.reload(userId);
  });
  const takenNames = async (names: readonly string[]) => {
    const rows = await queries
      .select({ name: usersTable.name })
      .from(usersTable)
      .where(inArray(usersTable.name, [...names]));
    return rows.map(({ name }) => name);
  };

  const insert = async (
    names: readonly string[],
    connection: { source: string; settings: unknown } | undefined,
    isOwner = false,
  ): Promise<AddedUser[]> => {
    // Sealed values are bound to the user's id, so ids are reserved before rows are written.
    const ids = await store.reserveUserIds(names.length);
    return storeSealed(vault, async () => {
      const drafts = await Promise.all(
        ids.map((id, index) => draftUser(vault, id, names[index] ?? "", connection, wallMs())),
      );
      await atomically((writer) =>
        drafts.flatMap((draft) => insertDraft(tables, writer, draft, isOwner)),
      );
      return Promise.all(
        drafts.map(async ({ widget, key, row }) => ({
          user: await users.named(row.name),
          key: key.issued.key,
          widgetToken: widget.token,
        })),
      );
    });
  };

  return {
    users,
    keys,
    widgets: createWidgets(context),
    fonts: createFonts(context),
    connections,
    magicLinks: createMagicLinks(context),
    sessions: createSessions(context, deferred),
    privacy,
    history,
    hooks: createHooks(context, deferred),
    foundCovers: createFoundCovers(context),
    upstreams: createUpstreams(context, deferred),
    chat: createChatAccounts(context, deferred),
    async add(names, connection) {
      refuseBadNames(names, await takenNames(names));
      try {
        return await insert(names, connection);
      } catch (error) {
        if (isNotUnique(error)) refuseBadNames(names, await takenNames(names));
        throw error;
      }
    },
    async addOwner(name, connection) {
      try {
        const [added] = await insert([name], connection, true);
        return added;
      } catch (error) {
        if (isNotUnique(error) && (await users.owner())) return undefined;
        throw error;
      }
    },
    ...createServerFacts(context),
    onChange: store.onChange,
    checkForChanges: store.checkForChanges,
    async retryWrites() {
      await deferred.retry();
      return deferred.waiting() === 0;
    },
  };
}

interface UserDraft {
  readonly row: Omit<User, "role">;
  readonly key: ReturnType<typeof draftKey>;
  readonly widget: Awaited<ReturnType<typeof draftFirstWidget>>;
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
    row: { id, name, createdAt, language: null, welcomedAt: null },
    key: draftKey(id, "first key", createdAt),
    widget: await draftFirstWidget(vault, id, createdAt),
    connection: connection && (await draftConnection(vault, id, connection, createdAt)),
  };
}

function insertDraft(
  tables: Schema,
  writer: Writer,
  { row, key, widget, connection }: UserDraft,
  isOwner: boolean,
): Statement[] {
  return [
    insertUser(tables, writer, row, isOwner),
    insertRules(tables, writer, row.id),
    ...(connection ? [writer.insert(tables.connections).values(connection)] : []),
    ...insertWidget(tables, writer, widget.row),
    writer.insert(tables.apiKeys).values(key.row),
  ];
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
