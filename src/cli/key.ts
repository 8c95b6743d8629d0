import { KEY_NAME_RULE, readKeyName } from "../accounts/key-name.ts";
import type { IssuedKey, KeyRecord } from "../accounts/keys.ts";
import { isoTime } from "../clock.ts";
import { type Command, type Execution, forUser, table, UsageError } from "./command.ts";
import type { Cli, Syntax } from "./cli.ts";

/** Declares `marquee key …`. */
export function declareKey<Target extends Syntax>({ group, carriesOut, shows }: Cli<Target>): void {
  const key = group("key", "manage a user's API keys");
  carriesOut(
    key("add", "add a key", ["marquee key add ada --name 'chat bot'"])
      .argument("<user>")
      .option("--name <name>", "what the key is for", "key"),
    (name: string, options: { name: string }) => addKey(name, options.name),
  );
  shows(key("list", "list a user's keys").argument("<user>"), (name: string) => listKeys(name));
  carriesOut(
    key("revoke", "revoke a key; it stops working right away")
      .argument("<user>")
      .argument("<key-id>"),
    (name: string, keyId: string) => revokeKey(name, keyId),
  );
  carriesOut(
    key("rotate", "replace a key", ["marquee key rotate ada --grace 1h"])
      .argument("<user>")
      .argument("[key-id]", "needed when the user has several keys")
      .option("--grace <time>", "how long the old key keeps working: 0s to 24h", "0s"),
    (name: string, keyId: string | undefined, options: { grace: string }) =>
      rotateKey(name, keyId, options.grace),
  );
}

/** `marquee key add USER`. */
function addKey(userName: string, typed: string): Command {
  const name = readKeyName(typed);
  if (name === undefined) throw new UsageError(`--name must be ${KEY_NAME_RULE}.`);
  return forUser(userName, async ({ accounts, user, print }) => {
    printIssued(print, await accounts.keys.add(user, name));
  });
}

/** `marquee key list USER`. */
function listKeys(userName: string): Command {
  return forUser(userName, async ({ accounts, user, print }) => {
    const keys = accounts.keys.list(user);
    const documents = keys.map((key) => ({
      id: key.id,
      name: key.name,
      status: statusOf(key),
      created_at: isoTime(key.createdAt),
      last_used_at: isoTime(key.lastUsedAt),
      revoked_at: isoTime(key.revokedAt),
    }));
    const rows = documents.map((key) => [
      key.id,
      key.name,
      key.status,
      key.created_at ?? "",
      key.last_used_at ?? "never",
    ]);
    print(documents, table([["ID", "NAME", "STATUS", "CREATED", "LAST USED"], ...rows]));
  });
}

/** `marquee key revoke USER KEY-ID`. */
function revokeKey(userName: string, keyId: string): Command {
  return forUser(userName, async ({ accounts, user, print }) => {
    await accounts.keys.revoke(user, keyId);
    print([{ id: keyId, revoked: true }], [`Key ${keyId} no longer works.`]);
  });
}

/** `marquee key rotate USER [KEY-ID]`. */
function rotateKey(userName: string, keyId: string | undefined, grace: string): Command {
  const graceMs = parseGrace(grace);
  return forUser(userName, async ({ accounts, user, print }) => {
    printIssued(print, await accounts.keys.rotate(user, keyId, graceMs));
  });
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const LONGEST_GRACE_MS = 24 * 3_600_000;

/** @throws {UsageError} unless the text is a duration from `0s` to `24h` */
function parseGrace(text: string): number {
  const [, amount, unit = ""] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const graceMs = Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  if (graceMs >= 0 && graceMs <= LONGEST_GRACE_MS) return graceMs;
  throw new UsageError(
    `--grace ${JSON.stringify(text)}: must be a time from 0s to 24h, such as 30m or 1h.`,
  );
}

function printIssued(print: Execution["print"], { id, key }: IssuedKey): void {
  print([{ id, api_key: key }], [`Key ${id}`, `  ${key}   (shown only once: keep it)`]);
}

function statusOf({ revokedAt }: KeyRecord): "works" | "ends" | "revoked" {
  if (revokedAt === null) return "works";
  return revokedAt > Date.now() ? "ends" : "revoked";
}
