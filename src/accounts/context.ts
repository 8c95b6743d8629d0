import type { Queries, Store } from "../db/open.ts";
import type { Vault } from "./secrets.ts";

/** What the accounts' functions work with. */
export interface AccountsContext {
  readonly store: Store;
  readonly vault: Vault;
  /** Unix time in milliseconds. */
  wallMs(): number;
}

/** The database, or a transaction on it. */
export type Writer = Pick<Queries, "select" | "insert" | "update" | "delete">;

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
