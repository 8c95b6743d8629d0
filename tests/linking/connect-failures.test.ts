import { afterEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { type Language, LANGUAGES } from "../../src/languages.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import {
  createLinkingServer,
  type LinkingServer,
  type LinkingServerOptions,
} from "../fixtures/servers/linking-server.ts";
import { QUOTA_EXCEEDED, type Step } from "../fixtures/spotify/spotify.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

type Reason = keyof typeof languages.en.connect.failures;

/** A way in which Spotify lets nobody link. */
interface Failure {
  readonly name: string;
  readonly reason: Reason;
  readonly status: number;
  readonly account?: LinkingServerOptions["account"];
  readonly answer?: "cancel";
  /** What Spotify answers instead. */
  readonly steps?: readonly Step[];
  readonly clientSecret?: string;
  /** Changes the address that Spotify sends the browser back to. */
  readonly spoil?: (callback: URL) => void;
}

const token = (status: number, error: string, description: string): Step => ({
  target: "token",
  status,
  body: { error, error_description: description },
});
const api = (status: number, message: string): Step => ({
  status,
  body: { error: { status, message } },
});
const replacing = (answer: Record<string, string>) => (callback: URL) => {
  callback.searchParams.delete("code");
  for (const [name, value] of Object.entries(answer)) callback.searchParams.set(name, value);
};

const FAILURES: readonly Failure[] = [
  { name: "a no on its page", reason: "denied", status: 400, answer: "cancel" },
  {
    name: "a wrong secret of the app",
    reason: "wrongApp",
    status: 400,
    clientSecret: "swordfish",
  },
  {
    name: "an app that is gone",
    reason: "wrongApp",
    status: 400,
    steps: [token(400, "invalid_client", "Invalid client")],
  },
  {
    name: "an app that may not do this",
    reason: "wrongApp",
    status: 400,
    spoil: replacing({ error: "unauthorized_client" }),
  },
  {
    name: "a redirect URI that the app does not list",
    reason: "wrongRedirect",
    status: 400,
    steps: [token(400, "invalid_grant", "Invalid redirect URI")],
  },
  {
    name: "an account that is not on the app's list",
    reason: "notOnAppList",
    status: 400,
    account: { onAppList: false },
  },
  {
    name: "an owner without Premium",
    reason: "noPremium",
    status: 400,
    steps: [api(403, "Active premium subscription required for the owner of the app.")],
  },
  {
    name: "a code that has expired or was used",
    reason: "codeExpired",
    status: 400,
    spoil: replacing({ code: "used-before" }),
  },
  {
    name: "too many calls",
    reason: "limited",
    status: 503,
    steps: [{ status: 429, retryAfter: "5" }],
  },
  {
    name: "the day's quota used up",
    reason: "limited",
    status: 503,
    steps: [{ status: 429, retryAfter: "48925", body: QUOTA_EXCEEDED }],
  },
  {
    name: "too many calls to its accounts service",
    reason: "limited",
    status: 503,
    steps: [{ target: "token", status: 429, retryAfter: "5" }],
  },
  {
    name: "a page of somebody else's in front of its accounts service",
    reason: "unreachable",
    status: 503,
    steps: [{ target: "token", status: 403, body: "<html>blocked" }],
  },
  {
    name: "an accounts service that fails",
    reason: "unreachable",
    status: 503,
    steps: [{ target: "token", status: 503 }],
  },
  {
    name: "an accounts service that talks nonsense",
    reason: "unreachable",
    status: 503,
    steps: [{ target: "token", answer: "garbage" }],
  },
  {
    name: "tokens without a refresh token",
    reason: "unreachable",
    status: 503,
    steps: [
      { target: "token", body: { access_token: "x", token_type: "Bearer", expires_in: 3600 } },
    ],
  },
  {
    name: "a failure of its own on the way back",
    reason: "unreachable",
    status: 503,
    spoil: replacing({ error: "server_error" }),
  },
  {
    name: "a Web API that fails twice",
    reason: "unreachable",
    status: 503,
    steps: [{ status: 502 }, { status: 502 }],
  },
  {
    name: "a Web API that talks nonsense",
    reason: "unreachable",
    status: 503,
    steps: ["garbage"],
  },
];

let server: LinkingServer;
let ada: AddedUser;
afterEach(() => server.close());

/** A linking that fails, and the page that says so. */
async function fail(failure: Failure) {
  const { account, clientSecret, answer, steps = [], spoil = () => {} } = failure;
  server = await createLinkingServer({ ...(account && { account }) });
  ada = await server.addUser("ada", false);
  await server.enterApp(clientSecret);
  const path = await server.linkFor(ada.user);
  const browser = server.browser();
  const callback = new URL(await browser.visitSpotify(path, answer));
  spoil(callback);
  server.spotify.script(...steps);
  return { path, browser, callback: callback.href, page: await browser.open(callback.href) };
}

const sentence = (reason: Reason, language: Language = "en") =>
  fill(languages[language].connect.failures[reason], { source: "Spotify" });

test.each(FAILURES)(
  "$name is said in words of its own, stores nothing and can be tried again",
  async (failure) => {
    const { page, path, browser, callback } = await fail(failure);
    expect(page.status).toBe(failure.status);
    expect(await textOf(page.clone(), "h1")).toBe("Spotify was not linked");
    expect(await textOf(page.clone(), "p.lead")).toBe(sentence(failure.reason));
    expect(await attributeOf(page, "a.button", "href")).toBe(path);
    expect(await onlyConnection(server.accounts.connections, ada.user.id)).toBe(undefined);

    // It is logged once as a warning, without what it was about.
    const warnings = server.logged.filter((line) => line.includes(" warn "));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("source=spotify");
    const { searchParams } = new URL(callback);
    for (const name of ["code", "state"]) {
      const secret = searchParams.get(name);
      if (secret !== null) expect(server.logged.join("\n")).not.toContain(secret);
    }

    // The state is used up, and the link is as it was.
    expect((await browser.open(callback)).status).toBe(400);
    expect((await browser.open(path)).status).toBe(200);
  },
);

test.each(LANGUAGES)("no two failures are said with the same sentence in %s", (language) => {
  const reasons = [...new Set(FAILURES.map(({ reason }) => reason))];
  const sentences = reasons.map((reason) => sentence(reason, language));
  expect(new Set(sentences).size).toBe(sentences.length);
});

describe("after a failure", () => {
  test("trying again may work", async () => {
    const { browser, path } = await fail({
      name: "a no",
      reason: "denied",
      status: 400,
      answer: "cancel",
    });
    expect((await browser.link(path)).status).toBe(200);
  });

  test("what was linked before goes on working", async () => {
    server = await createLinkingServer();
    ada = await server.addUser("ada", false);
    await server.enterApp();
    const browser = server.browser();
    await browser.link(await server.linkFor(ada.user));
    const before = await onlyConnection(server.accounts.connections, ada.user.id);
    const path = await server.linkFor(ada.user);
    const denied = await browser.open(await browser.visitSpotify(path, "cancel"));
    expect(denied.status).toBe(400);
    expect(await onlyConnection(server.accounts.connections, ada.user.id)).toEqual(before);
  });
});

describe("one failure of the Web API among answers that are right", () => {
  test.each([500, 502, 404])("is passed over: %i", async (status) => {
    const { page } = await fail({
      name: "one failure",
      reason: "unreachable",
      status: 200,
      steps: [{ status }],
    });
    expect(page.status).toBe(200);
  });
});

test.each([
  ["api", "/v1/me"],
  ["token", "/api/token"],
] as const)("a call that hangs is given up after five seconds: %s", async (target, path) => {
  server = await createLinkingServer();
  ada = await server.addUser("ada", false);
  await server.enterApp();
  const browser = server.browser();
  const callback = await browser.visitSpotify(await server.linkFor(ada.user));
  server.spotify.script({ answer: "hang", target });
  const page = browser.open(callback);
  await until(() => server.spotify.calls.at(-1)?.path === path || undefined);
  await server.clock.advance(5_000);
  expect((await page).status).toBe(503);
  expect(await textOf(await page, "p.lead")).toBe(sentence("unreachable"));
});
