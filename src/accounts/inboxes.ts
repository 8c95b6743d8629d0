import { and, asc, eq, isNull, type SQL } from "drizzle-orm";
import { AccountError, type AccountsContext, storeSealed } from "./context.ts";
import { createCredentialCache } from "./credential-cache.ts";
import {
  createInboxSecret,
  hashCredential,
  type InboxSecret,
  parseInboxSecret,
} from "./credential.ts";

/** Where what another program pushes with a secret belongs. */
export interface Inbox {
  readonly connectionId: number;
  readonly userId: number;
  readonly source: string;
}

/** The secrets with which other programs push to connections. */
export interface Inboxes {
  /**
   * The secret with which another program pushes to this connection, made when first asked for.
   * @throws {SecretError} when it is damaged @throws {AccountError} when the connection is gone
   */
  secretOf(connectionId: number): Promise<InboxSecret>;
  /** Replaces that secret: the old one stops working at once. */
  rotateSecret(connectionId: number): Promise<InboxSecret>;
  /** Where this secret belongs, if it works. From memory if it was looked up before. */
  inboxOf(secret: string): Promise<Inbox | undefined>;
  /**
   * The secrets of a user's connections to a source; none when there is no such user. For programs
   * that send only a digest of their secret.
   */
  inboxSecretsOf(userName: string, source: string): Promise<readonly InboxSecret[]>;
  /** The owner's first connection to a source. */
  ownersInboxOf(source: string): Promise<Inbox | undefined>;
  /** Drops the cached inboxes of a user, or of all users, because the database has changed. */
  forgetInboxes(userId?: number): void;
}

export function createInboxes({ store, vault }: Pick<AccountsContext, "store" | "vault">): Inboxes {
  const { queries, atomically } = store;
  const { connections, users } = store.tables;
  const inboxes = createCredentialCache<InboxSecret, Inbox>(({ userId }) => userId);

  const inboxesWhere = (condition: SQL) =>
    queries
      .select({
        connectionId: connections.id,
        userId: connections.userId,
        source: connections.source,
      })
      .from(connections)
      .where(condition);
  const secretRowOf = async (connectionId: number) => {
    const [row] = await queries
      .select({ userId: connections.userId, sealedSecret: connections.sealedSecret })
      .from(connections)
      .where(eq(connections.id, connectionId));
    if (row) return row;
    throw new AccountError("This connection is not there any more. Connect again.");
  };
  const storeSecret = (connectionId: number, condition?: SQL) =>
    storeSealed(vault, async () => {
      const { userId } = await secretRowOf(connectionId);
      const secret = createInboxSecret();
      const sealedSecret = await vault.seal("inbox-secret", userId, secret);
      await atomically((writer) => [
        writer
          .update(connections)
          .set({ secretHash: hashCredential(secret), sealedSecret })
          .where(and(eq(connections.id, connectionId), condition)),
      ]);
    });
  const secretOf = async (connectionId: number): Promise<InboxSecret> => {
    const { userId, sealedSecret } = await secretRowOf(connectionId);
    if (sealedSecret) {
      return (await vault.open("inbox-secret", userId, sealedSecret)) as InboxSecret;
    }
    // Of two first calls at once, one stores its secret, and both return it.
    await storeSecret(connectionId, isNull(connections.secretHash));
    return secretOf(connectionId);
  };
  const find = async (secret: InboxSecret): Promise<Inbox | undefined> => {
    const [inbox] = await inboxesWhere(eq(connections.secretHash, hashCredential(secret)));
    return inbox;
  };

  return {
    secretOf,
    async rotateSecret(connectionId) {
      await storeSecret(connectionId);
      return secretOf(connectionId);
    },
    async inboxOf(text) {
      const secret = parseInboxSecret(text);
      return secret && (inboxes.get(secret) ?? inboxes.lookUp(secret, () => find(secret)));
    },
    async inboxSecretsOf(userName, source) {
      const rows = await queries
        .select({ id: connections.id })
        .from(connections)
        .innerJoin(users, eq(users.id, connections.userId))
        .where(and(eq(users.name, userName), eq(connections.source, source)))
        .orderBy(asc(connections.id));
      return Promise.all(rows.map(({ id }) => secretOf(id)));
    },
    async ownersInboxOf(source) {
      const [first] = await inboxesWhere(eq(connections.source, source))
        .innerJoin(users, and(eq(users.id, connections.userId), eq(users.role, "owner")))
        .orderBy(asc(connections.position))
        .limit(1);
      return first;
    },
    forgetInboxes: inboxes.forget,
  };
}
