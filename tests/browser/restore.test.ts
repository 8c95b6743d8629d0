import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { copyDatabase } from "../../src/db/copy.ts";
import { DATABASE_FILE, RESTORED_FILE } from "../../src/db/data-folder.ts";
import { languages } from "../../src/i18n/index.ts";
import { newSecretKey, secretKeyPath } from "../../src/vault/secret-key-files.ts";
import { currentChromium } from "../fixtures/browser/chromium.ts";
import { sharedPages } from "../fixtures/browser/shared-pages.ts";
import { freePort, until } from "../fixtures/clock/waiting.ts";
import { createDataFolder, type TempFolder } from "../fixtures/data/temp-folder.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { type MarqueeProcess, startMarquee } from "../fixtures/servers/marquee-process.ts";
import { createTestServer, TEST_KEY } from "../fixtures/servers/test-server.ts";

const test = testWith(currentChromium.name, currentChromium.isInstalled);
const { home, account } = languages.en.dashboard;

describe("restoring a backup in the browser", () => {
  const pages = sharedPages(currentChromium);
  let old: TempFolder;
  let fresh: TempFolder;
  let marquee: MarqueeProcess;

  beforeEach(async () => {
    old = createDataFolder();
    fresh = createDataFolder();
    const port = String(freePort());
    // An upload that another server has not ended.
    await Bun.write(join(fresh.path, RESTORED_FILE), "half");
    marquee = await startMarquee({
      folder: fresh.path,
      arguments: ["--port", port, "--data", fresh.path],
    });
  });
  afterEach(async () => {
    await pages.closeAll();
    await marquee.stop();
    old.remove();
    fresh.remove();
  });

  /** A backup so large that it is sent in parts, and its key. */
  const makeBackup = async () => {
    const server = await createTestServer({ dataFolder: old.path });
    await server.addUser("grace", false);
    server.store.sealed.setKeyId(server.vault.keyId);
    server.close();
    const copy = join(old.path, "marquee-2026-11-21.db");
    copyDatabase(join(old.path, DATABASE_FILE), copy);
    using sqlite = new Database(copy);
    sqlite.run("UPDATE widgets SET css = hex(randomblob(600000))");
    const [right, wrong] = [secretKeyPath(old.path), join(old.path, "other.key")];
    await Bun.write(right, `${TEST_KEY}\n`);
    await Bun.write(wrong, `${newSecretKey()}\n`);
    return { copy, right, wrong };
  };

  test("sends it in parts, says what is wrong with it, and goes on with it signed in", async () => {
    const { copy, right, wrong } = await makeBackup();
    expect(Bun.file(copy).size).toBeGreaterThan(1_100_000);
    const { page, complaints } = await pages.open();
    await page.goto(marquee.ready["login_url"] ?? "");
    await page.getByRole("button").first().click();
    expect(existsSync(join(fresh.path, RESTORED_FILE))).toBe(false);
    const restore = async (key: string) => {
      const summary = page.getByText(home.restore.title, { exact: true });
      if (!(await page.locator("#backup").isVisible())) await summary.click();
      await page.locator("#backup").setInputFiles(copy);
      await page.locator("#key").setInputFiles(key);
      await page.getByRole("button", { name: home.restore.go }).click();
    };
    await restore(wrong);
    await page.locator("#key-mistake").getByText(languages.en.refused.restore.otherKey).waitFor();
    complaints.length = 0;
    await restore(right);
    await page.getByRole("heading", { name: home.restore.done }).waitFor();
    await until(() =>
      fetch(`${marquee.url}/readyz`).then(
        ({ ok }) => (ok && marquee.log().match(/ serving /g)?.length === 2) || undefined,
        () => undefined,
      ),
    );
    await page.getByRole("link", { name: home.restore.goOn }).click();
    await page.locator(".home").waitFor();
    await page.goto(`${marquee.url}/en/dashboard/settings/account`);
    await page.getByText(account.lead.replace("{user}", "grace")).waitFor();
    expect(complaints).toEqual([]);
  });
});
