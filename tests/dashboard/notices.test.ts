import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PATH = "/en/dashboard/settings/programs";

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

async function start(baseUrl = "http://127.0.0.1:4747"): Promise<void> {
  server?.close();
  server = await createTestServer({ settings: { rateLimitSeconds: "0" }, baseUrl });
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(null);
  browser = await signIn(server, ada, baseUrl);
}
beforeEach(() => start());
afterEach(() => server.close());

const keysIn = (text: string) => [...new Set(text.match(/mq_[0-9A-Za-z]{38}/g) ?? [])];
const makeKey = () => browser.post(PATH, { do: "key add", name: "bot" });

describe("what a form has come to", () => {
  test("travels in a cookie that no script reads, for the page that tells it", async () => {
    const sent = await makeKey();
    expect(sent.status).toBe(303);
    expect(sent.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^marquee-notice-programs-[0-9a-f]{8}=[\w-]+; Path=\/en\/dashboard\/settings\/programs; Max-Age=300; HttpOnly; SameSite=Lax$/,
      ),
    ]);
  });

  test("travels only over https where the server is reached by it", async () => {
    await start("https://example.org/music");
    const [cookie = ""] = (await makeKey()).headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Secure-marquee-notice-programs-[0-9a-f]{8}=[\w-]+; Path=\/music\/en\/dashboard\/settings\/programs; Max-Age=300; Secure; HttpOnly; SameSite=Lax$/,
    );
  });

  test("is sealed: the cookie shows nothing of a fresh key and fits into a browser", async () => {
    const [cookie = ""] = (await makeKey()).headers.getSetCookie();
    const bytes = Buffer.from(cookie.split(/[=;]/)[1] ?? "", "base64url");
    const [key = ""] = keysIn(await (await browser.get(PATH)).text());
    expect(key).not.toBe("");
    expect(bytes.toString("latin1")).not.toContain(key);
    expect(bytes.toString("latin1")).not.toContain("notice");
    expect(cookie.length).toBeLessThan(4_000);
  });

  test("is told once, and its cookie is taken away", async () => {
    await makeKey();
    const page = await browser.get(PATH);
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^marquee-notice-programs-[0-9a-f]{8}=; Path=\/en\/dashboard\/settings\/programs; Max-Age=0; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(keysIn(await page.text())).toHaveLength(1);
    const again = await browser.get(PATH);
    expect(again.headers.getSetCookie()).toEqual([]);
    expect(keysIn(await again.text())).toEqual([]);
  });

  test("is told in no other session, of the same user or of another's", async () => {
    const [cookie = ""] = (await makeKey()).headers.getSetCookie();
    const stolen = cookie.split(";")[0];
    const grace = await server.addUser("grace");
    await server.sourceOf(grace).says(null);
    for (const user of [ada, grace]) {
      const other = await signIn(server, user);
      const page = await server.get(PATH, { headers: { cookie: `${other.cookie}; ${stolen}` } });
      expect(page.status).toBe(200);
      expect(keysIn(await page.text())).toEqual([]);
    }
  });

  test("is not told after five minutes", async () => {
    await makeKey();
    server.clock.setWallMs(server.clock.wallMs() + 5 * 60_000);
    expect(keysIn(await (await browser.get(PATH)).text())).toEqual([]);
  });

  test("is told at once where it is too long for a cookie", async () => {
    await start(`https://example.org/${"long/".repeat(400)}music`);
    const page = await makeKey();
    expect(page.status).toBe(200);
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(keysIn(await page.text())).toHaveLength(1);
  });
});
