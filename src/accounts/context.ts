import { jsonIn } from "../decode-text.ts";
import type { Store } from "../db/store.ts";
import type { Log } from "../log.ts";
import { nothingIfUnreadable, type SealPurpose, type Vault } from "../vault/vault.ts";

/** What the accounts' functions work with. */
export interface AccountsContext {
  readonly store: Store;
  readonly vault: Vault;
  /** Unix time in milliseconds. */
  wallMs(): number;
  /** A command has none. */
  readonly log?: Pick<Log, "error">;
}

/** A sealed text; `undefined` for one that cannot be opened, which concerns its own row alone. */
export function openSealed(
  vault: Pick<Vault, "open">,
  purpose: SealPurpose,
  userId: number,
  sealed: Uint8Array,
): string | undefined {
  try {
    return vault.open(purpose, userId, sealed);
  } catch (error) {
    return nothingIfUnreadable(error);
  }
}

/** What a sealed JSON text says; `undefined` as by `openSealed`, and for another text. */
export const readSealed = (...sealed: Parameters<typeof openSealed>): unknown =>
  jsonIn(openSealed(...sealed) ?? "");
