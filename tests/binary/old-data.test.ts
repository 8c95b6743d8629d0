import { Database } from "bun:sqlite";
import { sessionCookieName } from "../fixtures/http/own-cookies.ts";
import { nameToday, rowToday } from "../fixtures/data/renamed.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { migrations } from "../../src/db/migrations.ts";
import { makeOldFolder, type Row } from "../fixtures/data/old-folder.ts";
import { createTempFolder, type TempFolder } from "../fixtures/data/temp-folder.ts";
import { readDocument } from "../fixtures/docs/documents.ts";
import { buildExecutable, BUILD_WITHIN_MS, executableFor } from "../fixtures/servers/executable.ts";
import {
  type MarqueeProcess,
  runMarquee,
  startMarquee,
} from "../fixtures/servers/marquee-process.ts";

let folder: TempFolder;
let server: MarqueeProcess | undefined;
beforeAll(() => buildExecutable(), BUILD_WITHIN_MS);
beforeEach(() => void (folder = createTempFolder()));
afterEach(async () => {
  await server?.kill();
  server = undefined;
  folder.remove();
});

const data = () => join(folder.path, "marquee-data");
const run = (...words: string[]) => runMarquee({ folder: folder.path, arguments: words });
const start = async () =>
  (server = await startMarquee({
    folder: folder.path,
    arguments: ["--port", "0", "--rate-limit-seconds", "0"],
  }));

/** What changes by use, and is no loss. */
const USED = ["checked_at", "last_used_at", "last_seen_at", "base_url", "secret_key_id"];
const withoutUse = (row: Row) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !USED.includes(name)));

describe.each(migrations.map(({ name }) => ({ name })))("a data folder of $name", ({ name }) => {
  test("is opened with every key, address, session, setting and row", async () => {
    const old = await makeOldFolder(data(), name);
    const { url } = await start();
    const status = async (path: string, headers: Record<string, string>) =>
      (await fetch(url + path, { headers })).status;
    expect(await status("/api/v1/user", { "X-Api-Key": old.apiKey })).toBe(200);
    expect(await status("/api/v1/user", { "X-Api-Key": old.revokedKey })).toBe(401);
    expect(await status(`/en/widget/${old.widgetToken}`, {})).toBe(200);
    const cookie = `${sessionCookieName(url, new URL(url).host)}=${old.sessionToken}`;
    expect(await status("/en/dashboard/server", { cookie })).toBe(old.sessionToken ? 200 : 401);

    const shown = await run("widget", "url", "ada", "--json");
    expect(JSON.parse(shown.out).widget_token).toBe(old.widgetToken);
    const connections = await run("connection", "list", "grace", "--json");
    expect(JSON.parse(connections.out)).toMatchObject({ source: "spotify" });
    // The settings can still be opened, with the key that sealed them.
    expect((await run("secret", "rotate")).error).toBe("");
    expect(await server?.stop()).toBe(0);

    using database = new Database(join(data(), "marquee.db"), { readonly: true });
    for (const [table, rows] of Object.entries(old.rows)) {
      if (table === "widget_tokens") continue;
      const columns = Object.keys(withoutUse(rows[0] ?? {})).filter(
        (column) => !column.startsWith("sealed_") && column !== "account_hash",
      );
      const now = database
        .query<Row, []>(
          `SELECT ${columns.map(nameToday).join()} FROM ${nameToday(table)} ORDER BY 1`,
        )
        .all();
      const before = rows.map((row) =>
        rowToday(Object.fromEntries(columns.map((one) => [one, row[one]]))),
      );
      expect({ table, now }).toEqual({ table, now: expect.arrayContaining(before) });
    }
    expect(database.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
    expect(database.query("PRAGMA foreign_key_check").values()).toEqual([]);
    const copies = readdirSync(data()).filter((file) => /^marquee-before-/.test(file));
    expect(copies).toHaveLength(name === migrations.at(-1)?.name ? 0 : 1);
  }, 30_000);
});

test("a backup is made and restored by the documentation's own commands", async () => {
  const { fences } = readDocument("en", "backup");
  const command = (start: string) => {
    const found = fences.find(({ text }) => text.startsWith(start));
    if (!found) throw new Error(`the documentation has no "${start}"`);
    return found.text;
  };
  /** Runs an example in the folder, with the program where a shell finds it. */
  const shell = (text: string) => {
    const ran = Bun.spawnSync(["sh", "-ec", text], {
      cwd: folder.path,
      env: { PATH: `${dirname(executableFor().path)}:${process.env["PATH"]}`, HOME: folder.path },
    });
    expect({ text, code: ran.exitCode, error: ran.stderr.toString() }).toMatchObject({ code: 0 });
    return ran.stdout.toString();
  };
  const first = await start();
  const { api_key: key = "", username = "", widget_url: widget = "" } = first.ready;
  shell(command("marquee backup "));
  copyFileSync(join(data(), "secret.key"), join(folder.path, "secret.key"));
  // What comes later is not in the backup.
  await run("user", "add", "grace");
  await first.stop();

  renameSync(data(), join(folder.path, "old"));
  shell(command("mkdir -m 700 marquee-data"));
  const users = shell(command("marquee user list"));
  expect(users).toContain(username);
  expect(users).not.toContain("grace");
  const { url } = await start();
  const answer = await fetch(`${url}/api/v1/user`, { headers: { "X-Api-Key": key } });
  expect(await answer.json()).toMatchObject({ data: { username } });
  expect((await fetch(url + new URL(widget).pathname)).status).toBe(200);
}, 30_000);
