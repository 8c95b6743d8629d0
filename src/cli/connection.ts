import {
  type Connection,
  parseConnectionId,
  type PublicConnectionId,
} from "../music/connection-reads.ts";
import { statusAt } from "../music/connection-status.ts";
import { AccountError } from "../accounts/context.ts";
import type { User } from "../accounts/users.ts";
import { systemClock } from "../clock.ts";
import { musicOf, sourceOf, statusWord } from "../sources/connected-music.ts";
import { isPushed, type PushedSource } from "../sources/source.ts";
import { type Command, type Execution, forUser, table, UsageError } from "./command.ts";
import { statusLine } from "../sources/status-line.ts";
import type { Cli, Syntax } from "./cli.ts";

/** Declares `marquee connection …`. */
export function declareConnection<Target extends Syntax>({
  group,
  carriesOut,
  shows,
}: Cli<Target>): void {
  const connection = group("connection", "manage a user's connections");
  shows(
    connection("list", "list a user's connections in order")
      .argument("<user>")
      .option(
        "--show-secrets",
        "also show the address or secret for programs that send to Marquee",
      ),
    (name: string, options: { showSecrets?: true }) =>
      listConnections(name, options.showSecrets === true),
  );
  carriesOut(
    connection("order", "put connections first: if several are playing, the first is shown", [
      "marquee connection order ada 5 3",
    ])
      .argument("<user>")
      .argument("<ids...>", "in the order you want; the others follow"),
    (name: string, ids: string[]) => orderConnections(name, ids),
  );
  carriesOut(
    connection("rotate", "replace a connection's secret; the old one stops working right away")
      .argument("<user>")
      .argument("<id>"),
    (name: string, id: string) => rotateConnection(name, id),
  );
}

/** `marquee connection list USER [--show-secrets]`. */
function listConnections(userName: string, showSecrets: boolean): Command {
  return forUser(userName, (execution) => printConnections(execution, showSecrets));
}

/** `marquee connection order USER ID…`. */
function orderConnections(userName: string, typedIds: readonly string[]): Command {
  const ids = typedIds.map((typed) => readConnectionId(typed, userName));
  return forUser(userName, async (execution) => {
    await execution.accounts.connections.order(execution.user, ids);
    await printConnections(execution, false);
  });
}

/** `marquee connection rotate USER ID`. */
function rotateConnection(userName: string, typedId: string): Command {
  const id = readConnectionId(typedId, userName);
  return forUser(userName, async ({ accounts, sources, baseUrl, user, print }) => {
    const connection = await accounts.connections.find(user, id);
    const source = sourceOf(connection, sources);
    if (!isPushed(source)) {
      throw new AccountError(
        `Connection ${id} has no secret: nothing sends to it, because Marquee asks ${source.name} itself.`,
      );
    }
    const secret = await accounts.connections.rotateSecret(connection.id);
    const inbox = inboxDocument(source, secret, baseUrl);
    print(
      [{ ...connectionDocument(connection), ...inbox }],
      ["The old secret no longer works.", ...inboxLines(user.name, inbox)],
    );
  });
}

/** @throws {UsageError} unless the text is an id */
export function readConnectionId(typed: string, userName: string): PublicConnectionId {
  const id = parseConnectionId(typed);
  if (id !== undefined) return id;
  throw new UsageError(
    `${JSON.stringify(typed)} is not a connection's ID. "marquee connection list ${userName}" shows them.`,
  );
}

/** What programs read of a connection. */
export const connectionDocument = ({ publicId, source, name }: Connection) => ({
  id: publicId,
  source,
  name,
});

/** What a program that pushes needs. */
interface InboxDocument {
  readonly secret: string;
  readonly url: string;
}

export const inboxDocument = (
  source: PushedSource,
  secret: string,
  baseUrl: string,
): InboxDocument => ({ secret, url: source.inboxAddress(baseUrl, secret) });

export const inboxLines = (userName: string, { secret, url }: InboxDocument): string[] => [
  "Paste this address into the program that sends to Marquee:",
  `  ${url}`,
  ...(url.includes(secret) ? [] : ["and this secret, as the token or password:", `  ${secret}`]),
  `Don't show it to anyone. "marquee connection list ${userName} --show-secrets" shows it again.`,
];

async function printConnections(
  { accounts, sources, baseUrl, user, print }: Execution & { readonly user: User },
  showSecrets: boolean,
): Promise<void> {
  const nowMs = systemClock.wallMs();
  const listed = await Promise.all(
    (await musicOf(user.id, accounts, sources)).map(async (music) => {
      const { connection, position, source } = music;
      const status = statusAt(music.status, nowMs);
      const inbox =
        showSecrets && isPushed(source)
          ? inboxDocument(source, await accounts.connections.secretOf(connection.id), baseUrl)
          : undefined;
      const { id, name } = connectionDocument(connection);
      return {
        document: { id, source: source.id, name, position, health: statusWord(status), ...inbox },
        row: [
          String(id),
          source.id,
          // As in the dashboard: one without a name goes by its source's.
          name || source.name,
          statusLine(status, music.source),
          ...(showSecrets ? [inbox?.secret ?? "", inbox?.url ?? ""] : []),
        ],
      };
    }),
  );
  const header = ["ID", "SOURCE", "NAME", "HEALTH", ...(showSecrets ? ["SECRET", "ADDRESS"] : [])];
  print(
    listed.map(({ document }) => document),
    table([header, ...listed.map(({ row }) => row)]),
  );
}
