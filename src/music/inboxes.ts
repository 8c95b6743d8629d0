import { and, asc, between, eq, type SQL } from "drizzle-orm";
import type { AccountsContext } from "../accounts/context.ts";
import { refuseId } from "./connection-reads.ts";
import { connections, users } from "../db/schema.ts";
import { THE_SERVER, type Vault } from "../vault/vault.ts";
import { createCredentialCache } from "../accounts/credential-cache.ts";
import {
  createInboxSecret,
  hashCredential,
  type InboxSecret,
  parseInboxSecret,
} from "../accounts/credential.ts";

/** Where what another program pushes with a secret belongs. */
export interface InboxOwner {
  readonly connectionId: number;
  readonly userId: number;
  readonly source: string;
}

/** The secrets with which other programs push to connections. */
export type Inboxes = ReturnType<typeof createInboxes>;

interface SecretRow {
  readonly userId: number;
  readonly sealedSecret: Uint8Array | null;
}

/** A session's first bytes, which the hash of its secret begins with: they find it. */
const FINDING_BYTES = 6;
/** The rest cannot be made without the key. VLC keeps 16 bytes of a session and no more. */
const PROVING_BYTES = 10;
const HASH_BYTES = 32;
/** How many secrets are opened for a user name, whoever's it is: as many as a user has connections. */
const MOST_OPENED = 10;

const openSecret = (vault: Vault, { userId, sealedSecret }: SecretRow): InboxSecret | undefined =>
  sealedSecret ? (vault.open("inbox-secret", userId, sealedSecret) as InboxSecret) : undefined;

/** Opens the secrets of rows, and as many of nobody as are missing to the most. */
function createOpener(vault: Vault) {
  let nobody: SecretRow | undefined;
  const decoy = (): SecretRow =>
    (nobody ??= {
      userId: THE_SERVER,
      sealedSecret: vault.seal("inbox-secret", THE_SERVER, createInboxSecret()),
    });
  /** One that nobody has copied yet, or that is damaged, is no program's. */
  const openIfUsable = (row: SecretRow) => {
    try {
      return openSecret(vault, row);
    } catch {
      return undefined;
    }
  };
  return (rows: readonly SecretRow[]): readonly InboxSecret[] => {
    const sealed = rows.filter(({ sealedSecret }) => sealedSecret !== null);
    const missing = Array<SecretRow>(MOST_OPENED - sealed.length).fill(decoy());
    const secrets = [...sealed, ...missing].map(openIfUsable);
    return secrets.slice(0, sealed.length).filter((secret) => secret !== undefined);
  };
}

export function createInboxes({ store, vault }: Pick<AccountsContext, "store" | "vault">) {
  const { queries } = store;
  /** By secret, and by session. */
  const inboxes = createCredentialCache<string, InboxOwner>(({ userId }) => userId);

  const whereItBelongs = {
    connectionId: connections.id,
    userId: connections.userId,
    source: connections.source,
  };
  const inboxesWhere = (condition: SQL) =>
    queries.select(whereItBelongs).from(connections).where(condition);
  const secretRowOf = (connectionId: number): SecretRow => {
    const row = queries
      .select({ userId: connections.userId, sealedSecret: connections.sealedSecret })
      .from(connections)
      .where(eq(connections.id, connectionId))
      .get();
    if (row) return row;
    return refuseId();
  };
  /** Replaces a connection's secret: the old one stops working at once. */
  const rotateSecret = async (connectionId: number): Promise<InboxSecret> => {
    const { userId } = secretRowOf(connectionId);
    const secret = createInboxSecret();
    const sealedSecret = vault.seal("inbox-secret", userId, secret);
    await store.write({ userId, what: "connections" }, (tx) =>
      tx
        .update(connections)
        .set({ secretHash: hashCredential(secret), sealedSecret })
        .where(eq(connections.id, connectionId))
        .run(),
    );
    return secretOf(connectionId);
  };
  /**
   * The secret with which another program pushes to this connection, made when first asked for.
   * @throws {SecretError} when it is damaged @throws {Refused} when the connection is gone
   */
  const secretOf = async (connectionId: number): Promise<InboxSecret> =>
    openSecret(vault, secretRowOf(connectionId)) ?? rotateSecret(connectionId);
  const openAlike = createOpener(vault);
  const find = (secret: InboxSecret): InboxOwner | undefined =>
    inboxesWhere(eq(connections.secretHash, hashCredential(secret))).get();

  const sessionFor = (secretHash: Uint8Array): Buffer => {
    const name = vault.opaqueName(`session ${Buffer.from(secretHash).toString("hex")}`);
    return Buffer.concat([
      secretHash.subarray(0, FINDING_BYTES),
      Buffer.from(name, "base64url").subarray(0, PROVING_BYTES),
    ]);
  };
  const findBySession = (session: Buffer): InboxOwner | undefined => {
    const hashWith = (rest: number) =>
      Buffer.alloc(HASH_BYTES, rest).fill(session.subarray(0, FINDING_BYTES), 0, FINDING_BYTES);
    const rows = queries
      .select({ secretHash: connections.secretHash, ...whereItBelongs })
      .from(connections)
      .where(between(connections.secretHash, hashWith(0x00), hashWith(0xff)))
      .all();
    for (const { secretHash, ...inbox } of rows) {
      if (secretHash && crypto.timingSafeEqual(sessionFor(secretHash), session)) return inbox;
    }
    return undefined;
  };

  return {
    secretOf,
    rotateSecret,
    /** Where this secret belongs, if it works. From memory if it was looked up before. */
    inboxOf(text: string) {
      const secret = parseInboxSecret(text);
      return secret && inboxes.lookUp(secret, () => find(secret));
    },
    /**
     * The secrets of a user's connections to a source; none when there is no such user. For programs
     * that send only a digest of their secret. It takes the same work for any name.
     */
    inboxSecretsOf(userName: string, source: string) {
      const rows = queries
        .select({ userId: connections.userId, sealedSecret: connections.sealedSecret })
        .from(connections)
        .innerJoin(users, eq(users.id, connections.userId))
        .where(and(eq(users.name, userName), eq(connections.source, source)))
        .orderBy(asc(connections.id))
        .limit(MOST_OPENED)
        .all();
      return openAlike(rows);
    },
    /**
     * A name for a secret that only servers with this key can make, and that ends with the secret:
     * 32 hexadecimal digits. It is the same each time, and is stored nowhere.
     */
    sessionOf: (secret: InboxSecret) => sessionFor(hashCredential(secret)).toString("hex"),
    /** Where the secret of this session belongs, if it works. From memory if it was looked up. */
    inboxOfSession(session: string) {
      if (!/^[0-9a-f]{32}$/.test(session)) return undefined;
      const bytes = Buffer.from(session, "hex");
      return inboxes.lookUp(session, () => findBySession(bytes));
    },
    /** Whether anybody has a connection to a source. */
    hasInboxOf: (source: string) =>
      inboxesWhere(eq(connections.source, source)).limit(1).get() !== undefined,
    /** The owner's first connection to a source. */
    ownersInboxOf: (source: string): InboxOwner | undefined =>
      inboxesWhere(eq(connections.source, source))
        .innerJoin(users, and(eq(users.id, connections.userId), eq(users.role, "owner")))
        .orderBy(asc(connections.position))
        .limit(1)
        .get(),
    /** Drops the cached inboxes of a user, or of all users, because the database has changed. */
    forgetInboxes: inboxes.forget,
  };
}
