import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { addressesIn, attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PATH = "/en/dashboard/settings/account";
const { account: words } = languages.en.dashboard;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0";
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
  browser = await signIn(server, ada, undefined, FIREFOX);
});
afterEach(() => server.close());

const isIn = async (signedIn: SignedIn) => (await signedIn.get(PATH)).status === 200;
const endsCookie = (response: Response) => {
  const [cookie = ""] = response.headers.getSetCookie();
  return /^marquee-session-[0-9a-f]{8}=;/.test(cookie) && cookie.includes("Max-Age=0");
};
const idOf = async (userAgent: string) =>
  server.accounts.sessions.list(ada.user).find((session) => session.userAgent === userAgent)?.id ??
  "";

describe("the language", () => {
  test.each(LANGUAGES)("becomes %s: kept, and the page comes back in it", async (language) => {
    const sent = await browser.post(PATH, { do: "account language", language });
    expect(sent.status).toBe(303);
    const next = sent.headers.get("location") ?? "";
    expect(next).toStartWith(`/${language}/dashboard/settings/account`);
    expect(server.accounts.users.named("ada").language).toBe(language);
    const page = await browser.get(next);
    const { account, sections } = languages[language].dashboard;
    expect(await textOf(page.clone(), "h1")).toBe(sections.account);
    expect(await textOf(page.clone(), ".notice p")).toBe(account.languageSaved);
    expect(await attributeOf(page, "option[selected]", "value")).toBe(language);
  });

  test("is offered under the names that its speakers give it", async () => {
    const page = await browser.get(PATH);
    for (const language of LANGUAGES) {
      const offered = await textOf(page.clone(), `option[value="${language}"]`);
      expect(offered).toBe(languages[language].endonym);
    }
  });

  test.each(["it", "", "__proto__", "EN"])("does not become %j", async (language) => {
    const refused = await browser.post(PATH, { do: "account language", language });
    expect(refused.status).toBe(422);
    expect(server.accounts.users.named("ada").language).toBe(null);
  });
});

describe("the browsers", () => {
  test("are listed under readable names, this one first and marked", async () => {
    await signIn(server, ada, undefined, SAFARI);
    const page = await browser.get(PATH);
    const text = await page.clone().text();
    const names = [...text.matchAll(/<li class="beside"><div><h3>([^<]*)<\/h3>/g)];
    expect(names.map(([, name]) => name)).toEqual(["Firefox on Linux", "Safari on iPhone"]);
    expect(await textOf(page, ".tag")).toBe(words.thisBrowser);
    expect(text.split(words.thisBrowser)).toHaveLength(2);
    expect(text).toContain("Signed in on November 21, 2026");
    expect(text).toContain("Last seen Nov 21, 2026");
    expect(text).not.toContain("Mozilla");
  });

  test("are called unknown when nobody knows them, never by what they send", async () => {
    const hostile = '<script>alert(1)</script>" onload="';
    await signIn(server, ada, undefined, hostile);
    const text = await (await browser.get(PATH)).text();
    expect(text).toContain(words.unknownBrowser);
    expect(text).not.toContain("alert(1)");
  });

  test("that sign themselves out lose their cookie and see how to sign in", async () => {
    const other = await signIn(server, ada, undefined, SAFARI);
    const sent = await browser.post(PATH, { do: "session end", id: await idOf(FIREFOX) });
    expect(sent.status).toBe(303);
    expect(sent.headers.get("location")).toBe("/en/sign-in");
    expect(endsCookie(sent)).toBe(true);
    expect(await isIn(browser)).toBe(false);
    expect(await isIn(other)).toBe(true);
  });

  test("can be signed out all at once, this one too", async () => {
    const other = await signIn(server, ada, undefined, SAFARI);
    const grace = await signIn(server, await server.addUser("grace"));
    const sent = await browser.post(PATH, { do: "logout" });
    expect(endsCookie(sent)).toBe(true);
    expect(await isIn(browser)).toBe(false);
    expect(await isIn(other)).toBe(false);
    expect(await isIn(grace)).toBe(true);
  });
});

describe("the export", () => {
  test("is linked, comes as a file and holds no secret", async () => {
    await server.accounts.privacy.change(ada.user, {
      pausedUntil: null,
      hiddenTitles: ["wall"],
      hiddenArtists: [],
    });

    const hook = await server.accounts.hooks.add(ada.user, {
      url: "https://example.org/songs?token=hush",
      events: ["song.started"],
      action: null,
    });
    expect(await addressesIn(await browser.get(PATH))).toContain("/en/dashboard/account/export");
    const file = await browser.get("/en/dashboard/account/export");
    expect(file.headers.get("content-type")).toContain("application/json");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="marquee-ada.json"');
    expect(file.headers.get("cache-control")).toBe("no-store");
    expect(file.headers.get("x-content-type-options")).toBe("nosniff");
    const text = await file.text();
    expect(JSON.parse(text)).toMatchObject({
      username: "ada",
      widgets: [{ name: "Main", kind: "overlay", options: {}, css: "", size: null }],
      privacy: { hidden_titles: ["wall"] },
      covers: { looked_for_elsewhere: false },
      hooks: [{ host: "example.org", events: ["song.started"], state: "on" }],
      api_keys: [{ name: "first key" }],
      sessions: [{ browser: FIREFOX }],
    });

    const secrets = [ada.key, ada.widgetToken, browser.cookie.split("=")[1] ?? "-"];
    for (const secret of [...secrets, hook.secret, "hush"]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe("deleting everything", () => {
  const deleteAll = (confirm: string, signedIn = browser) =>
    signedIn.post(PATH, { do: "account delete", confirm });

  test.each(["", "Ada"])(
    "needs the user's own name, not %j: it is kept, with what is wrong beside it",
    async (typed) => {
      const page = await deleteAll(typed);
      expect(page.status).toBe(422);
      expect(endsCookie(page)).toBe(false);
      expect(await textOf(page.clone(), "#confirm-mistake")).toBe(
        "That’s not the user name. Type ada.",
      );
      expect(await attributeOf(page.clone(), "#confirm", "value")).toBe(typed);
      // The question is open still.
      expect(await page.text()).toMatch(/<details class="unfolds" open/);
      expect(server.accounts.users.list().map(({ name }) => name)).toEqual(["ada"]);
    },
  );

  test("takes all that was the user's, the cookie too, and says goodbye", async () => {
    const page = await deleteAll(" ada ");
    expect(page.status).toBe(200);
    expect(endsCookie(page)).toBe(true);
    expect(await textOf(page, "h1")).toBe("Goodbye, ada");
    expect(server.accounts.users.list()).toEqual([]);
    expect((await server.getAs(ada, "/api/v1/user")).status).toBe(401);
    expect((await server.get(`/en/widget/${ada.widgetToken}`)).status).toBe(404);
    expect(await isIn(browser)).toBe(false);
  });

  test("shows an owner who follows, and so it is", async () => {
    await server.addUser("grace");
    await server.addUser("edsger");
    const text = await (await browser.get(PATH)).text();
    expect(text).toContain("You own this server: grace becomes the new owner.");
    await deleteAll("ada");
    expect(server.accounts.users.owner()?.name).toBe("grace");
  });

  test("shows the only user what becomes of the server", async () => {
    expect(await (await browser.get(PATH)).text()).toContain(words.lastUser);
  });

  test("shows a member nothing of owners", async () => {
    const grace = await signIn(server, await server.addUser("grace"));
    const text = await (await grace.get(PATH)).text();
    expect(text).not.toContain("becomes its owner");
    expect(text).not.toContain(words.lastUser);
    await deleteAll("grace", grace);
    expect(server.accounts.users.owner()?.name).toBe("ada");
  });
});
