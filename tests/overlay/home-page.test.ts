import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { languages } from "../../src/i18n/index.ts";
import { PLAIN_LOOK } from "../../src/looks/look.ts";
import { attributeOf, textOf, unescapeHtml } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { emptyMachine } from "../fixtures/sources/empty-machine.ts";

const HOME = "/en/dashboard";
const CIDER = "http://127.0.0.1:10767";
const { home } = languages.en.dashboard;

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;
/** The addresses that were asked. */
let asked: string[];

beforeEach(async () => {
  asked = [];
  server = await createTestServer({
    realSources: true,
    settings: { rateLimitSeconds: "0" },
    machine: { ...emptyMachine, at: (usual) => (usual === CIDER ? usual : "127.0.0.1:1") },
    async fetch(url) {
      asked.push(url);
      if (!url.startsWith(CIDER)) throw new Error("nobody is there");
      return Response.json({ info: { name: "Paper <b>", artistName: "Juniper Vale" } });
    },
  });
  ada = await server.addUser("ada", false);
  browser = await signIn(server, ada);
});
afterEach(() => server.close());

const page = async (query = "") => unescapeHtml(await (await browser.get(HOME + query)).text());
const widgets = () => server.accounts.widgets;

test("says in the page's language what plays the song", async () => {
  await server.accounts.connections.connect(ada.user, "demo", null);
  await server.accounts.users.welcome(ada.user);
  for (const [language, where] of [
    ["en", "Demo player · Demo"],
    ["fr", "Demo player · Démo"],
  ]) {
    const shown = await browser.get(`/${language}/dashboard`);
    expect(await textOf(shown, "[data-live-text=where]")).toBe(where);
  }
});

describe("the first visit", () => {
  test("is over once its user says so", async () => {
    expect(await page()).toContain(home.skip);
    const shown = await browser.submit(HOME, { do: "user welcome" });
    expect(await textOf(shown.clone(), ".notice p")).toBe(home.over);
    expect(await shown.text()).not.toContain(home.skip);
    expect(await page()).toContain(home.hide);
  });

  test("asks no player by itself, and offers what was found to whoever looks, also without a script", async () => {
    expect(await page()).toContain(`href="${HOME}?look=here"`);
    expect(asked).toEqual([]);
    for (const answer of [await page("?look=list"), await page("?look=here")]) {
      expect(answer).toContain("Paper <b> – Juniper Vale");
    }
  });

  test("connects a found player from the page itself, and asks no more", async () => {
    const html = await (await browser.get(`${HOME}?look=list`)).text();
    const fields = [...html.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
    const values = fields.map(([, name = "", value = ""]) => [name, unescapeHtml(value)]);
    const shown = await browser.submit(
      HOME,
      Object.fromEntries(values.filter(([name]) => name !== "token")),
    );
    const connections = server.accounts.connections.allOf(ada.user.id);
    expect(connections.map(({ source }) => source)).toEqual(["cider"]);
    const text = await shown.text();
    expect(text).toContain(home.putOnStream);
    expect(text).not.toContain(home.question);
  });

  test("shows members no players: they are on the owner's machine", async () => {
    const grace = await signIn(server, await server.addUser("grace", false));
    expect(await attributeOf(await grace.get(HOME), ".players", "data-found")).toBeUndefined();
    expect(await (await grace.get(`${HOME}?look=list`)).text()).not.toContain("Paper");
    expect(asked).toEqual([]);
  });
});

describe("the stage", () => {
  const frame = async () => attributeOf(await browser.get(HOME), ".scene iframe", "src");

  test("shows the first overlay, and no widget of another kind", async () => {
    const main = await widgets().first(ada.user);
    await widgets().add(ada.user, { name: "Text", kind: "text" });
    expect(await frame()).toStartWith(`/en/widget/${ada.widgetToken}?`);
    expect(await attributeOf(await browser.get(HOME), "[data-drag]", "data-address")).toBe(
      `http://127.0.0.1:4747/en/widget/${ada.widgetToken}`,
    );
    await widgets().remove(ada.user, main.id);
    expect(await page()).not.toContain("mqw_");
  });

  test("plays the demo to somebody without music alone", async () => {
    expect(await frame()).toContain("demo=1");
    await server.accounts.connections.connect(ada.user, "json", {}, "");
    expect(await frame()).not.toContain("demo=1");
  });

  const choices = async () => {
    const html = await page();
    return [...html.matchAll(/aria-label="([^"]*)" title="[^"]*" aria-pressed="(\w+)"/g)].map(
      ([, name, pressed]) => ({ name, isChosen: pressed === "true" }),
    );
  };

  test("has six looks, the overlay's own first, and one click gives it another", async () => {
    const before = await choices();
    expect(before).toHaveLength(6);
    expect(before.filter(({ isChosen }) => isChosen)).toEqual([
      { name: "Afterglow", isChosen: true },
    ]);
    const { id } = await widgets().first(ada.user);
    await browser.submit(HOME, { do: "look use", id: String(id), look: "cosy" });
    const after = await choices();
    expect(after).toHaveLength(6);
    expect(after[0]).toEqual({ name: "Cosy", isChosen: true });
  });

  test("gives back the look that the overlay had, with its CSS and size", async () => {
    const { id, revision: basedOn } = await widgets().first(ada.user);
    const own = { ...PLAIN_LOOK, options: { theme: "bar" }, css: ".np-title { color: red }" };
    await widgets().save(ada.user, id, { ...own, size: { width: 700, height: 90 } }, { basedOn });
    const sent = (await attributeOf(await browser.get(HOME), ".looks [name=look]", "value")) ?? "";
    await browser.submit(HOME, { do: "look use", id: String(id), look: "cosy" });
    await browser.submit(HOME, { do: "look use", id: String(id), look: unescapeHtml(sent) });
    expect(widgets().byId(ada.user, id)).toMatchObject({
      ...own,
      size: { width: 700, height: 90 },
    });
  });
});
