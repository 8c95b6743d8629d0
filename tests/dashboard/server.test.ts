import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { parseApiKey, parseWidgetToken } from "../../src/accounts/credential.ts";
import { flagOf, settingNames } from "../../src/config.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { VERSION } from "../../src/version.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { formsIn } from "../fixtures/http/forms.ts";
import { attributeOf, groupNameOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, TEST_KEY, type TestServer } from "../fixtures/servers/test-server.ts";

const SERVER = "/en/dashboard/settings/server";
const { user: refusedUser } = languages.en.refused;
const ORIGIN = "http://127.0.0.1:4747";

let server: TestServer;
/** How often the server was asked to stop. */
let stops: number;
let ada: AddedUser;
let grace: AddedUser;
let owner: SignedIn;

beforeEach(async () => {
  stops = 0;
  server = await createTestServer({
    settings: { secretKey: TEST_KEY, spotifyClientSecret: "hushhush", logLevel: "debug" },
    stopServer: () => void (stops += 1),
  });
  ada = await server.addUser("ada");
  grace = await server.addUser("grace");
  owner = await signIn(server, ada);
});
afterEach(() => server.close());

const names = async () => server.accounts.users.list().map(({ name }) => name);
/** What the form that removes somebody sends. */
const fixedOf = ({ user }: AddedUser) => ({ user: user.name, id: String(user.id) });
/** The texts to be copied, as the page shows them. */
async function shownOnce(page: Response): Promise<string[]> {
  const shown: string[] = [];
  const collect = new HTMLRewriter().on(".once code", {
    element: () => void shown.push(""),
    text: (chunk) => void (shown[shown.length - 1] += chunk.text),
  });
  await collect.transform(page).text();
  return shown;
}
const pathIn = (url = "") => new URL(url).pathname;
const enter = (path: string) => server.get(path, { method: "POST", headers: { origin: ORIGIN } });

describe("adding a user", () => {
  test("shows key, widget address and a sign-in link once, and all of them work", async () => {
    expect((await owner.post(SERVER, { do: "user add", names: " linus " })).status).toBe(303);
    expect(await names()).toEqual(["ada", "grace", "linus"]);
    expect(server.accounts.users.named("linus").role).toBe("member");

    const [link = "", key = "", widget = ""] = await shownOnce(await owner.get(SERVER));
    expect(parseApiKey(key)).toBeDefined();
    const headers = { "x-api-key": key };
    const user = await server.get("/api/v1/user", { headers });
    expect(await user.json()).toMatchObject({ data: { username: "linus" } });
    expect(parseWidgetToken(widget.split("/").at(-1) ?? "")).toBeDefined();
    expect((await server.get(pathIn(widget))).status).toBe(200);
    expect((await enter(pathIn(link))).status).toBe(303);
    expect((await enter(pathIn(link))).status).toBe(404);

    const again = await (await owner.get(SERVER)).text();
    for (const secret of [link, key, widget]) expect(again).not.toContain(secret);
  });

  test.each([
    ["Linus & <b>", refusedUser.name],
    ["", refusedUser.name],
    ["grace", refusedUser.taken],
  ])("named %j is refused: it is kept, with what is wrong beside it", async (typed, sentence) => {
    const page = await owner.post(SERVER, { do: "user add", names: typed });
    expect(page.status).toBe(422);
    expect(await attributeOf(page.clone(), "#names", "value")).toBe(typed);
    expect(await attributeOf(page.clone(), "#names", "aria-invalid")).toBe("true");
    expect(await textOf(page, "#names-mistake")).toBe(fill(sentence, { names: typed }));
    expect(await names()).toEqual(["ada", "grace"]);
  });
});

describe("a sign-in link made for a user", () => {
  test("signs in as that user, once, and is shown once", async () => {
    await owner.post(SERVER, { do: "login", user: grace.user.name });
    const page = await owner.get(SERVER);
    expect(await textOf(page.clone(), ".notice p")).toContain("grace");
    const [link = ""] = await shownOnce(page);
    expect(link).toStartWith(`${ORIGIN}/sign-in/mql_`);
    expect(await shownOnce(await owner.get(SERVER))).toEqual([]);
    const entered = await enter(pathIn(link));
    expect(entered.status).toBe(303);
    expect(server.accounts.sessions.list(grace.user)).toHaveLength(1);
  });
});

describe("removing a user", () => {
  test("asks first, and says what goes", async () => {
    const page = await owner.get(SERVER);
    expect(await textOf(page.clone(), ".people details.unfolds p")).toContain("can’t be undone");
    // One question: for grace, and none for oneself.
    const people = (await page.text()).split('class="rows people"')[1]?.split("</ul>")[0] ?? "";
    expect(people.split('class="unfolds"').length - 1).toBe(1);
  });

  test("does not remove oneself", async () => {
    await owner.post(SERVER, { do: "user remove", ...fixedOf(ada) });
    expect(await textOf(await owner.get(SERVER), ".notice.bad p")).toContain("Account");
    expect(await names()).toEqual(["ada", "grace"]);
  });

  test("twice does no harm, and reaches nobody who has come since", async () => {
    await owner.post(SERVER, { do: "user remove", ...fixedOf(grace) });
    const another = await server.addUser("grace");
    await owner.post(SERVER, { do: "user remove", ...fixedOf(grace) });
    expect(await names()).toEqual(["ada", "grace"]);
    expect((await server.getAs(another, "/api/v1/user")).status).toBe(200);
  });
});

describe("the owner's page", () => {
  test("lists everybody with their role, and no connections", async () => {
    await server.addUser("linus", false);
    const text = await (await owner.get(SERVER)).text();
    for (const name of ["ada", "grace", "linus"]) expect(text).toContain(`>${name}</h3>`);
    expect(text).toContain(">Owner · you<");
    expect(text).toContain(">Member<");
    expect(text).not.toContain("MPD");
  });

  test("names what can be done to a user after the user, for screen readers", async () => {
    expect(await groupNameOf(await owner.get(SERVER))).toBe("ada");
  });

  test("lists fifty users a page, and leads to the others", async () => {
    await server.accounts.add(Array.from({ length: 100 }, (_, at) => `user-${at}`));
    const listed = async (query: string) => {
      const html = await (await owner.get(SERVER + query)).text();
      return { names: Array.from(html.matchAll(/<h3[^>]*>([^<]+)/g), ([, name]) => name), html };
    };
    const first = await listed("");
    expect(first.names).toHaveLength(50);
    expect(first.names.slice(0, 3)).toEqual(["ada", "grace", "user-0"]);
    expect(first.html).toContain(`href="${SERVER}?page=3"`);
    for (const query of ["?page=3", "?page=99", "?page=1e300", "?page=Infinity"]) {
      const last = await listed(query);
      expect(last.names).toEqual(["user-98", "user-99"]);
      expect(last.html).toContain(`href="${SERVER}?page=3" aria-current="page"`);
    }
    for (const query of ["?page=0", "?page=-1", "?page=x", "?page=1.5"]) {
      expect((await listed(query)).names).toEqual(first.names);
    }
  });

  test("comes back to the page of users that a form was sent from", async () => {
    const added = await server.accounts.add(Array.from({ length: 100 }, (_, at) => `user-${at}`));
    const last = added.at(-1) ?? ada;
    const actions = [
      { do: "login", user: last.user.name },
      { do: "user remove", ...fixedOf(last) },
    ];
    const address = `${SERVER}?page=3`;
    for (const fields of actions) {
      const forms = await formsIn(await owner.get(address));
      const form = forms.find(
        ({ fields: shown }) => shown["do"] === fields.do && shown["user"] === fields.user,
      );
      expect(form?.action).toBe(address);
      const sent = await owner.post(address, fields);
      expect(sent.headers.get("location")).toBe(address);
      const shown = await owner.get(address);
      expect(await textOf(shown.clone(), ".notice p")).toContain("user-99");
      expect(await textOf(shown, "h3")).toBe("user-98");
    }
  });

  test("shows every setting in force and where it came from, and no secret", async () => {
    const page = await owner.get(SERVER);
    const shown: string[] = [];
    const collect = new HTMLRewriter().on(".settings dt", {
      text: (chunk) => void (chunk.text && shown.push(chunk.text)),
    });

    const text = await collect.transform(page).text();
    expect(shown.toSorted()).toEqual(
      settingNames
        .map(flagOf)
        .map((flag) => flag.slice(2))
        .toSorted(),
    );

    // Those that somebody has chosen are there at first sight, the others on demand.
    const [chosen, others] = text.split("<details><summary>Show all</summary>").slice(-2);
    expect(chosen).toContain("<dt>log-level</dt>");
    expect(chosen).not.toContain("<dt>host</dt>");
    expect(others).toContain("<dt>host</dt>");
    expect(text).toContain(
      '<dt>log-level</dt><dd class="value">debug</dd><dd class="origin">--log-level</dd>',
    );
    expect(text).toContain(
      '<dt>host</dt><dd class="value">127.0.0.1</dd><dd class="origin">Default</dd>',
    );
    expect(text).toContain('<dt>secret-key</dt><dd class="value">set, not shown</dd>');
    expect(text).not.toContain(TEST_KEY);
    expect(text).not.toContain("hushhush");
  });

  test("shows which version runs, on which Bun", async () => {
    const text = await (await owner.get(SERVER)).text();
    expect(text).toContain(VERSION);
    expect(text).toContain(`Bun ${Bun.version}`);
  });

  test.each(LANGUAGES)("fills every place of its words in %s", async (language) => {
    const path = `/${language}/dashboard/settings/server`;
    const text = await (await owner.get(path)).text();
    expect(text).not.toMatch(/\{\w+\}|undefined|\[object/);
    expect(text).toContain(languages[language].dashboard.server.settings);
  });
});

describe("the backup", () => {
  let folder: ReturnType<typeof createDataFolder>;
  beforeEach(async () => {
    server.close();
    folder = createDataFolder();
    server = await createTestServer({ dataFolder: folder.path });
    ada = await server.addUser("ada");
    grace = await server.addUser("grace");
    owner = await signIn(server, ada);
  });
  afterEach(() => folder.remove());

  test("is linked, with what it needs to be read", async () => {
    const page = await owner.get(SERVER);
    expect(await attributeOf(page.clone(), "a[download]", "href")).toBe(
      "/en/dashboard/server/backup",
    );
    expect(await page.text()).toContain("keep a copy of that too, somewhere else");
  });

  test("names the file of the key where it is in one", async () => {
    using other = await createTestServer({ settings: { data: "/var/lib/marquee" } });
    const linus = await other.addUser("linus");
    const page = await (await signIn(other, linus)).get(SERVER);
    expect(await page.text()).toContain("/var/lib/marquee/secret.key");
  });

  test("is a whole database with everybody in it, and nothing in plain sight", async () => {
    const answer = await owner.get("/en/dashboard/server/backup");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-disposition")).toBe(
      'attachment; filename="marquee-2026-11-21.db"',
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const bytes = await answer.bytes();
    const copy = Database.deserialize(bytes);
    expect(copy.query("select name from users order by id").all()).toEqual([
      { name: "ada" },
      { name: "grace" },
    ]);
    expect(copy.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
    copy.close();
    const text = Buffer.from(bytes).toString("latin1");
    for (const secret of [ada.key, ada.widgetToken, owner.cookie.split("=")[1] ?? "?"]) {
      expect(text).not.toContain(secret);
    }
    expect(readdirSync(folder.path).filter((name) => name.includes("copy"))).toEqual([]);
  });

  test("is refused for ten seconds after one was made", async () => {
    const backUp = async () => {
      const answer = await owner.get("/en/dashboard/server/backup");
      await answer.bytes();
      return answer;
    };
    expect((await backUp()).status).toBe(200);
    const refused = await backUp();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    await server.clock.advance(10_000);
    expect((await backUp()).status).toBe(200);
  });

  test("is made one at a time, until it is sent", async () => {
    const sent = await owner.get("/en/dashboard/server/backup");
    await server.clock.advance(60_000);
    const refused = await owner.get("/en/dashboard/server/backup");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    await sent.body?.cancel();
    const again = await owner.get("/en/dashboard/server/backup");
    expect(again.status).toBe(200);
    await again.bytes();
  });
});

describe("who can reach the server from outside", () => {
  const { reach } = languages.en;
  const shownAt = async (baseUrl: string, settings: Record<string, string> = {}) => {
    server.close();
    server = await createTestServer({ baseUrl, settings });
    ada = await server.addUser("ada");
    owner = await signIn(server, ada, baseUrl);
    return (await owner.get(SERVER)).text();
  };

  test.each([
    ["http://127.0.0.1:4747", reach.local],
    ["http://192.168.1.20:4747", reach.local],
    ["https://marquee.local", reach.local],
    ["http://music.example.org", reach["not https"]],
    ["https://music.example.org", reach.public],
  ])("is known by the base URL alone: %s", async (baseUrl, sentence) => {
    const html = await shownAt(baseUrl);
    expect(html).toContain(fill(sentence, { host: new URL(baseUrl).host }));
    expect(html).toContain('href="/en/docs/reach"');
    expect((await server.get("/en/docs/reach")).status).toBe(200);
  });

  test("comes with a warning when no proxy is trusted at a public address", async () => {
    expect(await shownAt("https://music.example.org")).toContain(reach.noProxy);
    const trusted = await shownAt("https://music.example.org", { trustedProxies: "127.0.0.1" });
    expect(trusted).not.toContain(reach.noProxy);
    expect(await shownAt("http://127.0.0.1:4747")).not.toContain(reach.noProxy);
  });

  test("names a proxy that the page came through and that is not trusted", async () => {
    const through = async (trustedProxies: string) => {
      await shownAt("https://music.example.org", { trustedProxies });
      return (await owner.get(SERVER, { headers: { "x-forwarded-for": "203.0.113.7" } })).text();
    };
    // The address that requests of tests come from.
    const sentence = fill(reach.untrustedProxy, { address: "192.0.2.1" });
    const untrusted = await through("127.0.0.1");
    expect(untrusted).toContain(sentence);
    expect(await through("")).toContain(sentence);
    expect(await through("")).not.toContain(reach.noProxy);
    expect(await through("127.0.0.1, 192.0.2.0/24")).not.toContain(sentence);
    expect(await shownAt("https://music.example.org")).not.toContain(sentence);
  });
});

describe("stopping Marquee", () => {
  test("is asked of the server by its owner, who gets a last page", async () => {
    expect(stops).toBe(0);
    const page = await owner.post(SERVER, { do: "stop" });
    expect(page.status).toBe(200);
    expect(await textOf(page, "h1")).toBe(languages.en.dashboard.server.stopped);
    expect(stops).toBe(1);
  });

  test("is refused to others, and asks for nothing", async () => {
    const member = await signIn(server, grace);
    expect((await member.post(SERVER, { do: "stop" })).status).toBeGreaterThanOrEqual(400);
    expect(stops).toBe(0);
  });
});
