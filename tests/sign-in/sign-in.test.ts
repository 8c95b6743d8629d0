import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { type MagicLinkSecret } from "../../src/accounts/credential.ts";
import { SIGN_IN_PURPOSE } from "../../src/accounts/magic-links.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { RUN_FROM_SOURCE } from "../../src/version.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import {
  createLinkingServer,
  LISTENER,
  type LinkingServer,
} from "../fixtures/servers/linking-server.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { sessionCookieName } from "../fixtures/http/own-cookies.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const ORIGIN = "http://127.0.0.1:4747";

let server: TestServer;
let ada: AddedUser;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
});
afterEach(() => server.close());

const issue = (user = ada, purpose = SIGN_IN_PURPOSE) =>
  server.accounts.magicLinks.issue(user.user, purpose);
const pathOf = (secret: MagicLinkSecret, language = "en") => `/${language}/sign-in/${secret}`;
const enter = (secret: MagicLinkSecret, headers: Record<string, string> = { origin: ORIGIN }) =>
  server.get(pathOf(secret), { method: "POST", headers });
const cookieOf = (response: Response) => (response.headers.get("set-cookie") ?? "").split(";")[0]!;
const statusOf = async (cookie: string) =>
  (await server.get("/en/dashboard/music", { headers: { cookie } })).status;

/** Nobody was let in: no cookie, and no session in the database. */
async function expectRefused(response: Response): Promise<void> {
  expect(response.status).toBe(404);
  expect(response.headers.get("set-cookie")).toBe(null);
  expect(server.accounts.sessions.list(ada.user)).toEqual([]);
}

describe("a sign-in link", () => {
  test.each([
    ["pt-PT,pt;q=0.9", "pt", "/pt/dashboard"],
    ["xx", "en", "/en/dashboard"],
  ] as const)(
    "without a language is in the browser's, such as %s",
    async (accepted, language, to) => {
      const path = `/sign-in/${issue()}`;
      const headers = { "accept-language": accepted, origin: ORIGIN };
      const page = await server.get(path, { headers });
      expect(await textOf(page, "h1")).toBe(
        languages[language].signIn.confirmTitle.replace("{user}", "ada"),
      );
      const entered = await server.get(path, { method: "POST", headers });
      expect([entered.status, entered.headers.get("location")]).toEqual([303, to]);
      expect(await statusOf(cookieOf(entered))).toBe(200);
      expect((await server.get(path, { method: "POST", headers })).status).toBe(404);
    },
  );

  test("greets by name and lets in with one click", async () => {
    const secret = issue();
    const page = await server.get(pathOf(secret));
    expect(page.status).toBe(200);
    expect(await textOf(page.clone(), "h1")).toBe("Hello, ada");
    const form = await attributeOf(page, "form", "action");
    expect(form).toBe(pathOf(secret));
    const entered = await enter(secret);
    expect(entered.status).toBe(303);
    expect(entered.headers.get("location")).toBe("/en/dashboard");
    expect(cookieOf(entered)).toStartWith(`${sessionCookieName()}=`);
    expect(entered.headers.get("set-cookie")).toContain("; Path=/; Max-Age=2592000; ");
    expect(await statusOf(cookieOf(entered))).toBe(200);
  });

  test.each([
    ["opened", "GET", {}],
    ["asked for its head", "HEAD", {}],
    ["prefetched", "GET", { purpose: "prefetch", "sec-purpose": "prefetch" }],
    ["prerendered", "GET", { "sec-purpose": "prefetch;prerender" }],
    ["previewed", "GET", { "user-agent": "Slackbot-LinkExpanding 1.0", range: "bytes=0-32768" }],
    ["asked for its options", "OPTIONS", {}],
    ["opened from a page of ours", "GET", { origin: ORIGIN }],
  ] as [string, string, Record<string, string>][])(
    "is not used up when only %s",
    async (_, method, headers) => {
      const secret = issue();
      for (let time = 0; time < 3; time++) {
        const seen = await server.get(pathOf(secret), { method, headers });
        expect(seen.headers.get("set-cookie")).toBe(null);
      }
      expect((await enter(secret)).status).toBe(303);
    },
  );

  test.each([
    ["none", {}],
    ["a foreign one", { origin: "https://evil.example" }],
    ["only a referrer of ours", { referer: `${ORIGIN}/en/sign-in` }],
  ] as [string, Record<string, string>][])(
    "lets nobody in from a page of another origin, and is kept: %s",
    async (_, headers) => {
      const secret = issue();
      await expectRefused(await enter(secret, headers));
      expect((await enter(secret)).status).toBe(303);
    },
  );

  test("is written to no log", async () => {
    const secret = issue();
    await server.get(pathOf(secret));
    const cookie = cookieOf(await enter(secret));
    await statusOf(cookie);
    const lines = server.logged.join("\n");
    expect(lines).toContain("/en/sign-in/");
    expect(lines).not.toContain(secret);
    expect(lines).not.toContain(cookie.split("=")[1]!);
  });

  test("speaks French, the link's, until its user has chosen another", async () => {
    const language = "fr";
    const other = "pt";
    const secret = issue();
    const page = await server.get(pathOf(secret, language));
    const { confirmTitle } = languages[language].signIn;
    expect(await textOf(page, "h1")).toBe(fill(confirmTitle, { user: "ada" }));
    const headers = { origin: ORIGIN };
    const entered = await server.get(pathOf(secret, language), { method: "POST", headers });
    expect(entered.headers.get("location")).toBe(`/${language}/dashboard`);

    await server.accounts.users.setLanguage(ada.user, other);
    const again = await server.get(pathOf(issue(), language), { method: "POST", headers });
    expect(again.headers.get("location")).toBe(`/${other}/dashboard`);
  });
});

describe("a session", () => {
  test("is a new one at each sign-in, and the browser's old one ends", async () => {
    const first = cookieOf(await enter(issue()));
    const entered = await enter(issue(), { origin: ORIGIN, cookie: first });
    const second = cookieOf(entered);
    expect(second).not.toBe(first);
    expect(await statusOf(first)).toBe(401);
    expect(await statusOf(second)).toBe(200);
    expect(server.accounts.sessions.list(ada.user)).toHaveLength(1);
  });
});

describe("the page that says how to sign in", () => {
  test("is for everybody", async () => {
    const language = "en";
    const page = await server.get(`/${language}/sign-in`);
    expect(page.status).toBe(200);
    expect(await textOf(page.clone(), "h1")).toBe(languages[language].signIn.askTitle);
    expect(await page.text()).toContain(`${RUN_FROM_SOURCE} login USER`);
  });

  test("is not needed by who can open Marquee again: pages for users say how, to copy", async () => {
    const page = await server.get("/en/dashboard/music");
    expect(page.status).toBe(401);
    const command = await attributeOf(page, "[data-copy]", "data-copy");
    expect(command).toBe(`${RUN_FROM_SOURCE} open`);
  });

  test("offers Spotify only once an app has been entered", async () => {
    expect(await (await server.get("/en/sign-in")).text()).not.toContain("/en/sign-in/with/");
    expect((await server.get("/en/sign-in/with/spotify")).status).toBe(404);
    const app = { clientId: "abc", clientSecret: null };
    await server.accounts.upstreams.enterApp("spotify", app);
    expect(await (await server.get("/en/sign-in")).text()).toContain("/en/sign-in/with/spotify");
  });

  test("knows no way with what has no accounts", async () => {
    for (const source of ["mpd", "demo", "nothing", "__proto__"]) {
      expect((await server.get(`/en/sign-in/with/${source}`)).status).toBe(404);
    }
  });
});

describe("signing in with Spotify", () => {
  let linking: LinkingServer;
  let owner: AddedUser;
  let member: AddedUser;

  beforeEach(async () => {
    linking = await createLinkingServer();
    await linking.enterApp();
    owner = await linking.addUser("ada", false);
    member = await linking.addUser("grace", false);
  });
  afterEach(() => linking.close());

  type Browser = ReturnType<LinkingServer["browser"]>;
  /** Sets out for Spotify; answers where Spotify sends the browser back to. */
  const visit = async (browser: Browser, answer?: "agree" | "cancel", language = "en") => {
    const started = await browser.open(`/${language}/sign-in/with/spotify`);
    expect(started.status).toBe(302);
    return linking.spotify.consent(started.headers.get("location") ?? "", answer);
  };
  const attempt = async (browser: Browser, answer?: "agree" | "cancel", language?: string) =>
    browser.open((await visit(browser, answer, language)).href);
  const linkGrace = async () => linking.browser().link(await linking.linkFor(member.user));
  const sessions = async () => [
    ...linking.accounts.sessions.list(owner.user),
    ...linking.accounts.sessions.list(member.user),
  ];

  test("lets in whoever has linked that account, as that user", async () => {
    await linkGrace();
    const browser = linking.browser();
    const entered = await attempt(browser);
    expect(entered.status).toBe(303);
    expect(entered.headers.get("location")).toBe("/en/dashboard");
    expect((await sessions()).map(({ userId }) => userId)).toEqual([member.user.id]);
    expect((await browser.open("/en/dashboard/music")).status).toBe(200);
  });

  test("refuses an account that nobody has linked, and connects it to nobody", async () => {
    const refused = await attempt(linking.browser());
    expect(refused.status).toBe(403);
    // It only takes the attempt away.
    expect(refused.headers.get("set-cookie")).toMatch(
      /^marquee-link-[^;]*=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/,
    );
    expect(await textOf(refused, "h1")).toBe("No one here has linked this account");
    expect(await sessions()).toEqual([]);
    expect(await onlyConnection(linking.accounts.connections, owner.user.id)).toBe(undefined);
    expect(await onlyConnection(linking.accounts.connections, member.user.id)).toBe(undefined);
  });

  test("asks Spotify for a network ten times, then once a minute", async () => {
    const answers: Response[] = [];
    const tries = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        const browser = linking.browser();
        const begun = await browser.open("/en/sign-in/with/spotify");
        const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state");
        answers.push(await browser.open(`/callback/spotify?code=x&state=${state}`));
      }
    };
    const asked = () => linking.tokenTraffic.length / 2;
    await tries(30);
    expect(asked()).toBe(10);
    expect(linking.logged.filter((line) => line.includes("could not be linked"))).toHaveLength(10);
    expect(answers.at(-1)?.status).toBe(503);
    expect(await answers.at(-1)?.text()).toContain("too many calls from this app");
    await linking.clock.advance(60_000);
    await tries(2);
    expect(asked()).toBe(11);
  });

  test("refuses another account than the one that is linked", async () => {
    await linkGrace();
    const stranger = linking.spotify.addUser({ ...LISTENER, displayName: "Ada Listens" });
    linking.spotify.signIn(stranger);
    expect((await attempt(linking.browser())).status).toBe(403);
    expect(await sessions()).toEqual([]);
  });

  test("refuses an account whose user has disconnected it", async () => {
    await linkGrace();
    await linking.accounts.connections.disconnect(member.user, "all");
    expect((await attempt(linking.browser())).status).toBe(403);
  });

  test("leaves the connection as it is", async () => {
    await linkGrace();
    const before = await onlyConnection(linking.accounts.connections, member.user.id);
    await attempt(linking.browser());
    expect(await onlyConnection(linking.accounts.connections, member.user.id)).toEqual(before);
  });

  test("is not what linking for the dashboard or by a link is: neither lets in", async () => {
    const linked = await linkGrace();
    expect(linked.status).toBe(200);
    expect(linked.headers.get("set-cookie") ?? "").not.toContain("session");
    expect(await sessions()).toEqual([]);
  });

  test("says in French what went wrong, and where to try again", async () => {
    const language = "fr";
    const { connect } = languages[language];
    const denied = await attempt(linking.browser(), "cancel", language);
    expect(denied.status).toBe(400);
    expect(await textOf(denied.clone(), ".lead")).toBe(
      fill(connect.failures.denied, { source: "Spotify" }),
    );
    expect(await attributeOf(denied, "a.button", "href")).toBe(`/${language}/sign-in`);

    const browser = linking.browser();
    const back = await visit(browser, "agree", language);
    linking.spotify.script({ status: 503, target: "token" });
    const away = await browser.open(back.href);
    expect(away.status).toBe(503);
    expect(await textOf(away, ".lead")).toBe(
      fill(connect.failures.unreachable, { source: "Spotify" }),
    );

    const unknown = await attempt(linking.browser(), "agree", language);
    expect(await textOf(unknown, ".lead")).toBe(
      fill(languages[language].signIn.unknownText, { source: "Spotify" }),
    );
    expect(await sessions()).toEqual([]);
  });
});
