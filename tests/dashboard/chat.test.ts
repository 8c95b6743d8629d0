import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { NOTHING_HIDDEN, UNTIL_RESUMED } from "../../src/accounts/privacy.ts";
import { readChatOptions } from "../../src/chat/options.ts";
import { languages } from "../../src/i18n/index.ts";
import { createFakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { assembleTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { type StandInTwitch, startTwitch } from "../fixtures/twitch/twitch.ts";

const PATH = "/en/dashboard/chat";
const { chat: said } = languages.en.dashboard;

let twitch: StandInTwitch;
let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  const clock = createFakeClock();
  twitch = startTwitch({ clock });
  server = await assembleTestServer(clock, {
    settings: {
      twitchIdUrl: twitch.idUrl,
      twitchApiUrl: twitch.apiUrl,
      twitchEventsubUrl: twitch.eventsubUrl,
    },
    fetch: (url, init) => fetch(url, init),
  });
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(null);
  browser = await signIn(server, ada);
});
afterEach(async () => {
  await server.app.stop();
  server.close();
  await twitch.stop();
});

const enterApp = (clientId = twitch.clientId) =>
  browser.submit(PATH, { do: "app", "client-id": clientId });
const read = async (response: Response) => (await textOf(response, "main")) ?? "";
const page = async () => read(await browser.get(PATH));
const textAfter = async (fields: Record<string, string>) =>
  read(await browser.submit(PATH, fields));
/** An account that was linked earlier. */
const link = async () => {
  const { accessToken, refreshToken, userId } = twitch.link({ login: "ada" });
  const settings = { clientId: twitch.clientId, userId, channelId: userId };
  return server.accounts.chat.link(ada.user, {
    ...{ service: "twitch", login: "ada", channel: "ada" },
    settings: { ...settings, accessToken, refreshToken },
  });
};

describe("the page Chat", () => {
  test("lets the owner enter an application first, and others ask for it", async () => {
    expect(await page()).toContain(said.appTitle);
    const html = await (await browser.get(PATH)).text();
    expect(html).toContain('href="https://dev.twitch.tv/console/apps"');
    expect(html).toContain('data-copy="http://localhost"');
    const grace = await server.addUser("grace");
    const other = await signIn(server, grace);
    expect(await read(await other.get(PATH))).toContain(said.appOfOwner);
    await other.submit(PATH, { do: "app", "client-id": "hers" });
    expect(await server.accounts.upstreams.appOf("twitch")).toBeUndefined();
    expect(await read(await enterApp("NOT ONE"))).toContain(said.appIdWrong);
    expect(await read(await enterApp())).toContain(said.appSaved);
    expect(await page()).toContain(said.linkTitle);
  });

  test("links an account with a code, and shows the device code nowhere", async () => {
    await enterApp();
    const html = await (await browser.submit(PATH, { do: "link", channel: "" })).text();
    const [code] = twitch.deviceCodes;
    expect(html).toContain(code?.userCode ?? "none");
    expect(html).toContain("https://www.twitch.tv/activate");
    expect((await browser.get(PATH)).headers.get("refresh")).toBe("5");
    twitch.grant(code?.userCode ?? "", { login: "ada" });
    await until(async () => {
      await server.clock.advance(1_000);
      return (await server.accounts.chat.allOf()).length === 1 ? true : undefined;
    });
    const linked = await until(async () => {
      const text = await page();
      return text.includes("Linked as ada") ? text : undefined;
    });
    expect(linked).toContain(said.noAnswer);
    expect((await browser.get(PATH)).headers.get("refresh")).toBeNull();
    expect(await page()).not.toContain("Linked as ada");
  });

  test("offers no form of linked accounts while it loads itself again, which would empty them", async () => {
    await enterApp();
    await link();
    const optionsOn = async (response: Response) => attributeOf(response, "[name=words]", "value");
    await browser.submit(PATH, { do: "link", channel: "" });
    const waiting = await browser.get(PATH);
    expect(waiting.headers.get("refresh")).toBe("5");
    expect(await optionsOn(waiting)).toBeUndefined();
    expect(await optionsOn(await browser.submit(PATH, { do: "cancel" }))).toBeDefined();
  });

  test("gives up a link on demand", async () => {
    await enterApp();
    await browser.submit(PATH, { do: "link", channel: "" });
    expect(await textAfter({ do: "cancel" })).toContain(said.linkText);
    await server.clock.advance(20_000);
    expect(await server.accounts.chat.allOf()).toEqual([]);
  });

  test("shows the link as a code for phones, too", async () => {
    await enterApp();
    const html = await (await browser.submit(PATH, { do: "link", channel: "" })).text();
    expect(html).toContain('class="qr"');
    expect(html).toContain(said.qrCode);
    twitch.faults.set("device-other-host", "once");
    await browser.submit(PATH, { do: "cancel" });
    expect(await (await browser.submit(PATH, { do: "link", channel: "" })).text()).not.toContain(
      'class="qr"',
    );
  });

  test("says what Twitch refuses", async () => {
    await enterApp("unknown");
    const text = await textAfter({ do: "link", channel: "" });
    expect(text).toContain("Twitch refused: invalid client");
  });

  test("shows how it stands, with Twitch's words", async () => {
    const { id } = await link();
    await server.accounts.chat.note(id, { readingSince: server.clock.wallMs() });
    expect(await page()).toContain("Reading the chat of ada");
    await server.accounts.chat.end(id, "stopped", "<b>banned</b>");
    const html = await (await browser.get(PATH)).text();
    expect(await page()).toContain("doesn’t let this account read or write in the chat of ada");
    expect(html).not.toContain("<b>banned");
    expect(html).toContain("&lt;b&gt;banned");
  });

  test("says the song in chat once, unless sharing is paused or there was too much", async () => {
    await link();
    const say = () => textAfter({ do: "say", target: "ada" });
    expect(await say()).toContain(said.said);
    expect(twitch.sent.at(-1)).toMatchObject({ text: "Nothing playing", replyTo: null });
    for (let more = 0; more < 14; more++) await say();
    expect(await say()).toContain(said.tooSoon);
    await server.accounts.privacy.change(ada.user, {
      ...{ ...NOTHING_HIDDEN, pausedUntil: UNTIL_RESUMED },
    });
    expect(await say()).toContain(said.saidPaused);
  });

  test("stores how an account answers, unless a field is wrong", async () => {
    await link();
    const fields = { do: "options", target: "ada", words: "titel !np", quietS: "20" };
    const stored = async () => (await server.accounts.chat.allOf())[0]?.options;
    const refused = await browser.post(PATH, { ...fields, announceEveryS: "29", shows: "1" });
    expect(refused.status).toBe(422);
    const html = await refused.text();
    expect(html).toContain("Enter a whole number of seconds from 30 to 600.");
    expect(html).toContain('value="titel !np"');
    expect(await stored()).toEqual({});
    const text = await textAfter({
      ...fields,
      announceEveryS: "90",
      badges: "vip",
      announces: "1",
    });
    expect(text).toContain(said.options.saved);
    expect(readChatOptions(await stored())).toEqual({
      ...{ words: ["!titel", "!np"], badges: ["vip"], quietS: 20, announceEveryS: 90 },
      ...{ answersLast: false, replies: false, shows: false, announces: true },
    });
    const other = await signIn(server, await server.addUser("grace"));
    await other.submit(PATH, { ...fields, announceEveryS: "60" });
    expect(await stored()).toMatchObject({ announceEveryS: 90 });
  });

  test("unlinks only the user's own accounts", async () => {
    await link();
    const other = await signIn(server, await server.addUser("grace"));
    await other.submit(PATH, { do: "unlink", target: "ada" });
    expect((await server.accounts.chat.allOf()).length).toBe(1);
    expect(await textAfter({ do: "unlink", target: "ada" })).toContain("ada is unlinked.");
    await settle();
    expect(await server.accounts.chat.allOf()).toEqual([]);
  });
});
