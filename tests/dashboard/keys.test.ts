import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { languages } from "../../src/i18n/index.ts";
import { addressesIn, attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PATH = "/en/dashboard/settings/programs";
const HOUR_MS = 3_600_000;
const { keys: words } = languages.en.dashboard;
const { key: refused } = languages.en.refused;

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(null);
  browser = await signIn(server, ada);
});

afterEach(() => server.close());

const statusOf = async (key: string) =>
  (await server.get("/api/v1/user", { headers: { "x-api-key": key } })).status;
const recordOf = async (name: string) => {
  const record = server.accounts.keys.list(ada.user).findLast((key) => key.name === name);
  if (!record) throw new Error(`there is no key "${name}"`);
  return record;
};
const keysIn = (text: string) => [...new Set(text.match(/mq_[0-9A-Za-z]{38}/g) ?? [])];
/** Makes a key, and answers it with the page that shows it. */
const make = async (name: string) => {
  const page = await (await browser.submit(PATH, { do: "key add", name })).text();
  const [key = ""] = keysIn(page);
  return { page, key };
};

describe("making a key", () => {
  test("shows one that works, once, and says so", async () => {
    const { page, key } = await make("chat bot");
    expect(keysIn(page)).toHaveLength(1);
    expect(page).toContain("It’s shown only once");
    expect(await statusOf(key)).toBe(200);
    expect(await (await browser.get(PATH)).text()).not.toContain(key);
  });

  test("shows it with a button that copies it, and a curl line with it that has one, too", async () => {
    const { page, key } = await make("chat bot");
    const line = `curl -H 'X-Api-Key: ${key}' http://127.0.0.1:4747/api/v1/now-playing`;
    const copies = [...page.matchAll(/data-copy="([^"]*)"/g)].map(([, text]) => text);
    expect(copies).toContain(key);
    expect(copies).toContain(line);
  });

  test("writes hostile names as text", async () => {
    const { page } = await make('<img src=x onerror="1">&lt;');
    expect(page).not.toContain("<img src=x");
    expect(page).toContain("&lt;img src=x");
    const listed = await browser.get(PATH);
    const id = (await recordOf('<img src=x onerror="1">&lt;')).id;
    expect(await textOf(listed, `#key-${id}`)).toBe('<img src=x onerror="1">&lt;');
  });
});

test("a fifty-first key, to try the API with, is refused with a sentence", async () => {
  for (let more = 0; more < 49; more++) await server.accounts.keys.add(ada.user, "bot");
  const headers = { accept: "application/json" };
  const answer = await browser.post(PATH, { do: "key add", name: "to try" }, { headers });
  expect(answer.status).toBe(409);
  const error = refused.tooMany.replace("{count}", "50");
  expect(await answer.json()).toEqual({ error, reason: "key.tooMany" });
});

describe("the list of keys", () => {
  test("shows name, id, when it was made, and that it was never used", async () => {
    const { id } = await recordOf("first key");
    const page = await browser.get(PATH);
    const text = await page.clone().text();
    expect(await textOf(page, `#key-${id}`)).toBe("first key");
    expect(text).toContain(`ID ${id}`);
    expect(text).toContain("Made on November 21, 2026");
    expect(text).toContain(words.neverUsed);
  });

  test("knows of a use a moment ago", async () => {
    await server.getAs(ada, "/api/v1/user");
    const text = await (await browser.get(PATH)).text();
    expect(text).not.toContain(words.neverUsed);
    expect(text).toContain("Last used Nov 21, 2026");
  });

  test("has a line to paste with a placeholder, and the way to the API's description", async () => {
    const page = await browser.get(PATH);
    expect(await attributeOf(page.clone(), "[data-copy]", "data-copy")).toBe(
      "curl -H 'X-Api-Key: YOUR_KEY' http://127.0.0.1:4747/api/v1/now-playing",
    );
    expect(await addressesIn(page)).toContain("/api/v1/openapi.json");
  });
});

describe("replacing a key", () => {
  const replace = async (grace: string) => {
    const { id } = await recordOf("first key");
    const page = await (await browser.submit(PATH, { do: "key rotate", id, grace })).text();
    const [key = ""] = keysIn(page);
    return { id, key, page };
  };

  test("shows the new key once, under the same name", async () => {
    const { key, page } = await replace("1h");
    expect(page).toContain("The new one is shown only once");
    expect(await statusOf(key)).toBe(200);
    expect(server.accounts.keys.list(ada.user).map(({ name }) => name)).toEqual([
      "first key",
      "first key",
    ]);
    expect(await (await browser.get(PATH)).text()).not.toContain(key);
  });

  test("shows until when the old one works", async () => {
    const { key, page } = await replace("1h");
    expect(page).toContain("The old one keeps working until Nov 2");
    expect(page).toContain("A new key has taken its place");
    expect([await statusOf(ada.key), await statusOf(key)]).toEqual([200, 200]);
    await server.clock.advance(HOUR_MS);
    expect([await statusOf(ada.key), await statusOf(key)]).toEqual([401, 200]);
  });

  test("is not offered again for a key in its grace, but revoking it is", async () => {
    const { id } = await replace("1h");
    const page = await browser.get(PATH);
    const text = await page.text();
    const forms = [...text.matchAll(/name="do" value="([\w ]+)"[^]*?name="id" value="(\w+)"/g)];
    expect(forms.filter(([, , keyId]) => keyId === id).map(([, action]) => action)).toEqual([
      "key revoke",
    ]);
  });
});

describe("revoking a key", () => {
  test("says first what breaks, then ends it at once and folds it away", async () => {
    const { id } = await recordOf("first key");
    expect(await statusOf(ada.key)).toBe(200);
    expect(await (await browser.get(PATH)).text()).toContain(words.revokeText);
    const page = await browser.submit(PATH, { do: "key revoke", id });
    expect(await statusOf(ada.key)).toBe(401);
    expect(await textOf(page.clone(), ".notice p")).toBe("“first key” was revoked.");
    expect(await textOf(page.clone(), "section > details > summary")).toBe("Revoked keys: 1");
    expect(await textOf(page, "section > details h3")).toBe("first key");
  });
});
