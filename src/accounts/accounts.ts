import { inArray, sql } from "drizzle-orm";
import { apiKeys, connections as connectionsTable, users as usersTable } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
import { createConnections, draftConnection } from "../music/connections.ts";
import { type Reason, Refused } from "../i18n/refused.ts";
import type { AccountsContext } from "./context.ts";
import type { ApiKey, WidgetToken } from "./credential.ts";
import { createDeferredWrites } from "../db/deferred-writes.ts";
import { createChatAccounts } from "../chat/store.ts";
import { createFoundCovers } from "./found-covers.ts";
import { createFonts } from "../looks/fonts.ts";
import { createHistory } from "../music/history.ts";
import { createHooks } from "../hooks/store.ts";
import { createKeys, draftKey } from "./keys.ts";
import type { Vault } from "../vault/vault.ts";
import { isUserName } from "../user-name.ts";
import { createPrivacy, insertRules } from "./privacy.ts";
import { createSessions } from "./sessions.ts";
import { createMagicLinks } from "./magic-links.ts";
import { createUpstreams } from "./upstreams.ts";
import { createServerFacts } from "./server-facts.ts";
import { createUsers, insertUser, type User } from "./users.ts";
import { draftFirstWidget, insertWidget } from "../looks/new-widget.ts";
import { createStandInCovers } from "../looks/stand-in-covers.ts";
import { createWidgets } from "../looks/widgets.ts";

/** A new user, with the credentials to show once. */
export interface AddedUser {
  readonly user: User;
  readonly key: ApiKey;
  readonly widgetToken: WidgetToken;
}

/** All that the server stores: its users with what is theirs, and facts of the server itself. */
export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(context: AccountsContext) {
  const { store, vault, wallMs } = context;
  const keys = createKeys(context);
  const privacy = createPrivacy(context);
  const deferred = createDeferredWrites();
  const connections = createConnections(context, deferred);
  const history = createHistory(context, deferred, privacy.of);
  const users = createUsers(context, history.empty);
  store.onChange(({ userId, concerns }) => {
    if (concerns("users", "keys")) keys.forget(userId);
    if (concerns("users", "connections")) connections.forgetInboxes(userId);
    if (concerns("users", "history")) history.reload(userId);
    if (concerns("users", "privacy", "connections")) privacy.forget(userId);
  });

  return {
    users,
    keys,
    widgets: createWidgets(context),
    fonts: createFonts(context),
    standInCovers: createStandInCovers(context),
    connections,
    magicLinks: createMagicLinks(context),
    sessions: createSessions(context, deferred),
    privacy,
    history,
    hooks: createHooks(context, deferred),
    foundCovers: createFoundCovers(context),
    upstreams: createUpstreams(context, deferred),
    chat: createChatAccounts(context, deferred),
    /**
     * Adds users, each with a key and a first widget, all or none.
     * @throws {Refused} naming every name that is invalid, taken or given twice
     */
    async add(names: readonly string[], connection?: { source: string; settings: unknown }) {
      refuseBadNames(names, takenNames(store.queries, names));
      // Sealed values are bound to ids, so these are chosen before rows are written.
      const firstId = nextUserId(store.queries);
      const drafts = names.map((name, index) =>
        draftUser(vault, firstId + index, name, connection, wallMs()),
      );
      const added = drafts.map(({ row }) => ({ userId: row.id, what: "users" }) as const);
      return store.write(added, (tx) =>
        drafts.map((draft) => ({
          user: insertDraft(tx, draft),
          key: draft.key.issued.key,
          widgetToken: draft.widget.token,
        })),
      );
    },
    ...createServerFacts(context),
    /** Calls back with the changes of one user, or those that concern all users. */
    onChange: store.onChange,
    /** Follows again what could not be followed of a change. */
    followMissed: store.followMissed,
    /** Retries the deferred writes that failed. Returns whether all are stored now. */
    async retryWrites() {
      await deferred.retry();
      return deferred.waiting() === 0;
    },
  };
}

function draftUser(
  vault: Vault,
  id: number,
  name: string,
  connection: { source: string; settings: unknown } | undefined,
  createdAt: number,
) {
  return {
    row: { id, name, createdAt, language: null, welcomedAt: null },
    key: draftKey(id, "first key", createdAt),
    widget: draftFirstWidget(vault, id, createdAt),
    connection: connection && draftConnection(vault, id, connection, createdAt),
  };
}

function insertDraft(
  tx: Queries,
  { row, key, widget, connection }: ReturnType<typeof draftUser>,
): User {
  const user = insertUser(tx, row);
  insertRules(tx, row.id);
  if (connection) tx.insert(connectionsTable).values(connection).run();
  insertWidget(tx, widget.row);
  tx.insert(apiKeys).values(key.row).run();
  return user;
}

const takenNames = (queries: Queries, names: readonly string[]): string[] =>
  queries
    .select({ name: usersTable.name })
    .from(usersTable)
    .where(inArray(usersTable.name, [...names]))
    .all()
    .map(({ name }) => name);

/** One that no user has or had. */
function nextUserId(queries: Queries): number {
  const [given] = queries.all<{ seq: number }>(
    sql`SELECT seq FROM sqlite_sequence WHERE name = 'users'`,
  );
  return (given?.seq ?? 0) + 1;
}

/** @throws {Refused} */
function refuseBadNames(names: readonly string[], taken: readonly string[]): void {
  const invalid = names.filter((name) => !isUserName(name));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  const unusable = [...new Set([...invalid, ...twice, ...taken])];
  if (unusable.length === 0 && names.length > 0) return;
  const isMisuse = invalid.length > 0 || twice.length > 0 || names.length === 0;
  const refuse = (reason: Reason): never => {
    throw new Refused(reason, { names: unusable.join(", ") }, { field: "names", isMisuse });
  };
  if (unusable.length > 1) refuse("user.several");
  if (twice.length > 0) refuse("user.twice");
  refuse(taken.length > 0 ? "user.taken" : "user.name");
}
