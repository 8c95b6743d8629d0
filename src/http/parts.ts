import type { Accounts } from "../accounts/accounts.ts";
import type { ServerPlace } from "../addresses.ts";
import type { ArtworkStore } from "../artwork/artwork-store.ts";
import type { Hub } from "../channels/hub.ts";
import type { Clock } from "../clock.ts";
import type { Config, ResolvedConfig } from "../config.ts";
import type { TakeCopy } from "../db/database-copy.ts";
import type { Log } from "../log.ts";
import type { Sources } from "../sources/index.ts";
import type { Network } from "../upstream/index.ts";
import type { BackupRestorer } from "../vault/backup-restorer.ts";
import type { Vault } from "../vault/vault.ts";
import type { Cookies } from "./cookies.ts";
import type { FormTokens } from "./csrf.ts";
import type { Hosts } from "./hosts.ts";
import type { ProcessorBudget } from "./processor-budget.ts";
import type { SessionCookie } from "./session-cookie.ts";

/** What features share. Each says what it takes of it: `Pick<Parts, "hub" | "clock">`. */
export interface Parts extends ServerPlace, Pick<Hosts, "isFromOwnPage" | "openedElsewhere"> {
  readonly accounts: Accounts;
  readonly hub: Hub;
  readonly sources: Sources;
  readonly vault: Pick<Vault, "opaqueName" | "formSecret" | "seal" | "open">;
  readonly clock: Clock;
  readonly log: Log;
  /** The settings in force and where each came from. */
  readonly settings: ResolvedConfig;
  readonly config: Config;
  /** Host and port where programs on this machine reach the server. */
  readonly listeningAddress: string;
  readonly network: Network;
  /** Limits the work for each user. */
  readonly budget: ProcessorBudget;
  readonly formTokens: FormTokens;
  readonly cookies: Cookies;
  readonly sessionCookie: SessionCookie;
  /** Draws and keeps covers. */
  readonly artworks: ArtworkStore;
  /** Copies the database, to be sent. */
  readonly takeCopy: TakeCopy;
  /** Brings a backup back. */
  readonly restorer: BackupRestorer;
  /** A number from 0 to 1. */
  random(): number;
  /** The client address of a request. */
  addressOf(request: Request): string;
  /** Has the server stop, after what it answers now. */
  stopServer(): void;
  /** Called with the time from an observation to its delivery to the overlays. */
  onDelivered(latencyMs: number): void;
}
