import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Accounts, createAccounts } from "../accounts/accounts.ts";
import {
  createSecretKey,
  createVault,
  readSecretKey,
  SecretError,
  secretKeyPath,
  type Vault,
} from "../accounts/secrets.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config.ts";
import { type Metrics, noMetrics } from "../metrics.ts";
import { createSources, type Sources } from "../sources/index.ts";
import { DATABASE_FILE, DatabaseError, openStore, type Store } from "../db/open.ts";

/** The data folder, opened: what every command works on. */
export interface Workspace {
  readonly store: Store;
  readonly vault: Vault;
  readonly accounts: Accounts;
  readonly sources: Sources;
}

/** What a command does where there is no data folder yet. */
export type WhenMissing = "create" | "refuse";

/**
 * Opens the data folder; one that is missing may be a mistyped one.
 * @throws {DatabaseError | SecretError} when it cannot be used
 */
export async function openWorkspace(
  config: Config,
  whenMissing: WhenMissing,
  metrics: Pick<Metrics, "upstreamCall" | "lookedAgain"> = noMetrics,
): Promise<Workspace> {
  if (whenMissing === "refuse" && !existsSync(join(config.data, DATABASE_FILE))) {
    throw new DatabaseError(
      `There is no Marquee data in ${config.data}. Start marquee there first, or choose another folder with --data or MARQUEE_DATA.`,
    );
  }
  const store = openStore(config.data);
  try {
    const vault = createVault(config.secretKey ?? loadKey(config.data, store));
    const accounts = createAccounts({ store, vault, wallMs: systemClock.wallMs });
    await proveKey(accounts);
    const sources = createSources({
      clock: systemClock,
      settings: config,
      memory: accounts.upstreams,
      onCall: metrics.upstreamCall,
      onLook: metrics.lookedAgain,
    });
    return { store, vault, accounts, sources };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Runs a command on the data folder and closes it after. */
export async function withWorkspace<Result>(
  config: Config,
  command: (workspace: Workspace) => Promise<Result>,
  whenMissing: WhenMissing = "refuse",
): Promise<Result> {
  const workspace = await openWorkspace(config, whenMissing);
  try {
    return await command(workspace);
  } finally {
    workspace.store.close();
  }
}

function loadKey(folder: string, store: Store): string {
  const path = secretKeyPath(folder);
  const key = readSecretKey(path);
  if (key) return key;
  if (store.hasUsers()) {
    throw new SecretError(
      `${path} is missing, and without it the database's secrets cannot be read. Put it back from where you keep it safe.`,
    );
  }
  return createSecretKey(path);
}

/** A wrong key is found at the start, not when the first overlay asks for it. */
async function proveKey({ users, widgets }: Accounts): Promise<void> {
  const owner = await users.owner();
  if (owner) await widgets.proveKey(owner);
}
