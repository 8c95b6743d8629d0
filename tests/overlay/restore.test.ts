import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { copyDatabase } from "../../src/db/copy.ts";
import { DATABASE_FILE, putRestoredInPlace, RESTORED_FILE } from "../../src/db/data-folder.ts";
import { openStore } from "../../src/db/open.ts";
import { languages } from "../../src/i18n/index.ts";
import { LARGEST_BACKUP } from "../../src/vault/backup-restorer.ts";
import { findSecretKey } from "../../src/vault/secret-key-files.ts";
import { createDataFolder, type TempFolder } from "../fixtures/data/temp-folder.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, TEST_KEY, type TestServer } from "../fixtures/servers/test-server.ts";

const HOME = "/en/dashboard";
const OTHER_KEY = Buffer.alloc(32, 9).toString("base64");
const words = languages.en.refused.restore;

let old: TempFolder;
let fresh: TempFolder;
let backup: Uint8Array;
let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;
let restarts: number;

beforeEach(async () => {
  old = createDataFolder();
  fresh = createDataFolder();
  const before = await createTestServer({ dataFolder: old.path, realSources: true });
  const grace = await before.addUser("grace", false);
  await before.accounts.hooks.add(grace.user, {
    url: "https://example.org/songs",
    action: null,
    events: ["song.started"],
  });
  before.store.sealed.setKeyId(before.vault.keyId);
  before.close();
  const copy = join(old.path, "copy.db");
  copyDatabase(join(old.path, DATABASE_FILE), copy);
  backup = readFileSync(copy);

  restarts = 0;
  server = await createTestServer({
    ...{ dataFolder: fresh.path, realSources: true, settings: { data: fresh.path } },
    restartRestored: () => restarts++,
  });
  ada = await server.addUser("ada", false);
  browser = await signIn(server, ada);
});
afterEach(() => {
  server.close();
  old.remove();
  fresh.remove();
});

const restored = () => join(fresh.path, RESTORED_FILE);

interface Sent {
  readonly at?: number;
  readonly key?: string;
  readonly more?: true;
}

/** Sends a part of a backup, as the page does. */
function send(part: Uint8Array, { at = 0, key = OTHER_KEY, more }: Sent = {}, by = browser) {
  const body = new FormData();
  body.set("token", by.formToken);
  body.set("do", "restore");
  body.set("at", String(at));
  body.set("backup", new Blob([new Uint8Array(part)]), "marquee.db");
  if (more) body.set("more", "1");
  else body.set("key", new Blob([`${key}\n`]), "secret.key");
  const headers = { origin: "http://127.0.0.1:4747" };
  return by.get(`${HOME}/restore`, { method: "POST", headers, body });
}
const mistakeOf = async (answer: Response, field = "backup") => ({
  status: answer.status,
  text: await textOf(answer, `.restore[open] #${field}-mistake`),
});

describe("a backup that is restored at the first start", () => {
  test("takes the place of the database with its key, and the browser stays signed in", async () => {
    const half = Math.floor(backup.length / 2);
    expect((await send(backup.subarray(0, half), { more: true })).status).toBe(204);
    expect(statSync(restored()).mode & 0o777).toBe(0o600);
    const last = await send(backup.subarray(half), { at: half, key: TEST_KEY });
    expect(await textOf(last, "h1")).toBe(languages.en.dashboard.home.restore.done);
    expect(restarts).toBe(1);

    server.store.close();
    putRestoredInPlace(fresh.path);
    const store = openStore(fresh.path);
    expect(findSecretKey(fresh.path, store)).toBe(TEST_KEY);
    store.close();
    expect(existsSync(restored())).toBe(false);
    server = await createTestServer({ dataFolder: fresh.path, realSources: true });
    expect(server.accounts.users.owner()?.name).toBe("grace");
    const account = await server.get(`${HOME}/settings/account`, {
      headers: { cookie: browser.cookie },
    });
    expect(await textOf(account, ".lead")).toContain("grace");
    expect(server.accounts.hooks.allOf(1)).toMatchObject([{ url: "https://example.org/songs" }]);
  });

  test("may be one of this server itself", async () => {
    const copy = join(fresh.path, "copy.db");
    server.store.sealed.setKeyId(server.vault.keyId);
    copyDatabase(join(fresh.path, DATABASE_FILE), copy);
    const answer = await send(readFileSync(copy), { key: TEST_KEY });
    expect([answer.status, restarts]).toEqual([200, 1]);
  });

  test("is offered to the owner of an unused server alone", async () => {
    const isOffered = async (by = browser) =>
      (await attributeOf(await by.get(HOME), "[name=backup]", "type")) === "file";
    expect(await isOffered()).toBe(true);
    const { connections, users } = server.accounts;
    await connections.connect(ada.user, "json", null);
    expect(await isOffered()).toBe(false);
    expect(await mistakeOf(await send(backup, { key: TEST_KEY }))).toMatchObject({ status: 422 });
    await connections.disconnect(ada.user, "all");
    expect(await isOffered()).toBe(true);
    const linus = await server.addUser("linus", false);
    expect(await isOffered()).toBe(false);
    const other = await signIn(server, linus);
    expect(await isOffered(other)).toBe(false);
    expect((await send(backup, { more: true }, other)).status).toBe(422);
    await users.remove(linus.user.name);
    await server.getAs(ada, "/api/v1/now-playing");
    await server.accounts.keys.flushUses();
    expect(await isOffered()).toBe(false);
    expect([restarts, existsSync(restored())]).toEqual([0, false]);
  });

  test("is refused without the key that it was encrypted under, and kept nowhere", async () => {
    const other = await send(backup, { key: OTHER_KEY });
    expect(await mistakeOf(other, "key")).toEqual({ status: 422, text: words.otherKey });
    const none = await send(backup, { key: "swordfish" });
    expect(await mistakeOf(none, "key")).toEqual({ status: 422, text: words.noKey });
    expect(restarts).toBe(0);
  });

  const changed: readonly [what: string, change: (sqlite: Database) => void, mistake: string][] = [
    ["no owner", (sqlite) => sqlite.run("DELETE FROM users"), words.noBackup],
    [
      "a trigger",
      (sqlite) =>
        sqlite.run("CREATE TRIGGER t AFTER INSERT ON sessions BEGIN DELETE FROM users; END"),
      words.noBackup,
    ],
    ["a table more", (sqlite) => sqlite.run("CREATE TABLE more (a)"), words.noBackup],
    [
      "steps of a newer version",
      (sqlite) => sqlite.run("INSERT INTO migrations VALUES ('9999_later', '', 0)"),
      words.newer,
    ],
  ];
  test.each(changed)("is refused with %s", async (_, change, text) => {
    const path = join(old.path, "copy.db");
    const sqlite = new Database(path);
    change(sqlite);
    sqlite.close();
    const answer = await send(readFileSync(path), { key: TEST_KEY });
    expect(await mistakeOf(answer)).toEqual({ status: 422, text });
    expect([restarts, existsSync(restored())]).toEqual([0, false]);
  });

  test("is refused when it is anything else", async () => {
    const halved = backup.subarray(0, backup.length / 2);
    for (const bytes of [new Uint8Array(), Buffer.from("a text"), halved]) {
      const answer = await send(bytes, { key: TEST_KEY });
      expect(await mistakeOf(answer)).toEqual({ status: 422, text: words.noBackup });
    }
    expect(restarts).toBe(0);
  });

  test("is taken in its order, one at a time, and deleted when nothing follows", async () => {
    const part = backup.subarray(0, 1_000);
    expect((await send(part, { at: 1_000, more: true })).status).toBe(422);
    await send(part, { more: true });
    for (const at of [0.5, -1, 999, 1_001, Number.NaN]) {
      const answer = await send(part, { at, more: true });
      expect([at, answer.status, await answer.text()]).toEqual([at, 422, words.interrupted]);
    }
    // Another tab begins anew.
    await send(part, { more: true });
    expect(statSync(restored()).size).toBe(1_000);
    await server.clock.advance(600_000);
    expect(existsSync(restored())).toBe(false);
  });

  test("fills no disk: it ends at its limit, whoever sends it", async () => {
    await send(new Uint8Array(1), { more: true });
    // A file with a hole is as long without taking room.
    truncateSync(restored(), LARGEST_BACKUP - 10);
    const at = LARGEST_BACKUP - 10;
    const answer = await send(new Uint8Array(11), { at, more: true });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain("200 MB");
    expect(statSync(restored()).size).toBe(at);
    expect(readdirSync(fresh.path).filter((name) => name.startsWith("restored"))).toHaveLength(1);
  });

  test("needs no key where a setting gives it, and then that one", async () => {
    server.close();
    const settings = { data: fresh.path, secretKey: TEST_KEY };
    server = await createTestServer({
      ...{ dataFolder: fresh.path, realSources: true, settings },
      restartRestored: () => restarts++,
    });
    browser = await signIn(server, ada);
    const page = await browser.get(HOME);
    expect(await attributeOf(page.clone(), "[name=backup]", "type")).toBe("file");
    expect(await attributeOf(page, "[name=key]", "type")).toBeUndefined();
    await send(backup, { key: OTHER_KEY });
    expect(restarts).toBe(1);
    const keys = readdirSync(fresh.path).filter((name) => name.startsWith("secret.key"));
    expect(keys).toEqual([]);
  });
});
