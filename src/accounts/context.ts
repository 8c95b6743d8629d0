import { isSealRefusal, type Store } from "../db/open.ts";
import type { Vault } from "./secrets.ts";

/** What the accounts' functions work with. */
export interface AccountsContext {
  readonly store: Store;
  readonly vault: Vault;
  /** Unix time in milliseconds. */
  wallMs(): number;
}

/** A key is not replaced that often while one thing is stored. */
const MOST_ATTEMPTS = 5;

/**
 * Carries out what seals something and stores it. If the secret key is replaced between the two,
 * the database refuses; then all of it is done again under the key in force.
 * @throws {SecretError} when that key is not known here
 */
export async function storeSealed<Result>(
  vault: Pick<Vault, "follow">,
  store: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store();
    } catch (error) {
      if (!isSealRefusal(error) || attempt === MOST_ATTEMPTS) throw error;
      vault.follow();
    }
  }
}

/** A request about accounts cannot be carried out; the message says why and what to do. */
export class AccountError extends Error {
  override readonly name = "AccountError";
  /** Whether the request itself was wrong, whatever the accounts hold. */
  readonly isMisuse: boolean;
  constructor(message: string, isMisuse = false) {
    super(message);
    this.isMisuse = isMisuse;
  }
}
