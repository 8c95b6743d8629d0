import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { en } from "../../src/i18n/en.ts";
import { type AddedWidget, addWidget } from "../fixtures/data/widgets.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PATH = "/en/dashboard/widget";

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;
let line: AddedWidget;
let card: AddedWidget;

async function start(baseUrl = "http://127.0.0.1:4747"): Promise<void> {
  server = await createTestServer({ baseUrl });
  ada = await server.addUser("ada");
  browser = await signIn(server, ada, baseUrl);
  line = await addWidget(server, ada, "text");
  card = await addWidget(server, ada, "card");
  await server.sourceOf(ada).says(null);
}
beforeEach(() => start());
afterEach(() => server.close());

const page = async ({ widget }: AddedWidget) => browser.get(`${PATH}?id=${widget.id}`);
const optionsOf = async ({ widget }: AddedWidget) =>
  (await server.accounts.widgets.byId(ada.user, widget.id)).options;
const send = (of: AddedWidget, fields: Record<string, string>) =>
  browser.post(PATH, { id: String(of.widget.id), basedOn: "1", ...fields });

const noticeOf = async (of: AddedWidget) => textOf(await page(of), ".notice p");

describe("the notice of an editor", () => {
  test.each(["saved", "changed", "rotated"])(
    "is not shown for an address alone: %s",
    async (told) => {
      const shown = await browser.get(`${PATH}?id=${line.widget.id}&told=${told}`);
      expect(await textOf(shown, ".notice")).toBe(undefined);
    },
  );

  test("is shown once, on the page of its own widget", async () => {
    await send(line, { do: "save", template: "{title}" });
    expect(await noticeOf(card)).toBe(undefined);
    expect(await textOf(await browser.get(PATH), ".notice")).toBe(undefined);
    expect(await noticeOf(line)).toBe(en.outputs.text.saved);
    expect(await noticeOf(line)).toBe(undefined);
  });
});

describe("the editor of a text", () => {
  test("shows lines of an invented track while nothing plays", async () => {
    expect(await textOf(await page(line), "[data-preview] dd")).toBe(
      "♪ The Sound Checks – Everything Works",
    );
  });

  test("shows what is typed without saving it", async () => {
    const shown = await send(line, { do: "show", template: "Now: {title}" });
    expect(shown.status).toBe(200);
    expect(await textOf(shown, "[data-preview] dd")).toBe("Now: Everything Works");
    expect(await optionsOf(line)).toEqual({});
  });

  test("saves templates, and forgets one that is emptied", async () => {
    const saved = await send(line, {
      do: "save",
      template: "{title}",
      idleTemplate: "…",
      url: "1",
    });
    expect(saved.headers.get("location")).toBe(`${PATH}?id=${line.widget.id}`);
    expect(await noticeOf(line)).toBe(en.outputs.text.saved);
    expect(await optionsOf(line)).toEqual({ template: "{title}", idleTemplate: "…", url: "1" });
    await send(line, { do: "save", basedOn: "2", template: "{title}" });
    expect(await optionsOf(line)).toEqual({ template: "{title}" });
  });

  test.each([
    ["{titel}", "There is no placeholder {titel}."],
    ["[{title}", "An unmatched [."],
    ["x".repeat(301), "At most 300 characters."],
  ])("refuses %s and says why", async (template, reason) => {
    const refused = await send(line, { do: "save", template });
    expect(refused.status).toBe(422);
    expect(await textOf(refused, "#template-mistake")).toContain(reason);
    expect(await optionsOf(line)).toEqual({});
  });

  test("does not save over what was saved meanwhile, says so, and keeps what was typed", async () => {
    await line.save({ template: "{artist}" });
    const answer = await send(line, { do: "save", template: "{title}" });
    expect(answer.status).toBe(409);
    expect(await textOf(answer.clone(), ".notice p")).toBe(en.dashboard.widget.editor.newer);
    expect(await attributeOf(answer.clone(), "#template", "value")).toBe("{title}");
    expect(await optionsOf(line)).toEqual({ template: "{artist}" });
    const basedOn = await attributeOf(answer, "input[name=basedOn]", "value");
    await send(line, { do: "save", template: "{title}", basedOn: basedOn ?? "" });
    expect(await optionsOf(line)).toEqual({ template: "{title}" });
  });

  test.each(["999999", "-5", "1e300", "x", "1.5", "2", ""])(
    "is not saved over %j, which it never was, and stays with its own history",
    async (basedOn) => {
      for (const [widget, options] of [
        [line, { template: "{title}" }],
        [card, { mode: "light" }],
      ] as const) {
        const answer = await send(widget, { do: "save", basedOn, ...options });
        expect(answer.status).toBe(422);
        expect(await attributeOf(answer, "input[name=basedOn]", "value")).toBe("1");
        expect(await optionsOf(widget)).toEqual({});
        const revisions = await server.accounts.widgets.revisionsOf(ada.user, widget.widget.id);
        expect(revisions.map(({ revision }) => revision)).toEqual([1]);
      }
    },
  );

  test("prints no command of a hosted bot while the server is at home, and says why", async () => {
    const html = await (await page(line)).text();
    expect(html).toContain("can’t reach 127.0.0.1:4747");
    expect(html).toContain("$(urlfetch …)");
    expect(html).not.toContain("$(urlfetch http");
    expect(html).toContain(`$readApi[http://127.0.0.1:4747/en/text/${line.token}]`);
  });

  test.each([
    ["http://music.example", "starts with http"],
    ["https://192.168.1.7", "only exists in your own network"],
    ["https://marquee.local", "only exists in your own network"],
  ])("says the same of %s", async (baseUrl, reason) => {
    server.close();
    await start(baseUrl);
    const html = await (await page(line)).text();
    expect(html).toContain(reason);
    expect(html).not.toContain("$(urlfetch http");
  });

  test("prints each bot's command for a public https address", async () => {
    server.close();
    await start("https://music.example");
    const html = (await (await page(line)).text()).replaceAll("&quot;", '"');
    const address = `https://music.example/en/text/${line.token}`;
    for (const command of [
      `$(urlfetch ${address})`,
      `$(customapi ${address})`,
      `{readapi.${address}}`,
      `$urlcall(${address})`,
      `$readApi[${address}]`,
      `$readapi(${address})`,
    ]) {
      expect(html).toContain(command);
    }
    expect(html).not.toContain("cannot reach");
  });

  test("replaces the address", async () => {
    const answer = await send(line, { do: "rotate" });
    expect(answer.status).toBe(303);
    expect(await noticeOf(line)).toBe(en.outputs.text.rotated);
    expect((await server.get(`/en/text/${line.token}`)).status).toBe(404);
  });
});

describe("the editor of a card", () => {
  test("saves only what differs from the defaults", async () => {
    await send(card, { do: "save", mode: "light", progress: "1", source: "0" });
    expect(await optionsOf(card)).toEqual({ mode: "light", source: "0" });
    await send(card, { do: "save", basedOn: "2", mode: "auto", progress: "1", source: "1" });
    expect(await optionsOf(card)).toEqual({});
  });

  test("offers the picture, Markdown, HTML and a page, and says that others cannot reach it", async () => {
    const html = (await (await page(card)).text())
      .replaceAll("&#34;", '"')
      .replaceAll("&#39;", "'");
    const address = `http://127.0.0.1:4747/en/card/${card.token}`;
    expect(html).toContain(`[![What I am listening to](${address}.svg)](${address})`);
    expect(html).toContain("Other websites can’t reach 127.0.0.1:4747");
  });
});

test("somebody else's widget, and one that is not there, open the overlay's editor", async () => {
  const bob = await server.addUser("bob");
  const { widget } = await addWidget(server, bob, "text");
  for (const id of [String(widget.id), "99", "x", "0"]) {
    const answer = await browser.get(`${PATH}?id=${id}`);
    expect(await answer.text()).not.toContain(widget.name);
  }
});
