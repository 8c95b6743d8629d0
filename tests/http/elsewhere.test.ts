import { afterEach, describe, expect, test } from "bun:test";
import { connectPurpose, SIGN_IN_PURPOSE } from "../../src/accounts/magic-links.ts";
import { createHosts } from "../../src/http/hosts.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import { openPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { inTime } from "../fixtures/clock/waiting.ts";

const HTTPS = "https://music.example/ada";
const LAN = "http://music.test:24811";

/** Two of the ways to open a server by an allowed name where nobody can be signed in. */
const ELSEWHERE = [
  ["another name, without https", HTTPS, "http://lan.test:24811"],
  ["a mapped port", LAN, "http://music.test:28446"],
] as const;

let server: TestServer;
let servers: TestServer[] = [];
afterEach(() => {
  for (const started of servers) started.close();
  servers = [];
});

const start = async (baseUrl: string) => {
  server = await createTestServer({ baseUrl, settings: { allowedHosts: "lan.test" } });
  servers.push(server);
  const ada = await server.addUser("ada");
  await server.sourceOf(ada).says(null);
  return ada;
};
const from = (origin: string) => ({ origin, host: new URL(origin).host });

/** The page names both addresses and leads to the same path at the right one. */
async function expectElsewhere(page: Response, path: string, baseUrl: string, origin: string) {
  expect(page.status).toBe(403);
  expect(page.headers.getSetCookie()).toEqual([]);
  const language = LANGUAGES.find((one) => path.startsWith(`/${one}/`)) ?? "en";
  const { title, text, open } = languages[language].elsewhere;
  const other = origin + new URL(baseUrl).pathname.replace(/\/$/, "");
  expect(await textOf(page.clone(), "h1")).toBe(title);
  expect(await textOf(page.clone(), ".lead")).toBe(fill(text, { base: baseUrl, other }));
  expect(await textOf(page.clone(), "a.button")).toBe(open);
  expect(await attributeOf(page, "a.button", "href")).toBe(baseUrl + path);
}

describe.each(ELSEWHERE)("a server that is opened by %s", (_, baseUrl, origin) => {
  test("uses up no link to sign in, and says where it works, in every language", async () => {
    const ada = await start(baseUrl);
    const secret = server.accounts.magicLinks.issue(ada.user, SIGN_IN_PURPOSE);
    for (const language of LANGUAGES) {
      const path = `/${language}/sign-in/${secret}`;
      const page = await server.get(path, { method: "POST", headers: from(origin) });
      await expectElsewhere(page, path, baseUrl, origin);
    }
    const headers = { origin: new URL(baseUrl).origin };
    const entered = await server.get(`/en/sign-in/${secret}`, { method: "POST", headers });
    expect(entered.status).toBe(303);
  });

  test("takes no app of a service, and says where it works", async () => {
    const ada = await start(baseUrl);
    const secret = server.accounts.magicLinks.issue(ada.user, connectPurpose("spotify"));
    const path = `/en/connect/spotify/${secret}`;
    const body = new URLSearchParams({ clientId: "abc" });
    const page = await server.get(path, { method: "POST", headers: from(origin), body });
    await expectElsewhere(page, path, baseUrl, origin);
    expect(server.accounts.upstreams.appOf("spotify")).toBe(undefined);
  });

  test("takes no form of the dashboard, signed in or not, and says where it works", async () => {
    const ada = await start(baseUrl);
    const { cookie, formToken } = await signIn(server, ada, baseUrl);
    const path = "/en/dashboard/settings/programs";
    for (const sent of [{ cookie }, {}]) {
      const page = await server.get(path, {
        method: "POST",
        headers: { ...from(origin), ...sent },
        body: new URLSearchParams({ token: formToken, do: "key add", name: "bot" }),
      });
      await expectElsewhere(page, path, baseUrl, origin);
    }
    expect(server.accounts.keys.list(ada.user)).toHaveLength(1);
  });

  test("tells an open dashboard so on its socket, and nothing else", async () => {
    const ada = await start(baseUrl);
    const { cookie } = await signIn(server, ada, baseUrl);
    const port = openPort(server);
    const address = `${port.origin.replace("http", "ws")}/en/dashboard/live`;
    const messages: unknown[] = [];
    const closed = Promise.withResolvers<number>();
    const headers = { ...from(origin), cookie };
    const socket = new WebSocket(address, { headers } as unknown as string[]);
    socket.onmessage = ({ data }) => void messages.push(data);
    socket.onclose = ({ code }) => closed.resolve(code);
    expect(await inTime("the end of the socket", closed.promise)).toBe(4003);
    expect(messages).toEqual([]);
    await port.end();
  });
});

describe("the dashboard", () => {
  test("says for a minute by which other address an overlay was opened", async () => {
    const ada = await start(LAN);
    await server.accounts.users.welcome(ada.user);
    const browser = await signIn(server, ada, LAN);
    const presence = async () => textOf(await browser.get("/en/dashboard"), "[data-live-presence]");
    const { elsewhere, dashboard } = languages.en;
    expect(await presence()).toBe(dashboard.home.notOnStream);
    const other = "http://music.test:28446";
    const live = `/en/widget/${ada.widgetToken}/live`;
    expect((await server.get(live, { headers: from(other) })).status).toBe(403);
    expect(await presence()).toBe(fill(elsewhere.overlay, { base: LAN, other }));
    await server.clock.advance(60_000);
    expect(await presence()).toBe(dashboard.home.notOnStream);
  });

  test("says nothing of overlays that strangers' pages open", async () => {
    const ada = await start(LAN);
    await server.accounts.users.welcome(ada.user);
    const browser = await signIn(server, ada, LAN);
    const live = `/en/widget/${ada.widgetToken}/live`;
    const headers = { origin: "http://evil.example", host: "music.test:24811" };
    expect((await server.get(live, { headers })).status).toBe(403);
    const page = await browser.get("/en/dashboard");
    expect(await textOf(page, "[data-live-presence]")).toBe(
      languages.en.dashboard.home.notOnStream,
    );
  });
});

test.each([
  // Where somebody can be signed in.
  [HTTPS, "https://music.example", "music.example", undefined],
  [HTTPS, "https://music.example", "127.0.0.1:4747", undefined],
  [HTTPS, "https://lan.test", "lan.test", undefined],
  [LAN, LAN, "music.test:24811", undefined],
  [LAN, "http://lan.test:24811", "lan.test:24811", undefined],
  ["http://127.0.0.1:4747", "http://localhost:4747", "localhost:4747", undefined],
  ["http://127.0.0.1:4747", "http://127.0.0.1:8080", "127.0.0.1:8080", undefined],
  // Where nobody can be.
  [HTTPS, "http://lan.test:24811", "lan.test:24811", "http://lan.test:24811"],
  [HTTPS, "http://music.example", "music.example", "http://music.example"],
  [HTTPS, "https://music.example:8443", "music.example:8443", "https://music.example:8443"],
  [HTTPS, "http://localhost:24811", "localhost:24811", "http://localhost:24811"],
  [LAN, "http://music.test:28446", "music.test:28446", "http://music.test:28446"],
  [LAN, "https://music.test:24811", "music.test:24811", "https://music.test:24811"],
  // Behind a proxy that sends another Host.
  [HTTPS, "https://music.example:8443", "127.0.0.1:4747", "https://music.example:8443"],
  // Pages of others.
  [HTTPS, "https://evil.example", "music.example", undefined],
  [HTTPS, "http://localhost:3000", "localhost:4747", undefined],
  ["http://127.0.0.1:4747", "http://127.0.0.1:3000", "127.0.0.1:4747", undefined],
  [HTTPS, "null", "music.example", undefined],
  [HTTPS, "", "music.example", undefined],
] as const)("below %s, a page of %j, asked for at %j, is opened elsewhere: %p", (...row) => {
  const [baseUrl, origin, host, elsewhere] = row;
  const hosts = createHosts({ baseUrl, host: "127.0.0.1", allowedHosts: ["lan.test"] });
  const request = new Request(baseUrl, { headers: { origin, host } });
  expect(hosts.openedElsewhere(request)).toBe(elsewhere);
});
