import { users } from "../db/schema.ts";
import type { Store } from "../db/open.ts";
import type { SealedValue } from "../db/sealed-values.ts";
import { createVault, SecretError, THE_SERVER, type Vault } from "./secrets.ts";

/** What a rotation has done when it is interrupted. */
export type RotationStep = "prepared" | "staged" | "replaced" | "committed" | "finished";

export interface Rotation {
  readonly store: Store;
  readonly oldKey: string;
  readonly newKey: string;
  /** Puts the new key where it lasts; called before anything is stored under it, under the write lock. */
  stage(): void;
  /** Called once everything is stored under the new key. */
  finish(): void;
  afterStep?(step: RotationStep): void;
}

/** Others go on writing meanwhile; what they change is sealed anew each time. */
const MOST_ROUNDS = 20;

/**
 * Seals everything that is stored sealed under another key, all or nothing, and answers how much
 * that was. What others write meanwhile is either sealed anew as well or refused by the database.
 * @throws {SecretError} when something cannot be opened, or another rotation was faster
 */
export async function rotateSecretKey(rotation: Rotation): Promise<number> {
  const { store, stage, finish, afterStep = () => {} } = rotation;
  const from = createVault(rotation.oldKey);
  const to = createVault(rotation.newKey);
  /** By what they take the place of: no two sealed texts are alike. */
  const resealed = new Map<string, Uint8Array>();

  const prepare = async () => {
    for (const value of store.sealed.all()) {
      const name = nameOf(value);
      if (!resealed.has(name)) resealed.set(name, await reseal(store, value, from, to));
    }
  };

  /** Sealing is asynchronous and the transaction is not: `undefined` when there is more to prepare. */
  const replaceAll = (): number | undefined => {
    refuseSecondRotation(store, from);
    const replacements: { value: SealedValue; bytes: Uint8Array }[] = [];
    for (const value of store.sealed.all()) {
      const bytes = resealed.get(nameOf(value));
      if (!bytes) return undefined;
      replacements.push({ value, bytes });
    }
    stage();
    afterStep("staged");
    store.sealed.changeKey(from.keyId, to.keyId);
    for (const { value, bytes } of replacements) store.sealed.replace(value, bytes);
    afterStep("replaced");
    return replacements.length;
  };

  for (let round = 1; round <= MOST_ROUNDS; round++) {
    await prepare();
    afterStep("prepared");
    const count = store.exclusively(replaceAll);
    if (count === undefined) continue;
    afterStep("committed");
    finish();
    afterStep("finished");
    forgetReplaced(store);
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
    refuseSecondRotation(store, from);
    throw new SecretError(await explainUnreadable(store, value), { cause: error });
  }
}

function refuseSecondRotation(store: Store, { keyId }: Vault): void {
  if (store.sealed.isInForce(keyId)) return;
  throw new SecretError(
    "Another command has replaced the secret key at this moment. This one has changed nothing.",
  );
}

/** Says what is damaged, and what makes it anew. */
async function explainUnreadable(
  { queries }: Store,
  { purpose, userId }: SealedValue,
): Promise<string> {
  const everybody = await queries.select({ id: users.id, name: users.name }).from(users);
  const name = everybody.find(({ id }) => id === userId)?.name ?? "?";
  const sentences: Record<SealedValue["purpose"], string> = {
    "widget-token": `The widget address of ${name} is damaged: make a new one with "marquee widget rotate ${name}".`,
    "connection-settings": `The source's settings of ${name} are damaged: end the connection with "marquee disconnect ${name}" and connect again after.`,
    "upstream-app":
      "The Spotify app's data are damaged: the owner enters them again in the browser.",
  };
  return `${sentences[purpose]} Then rotate again. Nothing was changed.`;
}

/**
 * What was sealed under the old key would go on lying in the file's free places, and in the
 * backups that the dashboard makes.
 */
function forgetReplaced(store: Store): void {
  try {
    store.compact();
  } catch {
    // Busy or without room: the places are used again sooner or later.
  }
}
