import type { AddedUser } from "../accounts/accounts.ts";
import { type FailureReason, statusAt, type StoredStatus } from "../music/connection-status.ts";
import { consentWarning } from "../music/consent.ts";
import { isoTime, systemClock } from "../clock.ts";
import { flagOf } from "../config.ts";
import { musicOf, statusWord } from "../sources/connected-music.ts";
import type { Sources } from "../sources/index.ts";
import { type Source, SourceSettingsError } from "../sources/source.ts";
import { widgetAddress } from "../addresses.ts";
import { type Command, type Execution, table, UsageError } from "./command.ts";
import type { Cli, Syntax } from "./cli.ts";

/** Declares `marquee user …`. */
export function declareUser<Target extends Syntax>({
  group,
  carriesOut,
  shows,
}: Cli<Target>): void {
  const user = group("user", "add, list and remove users");
  carriesOut(
    user("add", "add users, all or none, and print their credentials once", [
      "marquee user add ada",
      "marquee user add ada grace --source demo",
    ])
      .argument("<names...>", "user names: a-z, 0-9, _ and -")
      .option("--source <source>", "connect them to a source that needs no settings, such as demo"),
    (names: string[], options: { source?: string }) => addUsers(names, options.source),
    { createsFolder: true },
  );
  shows(user("list", "list all users"), () => listUsers());
  carriesOut(
    user("remove", "remove a user with all their keys, widgets and connections").argument("<name>"),
    (name: string) => removeUser(name),
  );
}

/** `marquee user add NAME…`: adds users, all or none, and shows their credentials once. */
function addUsers(names: readonly string[], source: string | undefined): Command {
  return async ({ accounts, sources, baseUrl, print }) => {
    const connection = source === undefined ? undefined : defaultConnection(source, sources);
    for (const added of await accounts.add(names, connection)) printAdded(print, added, baseUrl);
  };
}

/** `marquee user list`: all users with their connections and the status of each. */
function listUsers(): Command {
  return async ({ accounts, sources, print }) => {
    const nowMs = systemClock.wallMs();
    const users = await Promise.all(
      accounts.users.list().map(async (user) => ({
        user,
        music: await musicOf(user.id, accounts, sources),
      })),
    );
    const documents = users.map(({ user, music }) => ({
      username: user.name,
      role: user.role,
      // What follows is of the first connection in the user's order, then all are listed.
      source: music[0]?.source.id ?? null,
      needs_connecting_again: music[0]?.status.state === "needsLinking",
      health: music[0] ? statusDocument(music[0].status) : null,
      linked_until: isoTime(music[0]?.status.linkedUntil ?? null),
      connections: music.map(({ connection, source, status }) => ({
        id: connection.publicId,
        source: source.id,
        name: connection.name,
        health: statusDocument(status),
        linked_until: isoTime(status.linkedUntil),
      })),
      created_at: new Date(user.createdAt).toISOString(),
    }));
    const rows = users.flatMap(({ user, music }) =>
      music.length === 0
        ? [[user.name, user.role, "nothing connected", "", ""]]
        : music.map(({ connection, source, status }, index) => [
            index === 0 ? user.name : "",
            index === 0 ? user.role : "",
            [source.id, connection.name].filter((part) => part !== "").join(" · "),
            describeStatus(statusAt(status, nowMs), source),
            describeConsent(status.linkedUntil, nowMs),
          ]),
    );
    const header = ["USER", "ROLE", "MUSIC", "HEALTH", "LINKED UNTIL"];
    print(documents, table([header, ...rows]));
  };
}

function statusDocument(status: StoredStatus) {
  return {
    state: statusWord(status),
    since: isoTime("since" in status ? status.since : null),
    until: isoTime("until" in status ? status.until : null),
    reason: "reason" in status ? status.reason : null,
  };
}

/** A connection's status in words, for the terminal. */
export function describeStatus(
  health: StoredStatus,
  { keySetting }: Pick<Source, "keySetting">,
): string {
  switch (health.state) {
    case "untried":
      return "not used yet";
    case "ok":
      return "ok";
    case "retrying":
      return `retrying since ${minuteOf(health.since)}: ${FAILURE_WORDS[health.reason]}${
        keySetting !== undefined && /^key/.test(health.reason) ? ` (${flagOf(keySetting)})` : ""
      }`;
    case "limited":
      return `limited until ${minuteOf(health.until)}`;
    case "needsLinking":
      return "has to be connected again";
  }
}

const FAILURE_WORDS: Readonly<Record<FailureReason, string>> = {
  unreachable: "cannot be reached",
  limited: "too many calls",
  notOnAppList: "user is not on the app's list",
  noPremium: "the app's owner needs Premium",
  appRefused: "the app's ID or secret is refused",
  appMissing: "no app has been entered",
  keyMissing: "the server has no API key for it",
  keyRefused: "the server's API key is refused",
};

function describeConsent(linkedUntil: number | null, nowMs: number): string {
  if (linkedUntil === null) return "";
  const day = new Date(linkedUntil).toISOString().slice(0, 10);
  return consentWarning(linkedUntil, nowMs) === "none" ? day : `${day}: link again soon`;
}

/** `2026-11-21 12:00` in UTC. */
const minuteOf = (unixMs: number): string =>
  `${new Date(unixMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** `marquee user remove NAME`. */
function removeUser(name: string): Command {
  return async ({ accounts, print }) => {
    await accounts.users.remove(name);
    print(
      [{ username: name, removed: true }],
      [`${name} was removed, with every key and widget address.`],
    );
  };
}

function printAdded(print: Execution["print"], added: AddedUser, baseUrl: string): void {
  const url = widgetAddress(baseUrl, "en", added.widgetToken);
  const document = {
    username: added.user.name,
    api_key: added.key,
    widget_token: added.widgetToken,
    widget_url: url,
  };
  print(
    [document],
    [added.user.name, `  API key  ${added.key}   (shown only once: keep it)`, `  Widget   ${url}`],
  );
}

/** A connection to a source with its default options. */
function defaultConnection(id: string, sources: Sources): { source: string; settings: unknown } {
  const source = sources.byId(id);
  if (!source) throw new UsageError(`--source ${JSON.stringify(id)}: there is no such source.`);
  try {
    return { source: id, settings: source.open({}).settings };
  } catch (error) {
    if (!(error instanceof SourceSettingsError)) throw error;
    throw new UsageError(
      `--source ${id} needs settings: add the user first, then use "marquee connect".`,
    );
  }
}
