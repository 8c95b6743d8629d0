import { expect } from "bun:test";
import { fill, languages } from "../../src/i18n/index.ts";
import { currentChromium, launchWith } from "../fixtures/browser/chromium.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { startTestServer } from "../fixtures/servers/listening-server.ts";

const test = testWith(currentChromium.name, currentChromium.isInstalled);
const BASE_URL = "http://music.test:4747";

test("a dashboard that is opened by another port says so, and leads to the base URL", async () => {
  const server = await startTestServer({ baseUrl: BASE_URL });
  const browser = await launchWith("--host-resolver-rules=MAP music.test 127.0.0.1");
  try {
    const ada = await server.addUser("ada");
    await server.sourceOf(ada).says(null);
    const { port } = new URL(server.url);
    const origin = `http://music.test:${port}`;
    const { cookie } = await signIn(server, ada, BASE_URL);
    const context = await browser.newContext({ locale: "de" });
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: origin }]);
    const page = await context.newPage();
    await page.goto(`${origin}/de/dashboard`);
    const notice = page.locator("[data-elsewhere]");
    await notice.waitFor();
    const { live, open } = languages.de.elsewhere;
    const said = (await notice.innerText()).replace(/\s+/g, " ").trim();
    expect(said).toBe(`${fill(live, { base: BASE_URL, other: origin })} ${open}`);
    expect(await notice.getByRole("link").getAttribute("href")).toBe(`${BASE_URL}/de/dashboard`);
    expect(await page.locator("[data-away]").isVisible()).toBe(false);
  } finally {
    await browser.close();
    await server.stop();
  }
});
