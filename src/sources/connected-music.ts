import type { Accounts } from "../accounts/accounts.ts";
import type { ConnectionHealth } from "../accounts/health.ts";
import type { Sources } from "./index.ts";
import { type AnySource, type SourceAccount, SourceSettingsError } from "./source.ts";

/** What a user hears music through, and how that does. */
export interface ConnectedMusic {
  readonly connectionId: number;
  readonly source: AnySource;
  readonly account: SourceAccount;
  readonly settings: unknown;
  readonly health: ConnectionHealth;
}

/** `undefined` when the user is connected to nothing that this version knows and can read. */
export async function musicOf(
  userId: number,
  { connections }: Pick<Accounts, "connections">,
  sources: Pick<Sources, "byId">,
): Promise<ConnectedMusic | undefined> {
  const connection = await connections.of(userId);
  const source = connection && sources.byId(connection.source);
  if (!source) return undefined;
  const settings = readSettings(source, connection.settings);
  if (settings === UNREADABLE) return undefined;
  const account = source.account(settings);
  const linkedUntil = account.linkedUntil ?? null;
  const health = { ...(await connections.healthOf(connection)), linkedUntil };
  return { connectionId: connection.id, source, account, settings, health };
}

const UNREADABLE = Symbol("unreadable settings");

/** A user whose stored settings are refused connects anew, which needs a page that opens. */
function readSettings(source: AnySource, stored: unknown): unknown {
  try {
    return source.parseSettings(stored);
  } catch (error) {
    if (error instanceof SourceSettingsError) return UNREADABLE;
    throw error;
  }
}
