import type { ExchangePlan, SealedValue } from "../db/sealed-values.ts";
import type { Store } from "../db/store.ts";
import { createVault, SecretError, THE_SERVER, type Vault } from "./vault.ts";

/** The last step that a rotation has completed. */
export type RotationStep = "prepared" | "staged" | "replaced" | "committed" | "finished";

export interface Rotation {
  readonly store: Store;
  readonly oldKey: string;
  readonly newKey: string;
  /** Stores the new key. Called under the write lock, before anything is stored under that key. */
  stage(): void;
  /** Called once everything is stored under the new key. */
  finish(): void;
  afterStep?(step: RotationStep): void;
}

/** Other processes keep writing; each round seals what they changed. */
const MOST_ROUNDS = 20;

/**
 * Seals every sealed value again under another key, all or none, and returns how many.
 * What others write meanwhile is also sealed again, or the database refuses it.
 * @throws {SecretError} when something cannot be opened, or another rotation was faster
 */
export async function rotateSecretKey(rotation: Rotation): Promise<number> {
  const { store, stage, finish, afterStep = () => {} } = rotation;
  const from = createVault(rotation.oldKey);
  const to = createVault(rotation.newKey);
  /** Keyed by the replaced bytes: no two sealed values are equal. */
  const resealed = new Map<string, Uint8Array>();

  const prepare = async () => {
    for (const value of await store.sealed.all()) {
      const name = nameOf(value);
      if (!resealed.has(name)) resealed.set(name, await reseal(store, value, from, to));
    }
  };

  /** Sealing is asynchronous, the exchange is not: `undefined` if values are not prepared. */
  const replaceAll: ExchangePlan = (values, inForce) => {
    if (!inForce || !Buffer.from(inForce).equals(from.keyId)) throw secondRotation();
    const replacements: { value: SealedValue; bytes: Uint8Array }[] = [];
    for (const value of values) {
      const bytes = resealed.get(nameOf(value));
      if (!bytes) return undefined;
      replacements.push({ value, bytes });
    }
    stage();
    afterStep("staged");
    return { nextKeyId: to.keyId, replacements, beforeCommit: () => afterStep("replaced") };
  };

  for (let round = 1; round <= MOST_ROUNDS; round++) {
    await prepare();
    afterStep("prepared");
    const count = await store.sealed.exchange(replaceAll);
    if (count === undefined) continue;
    afterStep("committed");
    finish();
    afterStep("finished");
    await forgetReplaced(store);
    return count;
  }
  throw new SecretError(
    "The accounts kept changing while they were read, so nothing was changed. Try again in a moment.",
  );
}

const nameOf = ({ bytes }: SealedValue): string => Buffer.from(bytes).toString("latin1");

async function reseal(
  store: Store,
  value: SealedValue,
  from: Vault,
  to: Vault,
): Promise<Uint8Array> {
  const { purpose, userId, bytes } = value;
  const owner = userId ?? THE_SERVER;
  try {
    return await to.seal(purpose, owner, await from.open(purpose, owner, bytes));
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    if (!(await store.sealed.isInForce(from.keyId))) throw secondRotation();
    throw new SecretError(await explainUnreadable(store, value), { cause: error });
  }
}

const secondRotation = () =>
  new SecretError(
    "Another command has replaced the secret key at this moment. This one has changed nothing.",
  );

/** Says what is damaged and how to replace it. */
async function explainUnreadable(
  { queries, tables: { users } }: Store,
  { purpose, userId, rowId }: SealedValue,
): Promise<string> {
  const everybody = await queries.select({ id: users.id, name: users.name }).from(users);
  const name = everybody.find(({ id }) => id === userId)?.name ?? "?";
  const sentences: Record<SealedValue["purpose"], string> = {
    "widget-token": `A widget's address of ${name} is damaged: make a new one with "marquee widget rotate ${name} ${rowId}".`,
    "show-token": `The address that shows a widget of ${name} is damaged: make a new one with "marquee widget rotate ${name} ${rowId} --show".`,
    "connection-settings": `The source's settings of ${name} are damaged: find the connection with "marquee connection list ${name}", end it with "marquee disconnect ${name} ID" and connect again afterwards.`,
    "inbox-secret": `The secret of a connection of ${name} is damaged: find the connection with "marquee connection list ${name}" and make a new secret with "marquee connection rotate ${name} ID".`,
    "hook-settings": `A hook of ${name} is damaged: find it with "marquee hook list ${name}", remove it with "marquee hook remove ${name} ${rowId}" and add it again afterwards.`,
    "chat-account": `A linked chat account of ${name} is damaged: find it with "marquee chat list ${name}", end it with "marquee chat unlink ${name} LOGIN" and link it again afterwards.`,
    "upstream-app":
      "The Spotify app's data are damaged: the owner enters them again in the browser.",
  };
  return `${sentences[purpose]} Then rotate again. Nothing was changed.`;
}

/**
 * Values sealed under the old key would stay in free pages of the file, and in the former rows of a
 * server's tables.
 */
async function forgetReplaced(store: Store): Promise<void> {
  try {
    await store.forgetReplaced();
  } catch {
    // Locked or disk full: the room is used again sooner or later.
  }
}
