import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { readChatOptions } from "../../src/chat/options.ts";
import { languages } from "../../src/i18n/index.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { addWidget } from "../fixtures/data/widgets.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer } from "../fixtures/servers/test-server.ts";
import { storeLink } from "../fixtures/twitch/links.ts";
import type { StandInTwitch } from "../fixtures/twitch/twitch.ts";
import { type ChatServer, startChatServer } from "./chat-server.ts";

const PATH = "/en/dashboard/chat";
const { dashboard, refused } = languages.en;
const { chat: words } = dashboard;

let server: ChatServer;
let twitch: StandInTwitch;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await startChatServer();
  ({ twitch } = server);
  ada = await server.addUser("ada");
  browser = await signIn(server, ada);
});
afterEach(() => server[Symbol.asyncDispose]());

const read = async (response: Response) => (await textOf(response, "main")) ?? "";
const page = async () => read(await browser.get(PATH));
const enterApp = (clientId = twitch.clientId) => browser.submit(PATH, { do: "chat app", clientId });
const begin = () => browser.submit(PATH, { do: "chat link", channel: "" });
const cancel = () => browser.submit(PATH, { do: "cancel" });
const link = () => storeLink(twitch, server.accounts.chat, ada.user);

describe("the page Chat", () => {
  test("lets the owner enter an application first, and others ask for it", async () => {
    const html = await (await browser.get(PATH)).text();
    expect(html).toContain('href="https://dev.twitch.tv/console/apps"');
    expect(html).toContain('data-copy="http://localhost"');
    const other = await signIn(server, await server.addUser("grace"));
    expect(await read(await other.get(PATH))).toContain(refused.chat.noApplication);
    const wrong = await browser.post(PATH, { do: "chat app", clientId: "NOT ONE" });
    expect([wrong.status, await attributeOf(wrong, "[name=clientId]", "value")]).toEqual([
      422,
      "NOT ONE",
    ]);
    expect(await read(await enterApp())).toContain(words.appSaved);
    expect(await page()).toContain(words.linkTitle);
  });

  test("links an account with a code, and shows the device code nowhere", async () => {
    await enterApp();
    const html = await (await begin()).text();
    const [code] = twitch.deviceCodes;
    expect(html).toContain(code?.userCode ?? "none");
    expect(html).toContain("https://www.twitch.tv/activate");
    expect(html).not.toContain(code?.deviceCode ?? "");
    expect((await browser.get(PATH)).headers.get("refresh")).toBe("5");
    twitch.grant(code?.userCode ?? "", "ada");
    await until(async () => {
      await server.clock.advance(1_000);
      return server.accounts.chat.allOf().length === 1 ? true : undefined;
    });
    const linked = await until(async () => {
      const text = await page();
      return text.includes("Linked as ada") ? text : undefined;
    });
    expect(linked).toContain(words.noAnswer);
    expect((await browser.get(PATH)).headers.get("refresh")).toBeNull();
    expect(await page()).not.toContain("Linked as ada");
  });

  test("offers no form of linked accounts while it loads itself again, which would empty them", async () => {
    await enterApp();
    await link();
    const wordsOn = async (response: Response) => attributeOf(response, "[name=words]", "value");
    expect(await wordsOn(await begin())).toBeUndefined();
    expect(await wordsOn(await cancel())).toBe("!song");
  });

  test("opens nothing that is sealed each time that it loads itself again", async () => {
    await enterApp();
    await addWidget(server, ada, "text");
    await begin();
    using open = spyOn(server.vault, "open");
    expect((await browser.get(PATH)).headers.get("refresh")).toBe("5");
    expect(open).not.toHaveBeenCalled();
  });

  test("gives up a link on demand", async () => {
    await enterApp();
    await begin();
    expect(await read(await cancel())).toContain(words.linkText);
    await server.clock.advance(20_000);
    expect(twitch.log.filter((entry) => entry.kind === "request").length).toBe(1);
  });

  test("shows the link as a code for phones, too, unless it leads elsewhere", async () => {
    await enterApp();
    const html = await (await begin()).text();
    expect(html).toContain('class="qr"');
    expect(html).toContain(words.qrCode);
    twitch.faults.set("device-other-host", "once");
    await cancel();
    await server.clock.advance(10_000);
    expect(await (await begin()).text()).not.toContain('class="qr"');
  });

  test("shows once how a link has ended, in Twitch's words if there are any", async () => {
    await enterApp("unknown".padEnd(30, "0"));
    expect(await read(await begin())).toContain("Twitch refused: invalid client");
    await enterApp();
    await begin();
    twitch.deny(twitch.deviceCodes[0]?.userCode ?? "");
    await until(async () => {
      await server.clock.advance(5_000);
      return (await page()).includes(refused.chat.expired) ? true : undefined;
    });
    expect(await page()).not.toContain(refused.chat.expired);
  });

  test("shows how an account stands, with Twitch's words", async () => {
    const { id } = await link();
    await server.accounts.chat.note(id, { readingSince: server.clock.wallMs() });
    expect(await page()).toContain("Reading the chat of ada");
    await server.accounts.chat.end(id, "stopped", "<b>banned</b>");
    expect(await page()).toContain("doesn’t let this account read or write in the chat of ada");
    const html = await (await browser.get(PATH)).text();
    expect(html).not.toContain("<b>banned");
    expect(html).toContain("&lt;b&gt;banned");
  });

  test("shows a form of answers again with what is wrong, and stores one that is right", async () => {
    await link();
    const stored = async () => server.accounts.chat.allOf()[0]?.options;
    const fields = {
      do: "chat options",
      login: "ada",
      words: "titel !np",
      quiet: "20",
      shows: "1",
    };
    const wrong = await browser.post(PATH, { ...fields, announceEvery: "29" });
    expect(wrong.status).toBe(422);
    const html = await wrong.text();
    expect(html).toContain("Enter a whole number of seconds from 30 to 600.");
    expect(html).toContain('value="titel !np"');
    expect(html).toMatch(/<details class="unfolds fold" open/);
    expect(await stored()).toEqual({});
    const right = { ...fields, announceEvery: "90", vip: "1", replies: "0", last: "0" };
    expect(await read(await browser.submit(PATH, right))).toContain(words.options.saved);
    expect(readChatOptions(await stored())).toEqual({
      ...{ words: ["!titel", "!np"], badges: ["vip"], quietS: 20, announceEveryS: 90 },
      ...{ answersLast: false, replies: false, shows: true, announces: false },
    });
  });
});

describe("the way with a bot", () => {
  const { ways, bot: t } = words;
  const makeText = () =>
    browser.submit(`${PATH}?with=bot&bot=firebot`, {
      do: "widget add",
      kind: "text",
      name: "Song",
    });
  /** What the buttons copy. */
  const copied = (html: string) =>
    [...html.matchAll(/data-copy="([^"]*)"/g)].map(([, text]) => text);

  test("is one of two, and the first to be shown once there is a text", async () => {
    const chosen = async () => textOf(await browser.get(PATH), ".chat-ways [aria-current] strong");
    expect(await chosen()).toBe(ways.twitch.title);
    await makeText();
    expect(await chosen()).toBe(ways.bot.title);
    await link();
    expect(await chosen()).toBe(ways.twitch.title);
  });

  test("makes a text with one button, and then has the line for the bot that is chosen", async () => {
    const empty = await browser.get(`${PATH}?with=bot`);
    expect(await textOf(empty, ".chat-bots form button")).toBe(t.make);
    const html = await (await makeText()).text();
    const [{ id } = { id: 0 }] = server.accounts.widgets
      .allOf(ada.user)
      .filter(({ kind }) => kind === "text");
    const address = `http://127.0.0.1:4747/en/text/${server.accounts.widgets.tokenOf(ada.user, id)}`;
    expect(copied(html)).toEqual([`$readApi[${address}]`, `$readApi[${address}?back=1]`]);
    expect(html).toContain(`/en/dashboard/widget?id=${id}`);
    expect(copied(await (await browser.get(`${PATH}?with=bot&bot=other`)).text())).toEqual([
      address,
      `${address}?back=1`,
    ]);
  });

  test("names the next text so that no name is taken twice", async () => {
    await makeText();
    const next = await browser.get(`${PATH}?with=bot`);
    expect(await attributeOf(next, ".chat-bots [name=name]", "value")).toBe("Song 2");
  });

  test.each(["nightbot", "streamelements", "fossabot", "moobot"])(
    "says first that Marquee can answer by itself where %s cannot ask a Marquee at home",
    async (bot) => {
      await makeText();
      const html = await (await browser.get(`${PATH}?with=bot&bot=${bot}`)).text();
      expect(html).toContain(t.byItself);
      expect(html).toContain(`href="${PATH}?with=twitch"`);
      expect(copied(html)).toEqual([]);
    },
  );

  test("begins with a bot on the internet where those can ask, too", async () => {
    const baseUrl = "https://music.example.org";
    const open = await createTestServer({ baseUrl });
    try {
      const grace = await open.addUser("grace");
      const { token } = await addWidget(open, grace, "text");
      const shown = await (await signIn(open, grace, baseUrl)).get(`${PATH}?with=bot`);
      const html = await shown.text();
      expect(html).not.toContain(t.byItself);
      expect(copied(html)[0]).toBe(`$(urlfetch ${baseUrl}/en/text/${token})`);
    } finally {
      open.close();
    }
  });

  test("shows the answer as a chat does, with the template of the first text", async () => {
    const sample = async () => textOf(await browser.get(PATH), ".chat-sample [dir]");
    expect(await sample()).toBe("♪ The Sound Checks – Everything Works");
    await (await addWidget(server, ada, "text")).save({ template: "Now: {title}" });
    expect(await sample()).toBe("Now: Everything Works");
  });
});
