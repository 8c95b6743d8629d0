import { eq } from "drizzle-orm";
import type { SealedValue } from "../db/sealed-values.ts";
import { users } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import { nextTurn } from "../next-turn.ts";
import { createVault, SecretError, THE_SERVER, type Vault } from "./vault.ts";

/** The last step that a rotation has completed. */
export type RotationStep = "prepared" | "staged" | "replaced" | "committed" | "finished";

export interface Rotation {
  readonly store: Store;
  readonly vault: Vault;
  readonly newKey: string;
  /** Stores the new key, before anything is stored under that key. */
  stage(): void;
  /** Called once everything is stored under the new key. */
  finish(): void;
  afterStep?(step: RotationStep): void;
}

/** So many values are sealed again in one turn of the event loop: others are answered in between. */
const SEALED_AT_ONCE = 100;

/**
 * Seals every sealed value again under another key, all or none, and returns how many. The vault uses
 * the new key from then on.
 * @throws {SecretError} when something cannot be opened: nothing is changed then
 */
export async function rotateSecretKey(rotation: Rotation): Promise<number> {
  const { store, vault, newKey, stage, finish, afterStep = () => {} } = rotation;
  const next = createVault(newKey);
  const nameOf = ({ bytes }: SealedValue) => Buffer.from(bytes).toString("latin1");
  const prepared = new Map<string, Uint8Array>();
  for (const value of store.sealed.all()) {
    prepared.set(nameOf(value), reseal(store, value, vault, next));
    if (prepared.size % SEALED_AT_ONCE === 0) await nextTurn();
  }
  afterStep("prepared");
  const count = store.transaction(() => {
    stage();
    afterStep("staged");
    const values = store.sealed.all();
    for (const value of values) {
      // Others were stored meanwhile.
      const bytes = prepared.get(nameOf(value)) ?? reseal(store, value, vault, next);
      store.sealed.replace(value, bytes);
    }
    store.sealed.setKeyId(next.keyId);
    afterStep("replaced");
    return values.length;
  });
  vault.replaceKey(newKey);
  afterStep("committed");
  finish();
  afterStep("finished");
  try {
    // Values sealed under the old key would stay in free pages of the file, which go into backups.
    store.forgetReplaced();
  } catch {
    // The disk is full: the room is used again sooner or later.
  }
  return count;
}

function reseal(
  store: Store,
  value: SealedValue,
  from: Pick<Vault, "open">,
  to: Pick<Vault, "seal">,
): Uint8Array {
  const { purpose, userId, bytes } = value;
  const owner = userId ?? THE_SERVER;
  try {
    return to.seal(purpose, owner, from.open(purpose, owner, bytes));
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw new SecretError(explainUnreadable(store, value), { cause: error });
  }
}

/** Says what is damaged and how to replace it. */
function explainUnreadable({ queries }: Store, { purpose, userId, rowId }: SealedValue): string {
  const isOwner = eq(users.id, userId ?? -1);
  const name = queries.select().from(users).where(isOwner).get()?.name ?? "?";
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
