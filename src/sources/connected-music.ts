import type { Accounts } from "../accounts/accounts.ts";
import type { Connection } from "../music/connection-reads.ts";
import type { ConnectionStatus, StoredStatus } from "../music/connection-status.ts";
import type { Sources } from "./index.ts";
import { WrongInput } from "../i18n/entered.ts";
import { languages, type Words } from "../i18n/index.ts";
import { Refused } from "../i18n/refused.ts";
import { nextTurn } from "../next-turn.ts";
import { type OpenSource, optionOf, type Source, type SourceAccount } from "./source.ts";

/** One of a user's connections: its source, its account, its stored settings and its status. */
export interface ConnectedMusic {
  readonly connection: Connection;
  /** Its place in the user's order, from 1. */
  readonly position: number;
  readonly source: Source;
  readonly account: SourceAccount;
  readonly stored: OpenedConnection;
  readonly status: ConnectionStatus;
}

/** A connection opened by its source, or why the user has to connect again. */
export type OpenedConnection =
  | { readonly usable: true; readonly open: OpenSource }
  | { readonly usable: false; readonly reason: string };

/** A user's connections in order, also those that do not work. */
export function musicOf(
  userId: number,
  { connections }: Pick<Accounts, "connections">,
  sources: Pick<Sources, "byId">,
): readonly ConnectedMusic[] {
  return connections.allOf(userId).map((connection, index) => {
    const source = sourceOf(connection, sources);
    const stored = openConnection(source, connection);
    const account: SourceAccount = stored.usable ? stored.open.account : {};
    const status: ConnectionStatus = {
      // The time of a refusal is stored. When settings became unusable is not known.
      ...(stored.usable || connection.refusedAt !== null
        ? connection.status
        : { state: "needsLinking", since: null }),
      linkedUntil: account.linkedUntil ?? null,
    };
    return { connection, position: index + 1, source, account, stored, status };
  });
}

/** Whether somebody has connected music of their own, other than the demo. */
export const hasOwnMusic = (music: readonly Pick<ConnectedMusic, "source">[]): boolean =>
  music.some(({ source }) => source.id !== "demo");

/** What a source is called in a language. Most go by the same name in all. */
export function sourceName({ id, name }: Pick<Source, "id" | "name">, words: Words): string {
  const names: Readonly<Record<string, string>> = words.dashboard.music.names;
  return names[id] ?? name;
}

/** A connection's source and name for people, such as `MPD · Kitchen`. */
export const labelOf = (
  { source, connection }: Pick<ConnectedMusic, "source" | "connection">,
  words: Words,
): string => [sourceName(source, words), connection.name].filter((part) => part !== "").join(" · ");

/** The word for a status in what programs read. */
export const statusWord = ({ state }: StoredStatus): string =>
  state === "needsLinking" ? "needs_linking" : state;

/**
 * The source of a connection. One that this version does not have opens no settings, so that its
 * connections are shown as such and can be ended.
 */
export const sourceOf = (
  { source }: Pick<Connection, "source">,
  sources: Pick<Sources, "byId">,
): Source => sources.byId(source) ?? missingSource(source);

function missingSource(id: string): Source {
  return {
    id,
    name: id,
    delivery: "polled",
    facts: { runs: "anywhere", calls: [] },
    options: {},
    open() {
      throw new Refused("connection.otherVersion", { source: id });
    },
  };
}

/**
 * Stores the account of each connection of a source that has none stored yet, so that accounts are
 * found without decrypting all connections. These are new connections, and all of them after the
 * secret key was replaced. Unreadable ones are left out: a restored key or another version may
 * read them. Others are answered in between: each is written to the disk.
 */
export async function noteAccounts(
  source: Source,
  { connections }: Pick<Accounts, "connections">,
): Promise<void> {
  for (let lastId = 0; ;) {
    const page = connections.withoutAccount(source.id, lastId);
    for (const connection of page) {
      await nextTurn();
      const stored = openConnection(source, connection);
      if (!stored.usable) continue;
      const { id = null, linkedUntil = null } = stored.open.account;
      connections.noteAccount(connection.id, {
        source: source.id,
        id,
        consentEndsAt: linkedUntil,
      });
    }
    const last = page.at(-1);
    if (!last) return;
    lastId = last.id;
  }
}

/**
 * Opens a connection with its stored settings. They are unusable when they are damaged, encrypted
 * with another key, or not valid in this version of the source. This is checked each time and
 * never stored: a restored key or another version makes the connection work again.
 */
export function openConnection(
  source: Source,
  { settings }: Pick<Connection, "settings">,
): OpenedConnection {
  if (settings === undefined) return { usable: false, reason: "its settings cannot be decrypted" };
  try {
    return { usable: true, open: source.open(settings) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const reason =
      error instanceof WrongInput
        ? `its ${optionOf(error.field)} must be ${error.input.allowed}`
        : error.text(languages.en);
    return { usable: false, reason };
  }
}
