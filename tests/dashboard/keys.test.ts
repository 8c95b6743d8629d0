import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { addressesIn, attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PATH = "/en/dashboard/keys";
const HOUR_MS = 3_600_000;
const { keys: said } = languages.en.dashboard;
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
  const found = server.accounts.keys.list(ada.user).findLast((key) => key.name === name);
  if (!found) throw new Error(`there is no key "${name}"`);
  return found;
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

  test("shows it in no other session", async () => {
    const other = await signIn(server, ada);
    await browser.post(PATH, { do: "key add", name: "chat bot" });
    expect(keysIn(await (await other.get(PATH)).text())).toEqual([]);
    expect(keysIn(await (await browser.get(PATH)).text())).toHaveLength(1);
  });

  test("takes the spaces around a name away", async () => {
    await make("  chat bot ");
    expect((await recordOf("chat bot")).name).toBe("chat bot");
  });

  test.each(["x", "x".repeat(60), "🎵".repeat(60), "e\u0301".repeat(60), "Clé d’été", "<b>&amp;"])(
    "takes the name %j",
    async (name) => {
      await make(name);
      expect((await recordOf(name)).name).toBe(name);
    },
  );

  test.each([
    "",
    "   ",
    "x".repeat(61),
    "🎵".repeat(61),
    `e${"\u0301".repeat(300)}`,
    "a\u001b[31mb",
    "a\nb",
    "a\u202eb",
  ])(
    "refuses the name %j, keeps it in its field and says beside it what is wrong",
    async (name) => {
      const page = await browser.post(PATH, { do: "key add", name });
      expect(page.status).toBe(422);
      expect(await attributeOf(page.clone(), "#name", "aria-invalid")).toBe("true");
      expect(await attributeOf(page.clone(), "#name", "aria-describedby")).toContain(
        "name-mistake",
      );
      expect(await textOf(page.clone(), "#name-mistake")).toBe(
        "A name has 1 to 60 visible characters.",
      );
      if (name.trim().length > 60) {
        expect(await attributeOf(page, "#name", "value")).toBe(name);
      }
      expect(server.accounts.keys.list(ada.user)).toHaveLength(1);
    },
  );

  test("writes hostile names as text", async () => {
    const { page } = await make('<img src=x onerror="1">&lt;');
    expect(page).not.toContain("<img src=x");
    expect(page).toContain("&lt;img src=x");
    const listed = await browser.get(PATH);
    const id = (await recordOf('<img src=x onerror="1">&lt;')).id;
    expect(await textOf(listed, `#key-${id}`)).toBe('<img src=x onerror="1">&lt;');
  });
});

describe("a fifty-first key", () => {
  beforeEach(async () => {
    for (let more = 0; more < 49; more++) await server.accounts.keys.add(ada.user, "bot");
  });
  const working = async () => server.accounts.keys.list(ada.user).length;

  test.each(LANGUAGES)("is refused with a sentence in %s", async (language) => {
    const { tooMany } = languages[language].refused.key;
    const path = `/${language}/dashboard/keys`;
    const page = await browser.submit(path, { do: "key add", name: "one more" });
    expect(await textOf(page, ".notice")).toContain(tooMany.replace("{count}", "50"));
    expect(await working()).toBe(50);
  });

  test("to try the API with is refused with the same sentence", async () => {
    const fields = { do: "key add", name: "to try" };
    const headers = { accept: "application/json" };
    const answer = await browser.post(PATH, fields, { headers });
    expect(answer.status).toBe(409);
    expect(await answer.json()).toEqual({
      error: refused.tooMany.replace("{count}", "50"),
      reason: "key.tooMany",
    });
    expect(await working()).toBe(50);
  });
});

describe("the list of keys", () => {
  test("tells name, id, when it was made, and that it was never used", async () => {
    const { id } = await recordOf("first key");
    const page = await browser.get(PATH);
    const text = await page.clone().text();
    expect(await textOf(page, `#key-${id}`)).toBe("first key");
    expect(text).toContain(`ID ${id}`);
    expect(text).toContain("Made on November 21, 2026");
    expect(text).toContain(said.neverUsed);
  });

  test("knows of a use a moment ago", async () => {
    await server.getAs(ada, "/api/v1/user");
    const text = await (await browser.get(PATH)).text();
    expect(text).not.toContain(said.neverUsed);
    expect(text).toContain("Last used Nov 21, 2026");
  });

  test("shows nobody else's", async () => {
    const grace = await server.addUser("grace");
    const theirs = await server.accounts.keys.add(grace.user, "for Grace alone");
    const text = await (await browser.get(PATH)).text();
    expect(text).not.toContain("for Grace alone");
    expect(text).not.toContain(theirs.id);
  });

  test("has a line to paste with a placeholder, and the way to the API's description", async () => {
    const page = await browser.get(PATH);
    expect(await attributeOf(page.clone(), "[data-copy]", "data-copy")).toBe(
      "curl -H 'X-Api-Key: YOUR_KEY' http://127.0.0.1:4747/api/v1/now-playing",
    );
    expect(await addressesIn(page)).toContain("/api/v1/openapi.json");
  });

  test("never holds a whole key or its hash", async () => {
    const text = await (await browser.get(PATH)).text();
    expect(text).not.toContain(ada.key);
    expect(keysIn(text)).toEqual([]);
  });

  test.each(LANGUAGES)("speaks %s, placeholder and all", async (language) => {
    const { dashboard } = languages[language];
    const page = await browser.get(`/${language}/dashboard/keys`);
    expect(await textOf(page.clone(), "h1")).toBe(dashboard.sections.keys);
    expect(await page.text()).toContain(dashboard.keys.placeholder);
    // The shell that it is pasted into must find nothing special in it.
    expect(dashboard.keys.placeholder).toMatch(/^[A-Z_]+$/);
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

  test.each([
    ["1h", HOUR_MS],
    ["24h", 24 * HOUR_MS],
  ])("with a grace of an %s lets the old one go on for just so long", async (grace, ms) => {
    const { key, page } = await replace(grace);
    expect(page).toContain("The old one keeps working until Nov 2");
    expect(page).toContain("A new key has taken its place");
    await server.clock.advance(ms - 1);
    expect(await statusOf(ada.key)).toBe(200);
    await server.clock.advance(1);
    expect(await statusOf(ada.key)).toBe(401);
    expect(await statusOf(key)).toBe(200);
  });

  test("without a grace ends the old one at once", async () => {
    const { key } = await replace("0s");
    expect(await statusOf(ada.key)).toBe(401);
    expect(await statusOf(key)).toBe(200);
  });

  test.each(["nonsense", "", "25h"])("with the grace %j changes nothing", async (grace) => {
    const { id } = await recordOf("first key");
    const page = await browser.post(PATH, { do: "key rotate", id, grace });
    expect([page.status, keysIn(await page.text())]).toEqual([422, []]);
    expect(await statusOf(ada.key)).toBe(200);
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
    expect(await (await browser.get(PATH)).text()).toContain(said.revokeText);
    const page = await browser.submit(PATH, { do: "key revoke", id });
    expect(await statusOf(ada.key)).toBe(401);
    expect(await textOf(page.clone(), ".notice p")).toBe("“first key” was revoked.");
    expect(await textOf(page.clone(), "section > details > summary")).toBe("Revoked keys: 1");
    expect(await textOf(page, "section > details h3")).toBe("first key");
  });

  test.each(["key revoke", "key rotate"])("twice (%s) says that it had ended", async (action) => {
    const { id } = await recordOf("first key");
    await server.accounts.keys.revoke(ada.user, id);
    const page = await browser.submit(PATH, { do: action, id });
    expect(await textOf(page.clone(), ".notice.bad p")).toBe(refused.unknown);
    expect(await page.text()).not.toContain("marquee key list");
  });

  test.each(["key revoke", "key rotate"])(
    "of somebody else (%s) changes nothing",
    async (action) => {
      const grace = await server.addUser("grace");
      const [theirs] = server.accounts.keys.list(grace.user);
      const page = await browser.submit(PATH, { do: action, id: theirs?.id ?? "" });
      expect(await textOf(page, ".notice.bad p")).toBe(refused.unknown);
      expect(await statusOf(grace.key)).toBe(200);
      expect(server.accounts.keys.list(grace.user)).toHaveLength(1);
    },
  );
});

describe("a form that did not come from our page", () => {
  test.each([
    ["another origin", { origin: "https://evil.example" }, {}],
    ["no origin", { origin: "" }, {}],
    ["a wrong token", {}, { token: "x" }],
  ])("makes no key: %s", async (_, headers, fields) => {
    const answer = await browser.post(PATH, { do: "key add", name: "x", ...fields }, { headers });
    expect(answer.status).toBe(403);
    expect(server.accounts.keys.list(ada.user)).toHaveLength(1);
  });

  test("makes none with another session's token", async () => {
    const other = await signIn(server, ada);
    const answer = await browser.post(PATH, { do: "key add", name: "x", token: other.formToken });
    expect(answer.status).toBe(403);
  });
});
