import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { createAccounts } from "../../src/accounts/accounts.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/accounts.ts";
import { createTempFolder } from "../fixtures/temp-folder.ts";

/** Two processes on one data folder, as the server and a command are. */
let folder: ReturnType<typeof createTempFolder>;
let server: TestAccounts;
let command: TestAccounts;

beforeEach(async () => {
  folder = createTempFolder();
  server = await createTestAccounts(folder.path);
  command = await createTestAccounts(folder.path);
});
afterEach(() => {
  server.store.close();
  command.store.close();
  folder.remove();
});

/** How often the server was told of changes. */
function countChanges(): () => number {
  let count = 0;
  server.accounts.onChange(() => count++);
  return () => count;
}

test("what another process changes is told once", async () => {
  const changes = countChanges();
  await command.add("ada");
  server.accounts.checkForChanges();
  server.accounts.checkForChanges();
  expect(changes()).toBe(1);
});

test("nothing is told when nothing has changed, or only by this process", async () => {
  const changes = countChanges();
  await server.add("ada");
  server.accounts.checkForChanges();
  expect(changes()).toBe(0);
});

test("a key revoked by another process works no longer after a look", async () => {
  const { user, key } = await server.add("ada");
  const held = await server.accounts.keys.holderOf(key);
  await command.accounts.keys.revoke(user, held?.keyId ?? "");
  server.accounts.checkForChanges();
  expect(await server.accounts.keys.holderOf(key)).toBe(undefined);
});

test("two processes that add users at the same moment give each the secrets that are theirs", async () => {
  const added = await Promise.all([server.add("ada"), command.add("grace")]);
  for (const { user, widgetToken } of added) {
    expect(await server.accounts.widgets.tokenOf(user)).toBe(widgetToken);
  }
  expect(added.map(({ user }) => user.role).toSorted()).toEqual(["member", "owner"]);
});

test("a rotation does not fail because another process writes at that moment", async () => {
  const { user } = await server.add("ada");
  const { store, vault, clock } = server;
  const other = new Database(join(folder.path, "marquee.db"));
  const wallMs = () => {
    try {
      other.run("INSERT OR REPLACE INTO server (id, checked_at) VALUES (1, 1)");
    } catch {
      // Whoever comes second has to wait.
    }
    return clock.wallMs();
  };
  const { keys } = createAccounts({ store, vault, wallMs });
  const { key } = await keys.rotate(user, undefined, 0);
  expect((await keys.holderOf(key))?.user.name).toBe("ada");
  other.close();
});
