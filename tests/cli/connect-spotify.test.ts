import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { type Accounts } from "../../src/accounts/accounts.ts";
import { parseMagicLinkSecret } from "../../src/accounts/credential.ts";
import { FAILURE_REASONS } from "../../src/music/connection-status.ts";
import { withAccounts } from "../fixtures/data/accounts-of-folder.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import { onlyWorkingId } from "../fixtures/data/connections.ts";

const { marquee, documentsOf, environment, path } = useCommandLine();

const MINUTE_MS = 60_000;

beforeEach(async () => {
  setSystemTime(START_MS);
  await marquee("user", "add", "ada");
});
afterEach(() => {
  setSystemTime();
});

describe("marquee connect USER spotify", () => {
  test("prints the address to open, and the redirect URI to register", async () => {
    const { code, out, errors } = await marquee("connect", "ada", "spotify");
    expect(code).toBe(0);
    expect(out).toMatch(/^ +http:\/\/127\.0\.0\.1:4747\/en\/connect\/spotify\/mql_\w{38}$/m);
    expect(out).toMatch(/^ +http:\/\/127\.0\.0\.1:4747\/callback\/spotify$/m);
    expect(out).toContain("half an hour");
    expect(errors).toBe("");
  });

  test("prints one line of JSON with exactly these fields", async () => {
    const [document, ...others] = await documentsOf("connect", "ada", "spotify");
    expect(others).toEqual([]);
    expect(document).toEqual({
      username: "ada",
      source: "spotify",
      name: "",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4747\/en\/connect\/spotify\/mql_\w{38}$/),
      redirect_uri: "http://127.0.0.1:4747/callback/spotify",
    });
  });

  test("issues a link for a connection of that name", async () => {
    const [document] = await documentsOf("connect", "ada", "spotify", "--name", "Second one");
    expect(document).toMatchObject({ source: "spotify", name: "Second one" });
    const secret = parseMagicLinkSecret(String(document?.["url"]).split("/").at(-1) ?? "");
    if (!secret) throw new Error("no link");
    await withAccounts(path("data"), async ({ magicLinks }) => {
      expect(magicLinks.detailOf(secret, "connect spotify")).toBe("Second one");
      expect(magicLinks.use(secret, "connect spotify")).toMatchObject({ name: "ada" });
    });
  });

  test("leaves what the user is connected to until the browser is through", async () => {
    await marquee("connect", "ada", "demo");
    await marquee("connect", "ada", "spotify");
    expect(await documentsOf("user", "list")).toMatchObject([{ source: "demo" }]);
  });

  test("notes that Spotify does not take the address, and prints it nevertheless", async () => {
    environment["MARQUEE_BASE_URL"] = "http://example.org/music";
    const ran = await marquee("connect", "ada", "spotify", "--json");
    expect(ran.code).toBe(0);
    expect(ran.errors).toContain("https");
    expect(ran.errors).toContain("--base-url");
    expect(ran.documents()).toMatchObject([
      { redirect_uri: "http://example.org/music/callback/spotify" },
    ]);
  });

  test("is said in the help to be linked in the browser", async () => {
    expect((await marquee("connect", "--help")).out).toMatch(/spotify.*linked in the browser/);
  });
});

describe("marquee user list, of a linked account", () => {
  const linked = (consentedAt = START_MS) => ({
    clientId: "0123456789abcdef",
    refreshToken: "AQ-refresh-in-plain-sight",
    consentedAt,
    displayName: "Ada Listens",
    product: "premium",
  });

  /** Links ada, and answers the connection's id. */
  const link = (consentedAt?: number) =>
    withAccounts(path("data"), async ({ users, connections }) => {
      const ada = users.named("ada");
      await connections.connect(ada, "spotify", linked(consentedAt));
      return (await onlyWorkingId(connections, ada.id)) ?? 0;
    });
  const note = (...[id, health]: Parameters<Accounts["connections"]["storeStatus"]>) =>
    withAccounts(path("data"), ({ connections }) => connections.storeStatus(id, health));
  const row = async () => /^ada .*$/m.exec((await marquee("user", "list")).out)?.[0] ?? "";
  const shownDocument = async () => (await documentsOf("user", "list"))[0];

  test("says that nobody has listened yet", async () => {
    await link();
    expect(await row()).toMatch(/^ada +owner +spotify +not used yet +2027-05-21$/);
    expect(await shownDocument()).toMatchObject({
      source: "spotify",
      needs_connecting_again: false,
      health: { state: "untried", since: null, until: null, reason: null },
      linked_until: "2027-05-21T12:00:00.000Z",
    });
  });

  const WORDS: Record<(typeof FAILURE_REASONS)[number], string> = {
    unreachable: "cannot be reached",
    unexpected: "does not answer as expected",
    offAir: "no stream is at its address",
    fileMissing: "its file is not there, or may not be read",
    databaseLocked: "its database is locked",
    databaseUnknown: "its database is of a version that is not known, or damaged",
    limited: "too many calls",
    notOnAppList: "user is not on the app's list",
    noPremium: "the app's owner needs Premium",
    appRefused: "the app's ID or secret is refused",
    appMissing: "no app has been entered",
    keyMissing: "the server has no API key for it",
    keyRefused: "the server's API key is refused",
  };

  test.each(FAILURE_REASONS)("says since when and why it is tried again: %s", async (reason) => {
    await note(await link(), { state: "retrying", since: START_MS - MINUTE_MS, reason });
    expect(await row()).toContain(`retrying since 2026-11-21 11:59 UTC: ${WORDS[reason]}`);
    expect((await shownDocument())?.["health"]).toEqual({
      state: "retrying",
      since: "2026-11-21T11:59:00.000Z",
      until: null,
      reason,
    });
  });

  const SINCE = "2026-11-21T12:00:00.000Z";

  test.each<[Parameters<typeof note>[1], row: RegExp, document: object]>([
    [
      { state: "ok", since: START_MS },
      /spotify +ok +2027-05-21$/,
      { state: "ok", since: SINCE, until: null, reason: null },
    ],
    [
      { state: "limited", since: START_MS, until: START_MS + 30 * MINUTE_MS },
      /limited until 2026-11-21 12:30 UTC/,
      { state: "limited", since: SINCE, until: "2026-11-21T12:30:00.000Z", reason: null },
    ],
  ])("says whether it is followed, and until when not: %j", async (health, shown, document) => {
    await note(await link(), health);
    expect(await row()).toMatch(shown);
    expect((await shownDocument())?.["health"]).toEqual(document);
  });

  test("says that it has to be linked again", async () => {
    const id = await link();
    await withAccounts(path("data"), ({ connections }) => connections.markRefused(id));
    expect(await row()).toContain("has to be connected again");
    expect(await shownDocument()).toMatchObject({
      needs_connecting_again: true,
      health: { state: "needs_linking", since: "2026-11-21T12:00:00.000Z", reason: null },
    });
  });

  test("says when consent ends, and from a month before to link again", async () => {
    await link();
    setSystemTime(Date.UTC(2027, 3, 21, 11, 59));
    expect(await row()).toEndWith(" 2027-05-21");
    setSystemTime(Date.UTC(2027, 3, 21, 12));
    expect(await row()).toEndWith(" 2027-05-21: link again soon");
    setSystemTime(Date.UTC(2027, 5, 1));
    expect(await row()).toEndWith(" 2027-05-21: link again soon");
  });

  test("names no end where consent does not end", async () => {
    await marquee("connect", "ada", "demo");
    expect(await shownDocument()).toMatchObject({ source: "demo", linked_until: null });
  });

  test("says of a user without music that nothing is connected", async () => {
    expect(await row()).toMatch(/^ada +owner +nothing connected$/);
    expect(await shownDocument()).toMatchObject({ source: null, health: null, linked_until: null });
  });

  test("shows no token", async () => {
    await link();
    for (const words of [
      ["user", "list"],
      ["user", "list", "--json"],
    ]) {
      expect((await marquee(...words)).out).not.toContain("AQ-");
    }
  });
});

describe("an app that a setting gives", () => {
  test.each([
    ["SPOTIFY", ["app", "enter", "spotify"], "0123456789abcdef0123456789abcdef"],
    ["TWITCH", ["chat", "app"], "0123456789abcdef0123456789abcd"],
  ] as const)("is not entered beside it: %s", async (service, words, clientId) => {
    expect((await marquee(...words, clientId)).code).toBe(0);
    environment[`MARQUEE_${service}_CLIENT_ID`] = "0";
    const { code, errors } = await marquee(...words, clientId);
    expect(code).toBe(1);
    expect(errors).toMatch(/is given by this server’s settings\. Change it there\.$/);
  });
});
