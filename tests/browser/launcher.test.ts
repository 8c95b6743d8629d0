import { afterEach, beforeEach, describe, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { listen } from "../../src/server.ts";
import { engines } from "../fixtures/browser/chromium.ts";
import { sharedPages } from "../fixtures/browser/shared-pages.ts";
import { type ListeningServer, startTestServer } from "../fixtures/servers/listening-server.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";

for (const engine of engines) {
  const test = testWith(engine.name, engine.isInstalled);

  describe(`the file that waits for the server, in ${engine.name}`, () => {
    const pages = sharedPages(engine);
    let server: ListeningServer;
    let ada: AddedUser;
    let folder: ReturnType<typeof createTempFolder>;

    beforeEach(async () => {
      folder = createTempFolder();
      server = await startTestServer();
      ada = await server.addUser("ada");
    });
    afterEach(async () => {
      await pages.closeAll();
      await server.stop();
      folder.remove();
    });

    test("is downloaded with the overlay's address and options, and goes there when it can", async () => {
      const query = "?theme=bar&idle=text&idleText=a%26b";
      const download = await fetch(`${server.url}/fr/widget/${ada.widgetToken}/launcher${query}`);
      expect(download.headers.get("content-disposition")).toContain("marquee-overlay.html");
      const file = join(folder.path, "marquee-overlay.html");
      writeFileSync(file, await download.text());
      await server.running.stop(100);

      const { page } = await pages.open();
      const refused = page.waitForEvent("requestfailed");
      await page.goto(pathToFileURL(file).href);
      await refused;
      expect(await page.evaluate(() => document.body.innerText)).toBe("");

      const again = listen({
        host: "127.0.0.1",
        port: Number(new URL(server.url).port),
        clock: server.clock,
        createServer: () => server,
      });
      await page.waitForURL(`${server.url}/fr/widget/${ada.widgetToken}${query}`);
      await page.waitForFunction(() => document.documentElement.dataset["npTheme"] === "bar");
      await page.close();
      await again.stop(100);
    });
  });
}
