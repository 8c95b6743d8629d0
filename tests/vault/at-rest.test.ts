import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { copyDatabase } from "../../src/db/copy.ts";
import { apiKeys } from "../../src/db/schema.ts";
import { createTestAccounts, type TestAccounts } from "../fixtures/data/accounts.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";

const PASSWORD = "correct-horse-battery";
const APP = { clientId: "0123456789abcdef", clientSecret: "swordfish-of-the-app" };

let folder: ReturnType<typeof createDataFolder>;
let world: TestAccounts;

beforeEach(async () => {
  folder = createDataFolder();
  world = await createTestAccounts(folder.path);
});
afterEach(() => {
  world.store.close();
  folder.remove();
});

/** Every file of the data folder, byte for byte. */
const stored = () =>
  readdirSync(folder.path).map((file) => ({
    file,
    bytes: readFileSync(join(folder.path, file)).toString("latin1"),
  }));

test("no file of the data folder, log and backup included, holds a key, a widget token, a password or an app", async () => {
  const { accounts, add } = world;
  const settings = { address: "127.0.0.1:6600", password: PASSWORD };
  const ada = await add("ada-in-plain-sight", { source: "mpd", settings });
  const secrets = [
    ada.key,
    ada.widgetToken,
    (await accounts.keys.add(ada.user, "chat bot")).key,
    (await accounts.keys.rotate(ada.user, accounts.keys.list(ada.user)[0]?.id, 0)).key,
    await accounts.widgets.rotate(ada.user, 1),
    PASSWORD,
    APP.clientId,
    APP.clientSecret,
  ];
  await accounts.connections.connect(ada.user, "mpd", settings);
  await accounts.upstreams.enterApp("spotify", APP);
  copyDatabase(join(folder.path, "marquee.db"), join(folder.path, "backup.db"));

  const files = stored();
  expect(files.map(({ file }) => file)).toContain("marquee.db-wal");
  for (const { file, bytes } of files) {
    for (const secret of secrets) {
      // The part that is random stands for the whole, whatever is around it.
      const random = secret.replace(/^mqw?_/, "").slice(0, 32);
      expect({ file, holdsSecret: bytes.includes(random) }).toEqual({ file, holdsSecret: false });
    }
  }
});

test("the search would find a secret: what is not one lies in the log and the backup", async () => {
  await world.add("ada-in-plain-sight");
  copyDatabase(join(folder.path, "marquee.db"), join(folder.path, "backup.db"));
  const holding = stored().filter(({ bytes }) => bytes.includes("ada-in-plain-sight"));
  expect(holding.map(({ file }) => file)).toEqual(
    expect.arrayContaining(["marquee.db-wal", "backup.db"]),
  );
});

test("what is stored of a key is its SHA-256", async () => {
  const { key } = await world.add("ada");
  const rows = world.store.queries.select({ hash: apiKeys.hash }).from(apiKeys).all();
  expect(rows).toEqual([{ hash: createHash("sha256").update(key).digest() }]);
});
