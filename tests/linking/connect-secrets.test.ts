import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import {
  createLinkingServer,
  type LinkingBrowser,
  type LinkingServer,
} from "../fixtures/servers/linking-server.ts";

const APP_SECRET = "swordfish-of-the-app";

let server: LinkingServer;
let ada: AddedUser;
let browser: LinkingBrowser;
let path: string;
let linkSecret: string;

beforeEach(async () => {
  server = await createLinkingServer();
  ada = await server.addUser("ada", false);
  browser = server.browser();
  path = await server.linkFor(ada.user);
  linkSecret = path.split("/").at(-1) ?? "";
});
afterEach(() => server.close());

const enterApp = () =>
  browser.submit(path, {
    clientId: server.spotify.clientId,
    clientSecret: server.spotify.clientSecret,
  });

/** The tokens and verifiers that went to and fro between this server and Spotify. */
const exchanged = () =>
  server.tokenTraffic.flatMap((body) => {
    const fields: Record<string, unknown> = body.startsWith("{")
      ? JSON.parse(body)
      : Object.fromEntries(new URLSearchParams(body));
    return ["access_token", "refresh_token", "code_verifier", "code"].flatMap((name) =>
      typeof fields[name] === "string" ? [fields[name]] : [],
    );
  });

const tracesOf = (secrets: readonly string[], texts: readonly string[]) =>
  texts.filter((text) => secrets.some((secret) => text.includes(secret)));

describe("the whole way of a linking", () => {
  let state: string;
  let code: string;

  beforeEach(async () => {
    await browser.open(path);
    await enterApp();
    await browser.open(path);
    const callback = await browser.visitSpotify(path);
    const answer = new URL(callback).searchParams;
    state = answer.get("state") ?? "";
    code = answer.get("code") ?? "";
    await browser.open(callback);
    await browser.open(callback);
    const linkedWith = exchanged().length;
    await server.getAs(ada, "/api/v1/now-playing");
    // What came with the linking is used first.
    expect(exchanged()).toHaveLength(linkedWith);
    server.listener.expireAccessTokens();
    await server.clock.advance(3_600_000);
    await server.getAs(ada, "/api/v1/now-playing");
    expect(Math.min(state.length, code.length, linkSecret.length)).toBeGreaterThan(30);
    expect(exchanged().length).toBeGreaterThan(4);
  });

  test("leaves none of its secrets in the log", () => {
    expect(server.logged.join("\n")).toContain("an account was linked");
    const cookie =
      /marquee-link-[\w-]{8}-[0-9a-f]{8}=([\w-]+)/.exec(browser.answers.join("\n"))?.[1] ?? "";
    expect(cookie).not.toBe("");
    const { clientSecret } = server.spotify;
    const secrets = [state, code, linkSecret, cookie, clientSecret, ...exchanged()];
    expect(tracesOf(secrets, server.logged)).toEqual([]);
  });

  test("shows no browser the code, a token, the verifier or the app's secret", () => {
    const secrets = [code, server.spotify.clientSecret, ...exchanged()];
    expect(tracesOf(secrets, browser.answers)).toEqual([]);
  });

  test("names the state where it sends the browser to Spotify, and nowhere else", () => {
    const naming = tracesOf([state], browser.answers);
    expect(naming).toHaveLength(1);
    expect(naming[0]).toContain("https://accounts.spotify.com/authorize?");
  });

  test("tells Spotify nothing of the link", () => {
    const naming = tracesOf([linkSecret], browser.answers);
    expect(naming.filter((text) => text.includes("accounts.spotify.com"))).toEqual([]);
    expect(tracesOf([linkSecret], server.tokenTraffic)).toEqual([]);
  });

  test("does not repeat the link once it is used up", async () => {
    const page = await browser.open(path);
    expect(page.status).toBe(404);
    expect(await page.text()).not.toContain(linkSecret);
  });
});

test("a browser that guesses is shown no link", async () => {
  await enterApp();
  const callback = await browser.visitSpotify(path);
  const stranger = server.browser();
  await stranger.open(callback);
  expect(tracesOf([linkSecret], stranger.answers)).toEqual([]);
});

test("what Spotify says of a refusal is not shown", async () => {
  await enterApp();
  const callback = await browser.visitSpotify(path);
  server.spotify.script({
    target: "token",
    status: 400,
    body: { error: "invalid_client", error_description: `<b>${APP_SECRET}</b>` },
  });
  expect(await (await browser.open(callback)).text()).not.toContain(APP_SECRET);
});

describe("every page", () => {
  /** One of each kind, with whether it has a form. */
  const PAGES: Record<string, { ask(): Promise<Response>; status: number; form?: true }> = {
    "without an app": { ask: () => browser.open(path), status: 200, form: true },
    "with an app": {
      status: 200,
      form: true,
      async ask() {
        await server.enterApp();
        return browser.open(path);
      },
    },
    "of a link that has ended": {
      status: 404,
      async ask() {
        await server.clock.advance(30 * 60_000);
        return browser.open(path);
      },
    },
    "of a failure": {
      status: 400,
      async ask() {
        await server.enterApp();
        return browser.open(await browser.visitSpotify(path, "cancel"));
      },
    },
  };

  test.each(Object.entries(PAGES))(
    "%s lets nothing foreign in, is kept nowhere, and tells other sites nothing of its address",
    async (_, { ask, status, form }) => {
      const page = await ask();
      expect(page.status).toBe(status);
      const { headers } = page;
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain(`form-action ${form ? "'self'" : "'none'"}`);
      expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe(form ? "same-origin" : "no-referrer");
    },
  );
});
