import type { AddedUser } from "../accounts/accounts.ts";
import { sourceById } from "../sources/index.ts";
import { SourceSettingsError } from "../sources/source.ts";
import { knownBaseUrl, widgetUrl } from "./addresses.ts";
import { type Command, type Io, print, table, UsageError } from "./command.ts";

import { withWorkspace } from "./workspace.ts";

/** `marquee user add NAME…`: adds users, all or none, and shows their credentials once. */
export function addUsers(names: readonly string[], source: string | undefined): Command {
  return (config, asJson, io) =>
    withWorkspace(
      config,
      async ({ accounts }) => {
        const connection = source === undefined ? undefined : defaultConnection(source);
        const added = await accounts.add(names, connection);
        const baseUrl = await knownBaseUrl(config, accounts);
        for (const one of added) printAdded(io, asJson, one, baseUrl);
      },
      "create",
    );
}

/** `marquee user list`. */
export function listUsers(): Command {
  return (config, asJson, io) =>
    withWorkspace(config, async ({ accounts }) => {
      const users = await Promise.all(
        (await accounts.users.list()).map(async (user) => ({
          user,
          connection: await accounts.connections.of(user.id),
        })),
      );
      const documents = users.map(({ user, connection }) => ({
        username: user.name,
        role: user.role,
        source: connection?.source ?? null,
        needs_connecting_again: connection !== undefined && connection.refusedAt !== null,
        created_at: new Date(user.createdAt).toISOString(),
      }));
      const rows = documents.map((one) => [
        one.username,
        one.role,
        one.source === null ? "nothing connected" : one.source,
        one.needs_connecting_again ? "has to be connected again" : "",
      ]);
      print(io, asJson, documents, table([["USER", "ROLE", "MUSIC", ""], ...rows]));
    });
}

/** `marquee user remove NAME`. */
export function removeUser(name: string): Command {
  return (config, asJson, io) =>
    withWorkspace(config, async ({ accounts }) => {
      await accounts.users.remove(name);
      print(
        io,
        asJson,
        [{ username: name, removed: true }],
        [`${name} is gone, with every key and the widget address.`],
      );
    });
}

function printAdded(io: Io, asJson: boolean, added: AddedUser, baseUrl: string): void {
  const url = widgetUrl(baseUrl, added.widgetToken);
  const document = {
    username: added.user.name,
    api_key: added.key,
    widget_token: added.widgetToken,
    widget_url: url,
  };
  print(
    io,
    asJson,
    [document],
    [added.user.name, `  API key  ${added.key}   (shown this once: keep it)`, `  Widget   ${url}`],
  );
}

/** A source connected as it comes, without options. */
function defaultConnection(id: string): { source: string; settings: unknown } {
  const source = sourceById(id);
  if (!source) throw new UsageError(`--source ${JSON.stringify(id)}: there is no such source.`);
  try {
    return { source: id, settings: source.parseSettings({}) };
  } catch (error) {
    if (!(error instanceof SourceSettingsError)) throw error;
    throw new UsageError(
      `--source ${id} needs settings: add the user first, then use "marquee connect".`,
    );
  }
}
