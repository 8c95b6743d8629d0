import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/clock.ts";
import { SECTION_NAMES, sectionPath } from "../../src/html/section-paths.ts";
import { languages } from "../../src/i18n/index.ts";
import { addWidget } from "../fixtures/data/widgets.ts";
import { ENDPOINT_PATHS } from "../fixtures/http/api-description.ts";
import { textOf } from "../fixtures/http/html.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import {
  assembleTestServer,
  createTestServer,
  type TestServer,
} from "../fixtures/servers/test-server.ts";

describe("a user whose answers took too much work", () => {
  let server: TestServer;
  let ada: AddedUser;

  beforeEach(async () => {
    server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
    ada = await server.addUser("ada", false);
  });
  afterEach(() => server.close());

  /** The budget of two seconds, and one more. */
  const spendBudget = async () => {
    const read = spyOn(server.accounts.history, "shownOf").mockImplementation(async () => {
      server.clock.work(3_000);
      return [];
    });
    expect((await server.getAs(ada, "/api/v1/recently-played")).status).toBe(200);
    read.mockRestore();
  };

  test.each(ENDPOINT_PATHS)(
    "gets the API's envelope, and an answer after the wait: %s",
    async (path) => {
      await spendBudget();
      const refused = await server.getAs(ada, path);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "6"]);
      expect(await refused.json()).toEqual({
        success: false,
        error: "Too much work for this user: try again later",
      });
      await server.clock.advance(6_000);
      const answered = await server.getAs(ada, path);
      expect(answered.status).toBe(200);
      await answered.body?.cancel();
    },
  );

  test("waits for the rate limit, too, so that the next call succeeds", async () => {
    server.close();
    server = await createTestServer({ settings: { rateLimitSeconds: "9" } });
    ada = await server.addUser("ada", false);
    await spendBudget();
    const refused = await server.getAs(ada, "/api/v1/user");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "9"]);
  });

  test.each([...SECTION_NAMES.map((name) => sectionPath(name)), "dashboard/account/export"])(
    "gets a page in the dashboard: %s",
    async (path) => {
      const browser = await signIn(server, ada);
      await spendBudget();
      const refused = await browser.get(`/fr/${path}`);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "6"]);
      expect(await textOf(refused, "h1")).toBe(languages.fr.spent.title);
    },
  );

  test.each([
    ["text", ""],
    ["card", ".svg"],
    ["card", ""],
  ] as const)("gets plain text where a widget is a %s%s", async (kind, ending) => {
    const { token } = await addWidget(server, ada, kind);
    await spendBudget();
    const refused = await server.get(`/en/${kind}/${token}${ending}`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "6"]);
    expect(refused.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await refused.text()).toContain("Try again in 6 seconds.");
  });

  test("gets a page in place of an overlay that stays blank and loads itself again", async () => {
    await spendBudget();
    const refused = await server.get(`/en/widget/${ada.widgetToken}`);
    expect([refused.status, refused.headers.get("refresh")]).toEqual([429, "6"]);
    expect(await refused.text()).toContain('<html lang="en" data-in-place-of-overlay>');
  });

  test("holds up nobody else", async () => {
    const bob = await server.addUser("bob", false);
    await spendBudget();
    expect((await server.getAs(bob, "/api/v1/user")).status).toBe(200);
  });
});

test("a dashboard opened quickly, ten keys that poll and twenty overlays stay within the budget", async () => {
  using server = await assembleTestServer(systemClock);
  const ada = await server.addUser("ada", false);
  const browser = await signIn(server, ada);
  const keys = [ada.key];
  while (keys.length < 10) keys.push((await server.accounts.keys.add(ada.user, "bot")).key);
  const polls = keys.flatMap((key) =>
    ["now-playing", "recently-played", "user"].map((endpoint) =>
      server.get(`/api/v1/${endpoint}`, { headers: { "x-api-key": key } }),
    ),
  );
  const pages = SECTION_NAMES.map((name) => browser.get(`/en/${sectionPath(name)}`));
  const overlays = Array.from({ length: 20 }, () => server.get(`/en/widget/${ada.widgetToken}`));
  const answers = await Promise.all([...polls, ...pages, ...overlays]);
  expect(answers.map(({ status }) => status)).not.toContain(429);
});
