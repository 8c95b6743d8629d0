import type { Store } from "../db/store.ts";
import type { Log } from "../log.ts";
import { SecretError, type SealPurpose, type Vault } from "../vault/vault.ts";

/** What the accounts' functions work with. */
export interface AccountsContext {
  readonly store: Store;
  readonly vault: Vault;
  /** Unix time in milliseconds. */
  wallMs(): number;
  /** A command has none. */
  readonly log?: Pick<Log, "error">;
}

/**
 * What a sealed JSON text says; `undefined` for a damaged one, which concerns its own user alone.
 * @throws {SecretError} when another key is needed
 */
export function readSealed(
  vault: Pick<Vault, "open">,
  purpose: SealPurpose,
  userId: number,
  sealed: Uint8Array,
): unknown {
  try {
    return JSON.parse(vault.open(purpose, userId, sealed));
  } catch (error) {
    const isDamaged = error instanceof SecretError && !error.needsOtherKey;
    if (isDamaged || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
