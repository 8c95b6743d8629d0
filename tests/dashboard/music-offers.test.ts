import { afterEach, beforeEach, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { worksOn } from "../../src/sources/source.ts";
import { attributeOf, unescapeHtml } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const MUSIC = "/en/dashboard/music";

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer({ realSources: true });
  ada = await server.addUser("ada", false);
  browser = await signIn(server, ada);
});
afterEach(() => server.close());

interface Shown {
  readonly id: string;
  readonly isOpen: boolean;
  readonly html: string;
}

/** The sources that a page offers, in their order. */
const offersOn = (html: string): Shown[] =>
  [
    ...html.matchAll(
      /<details class="offer source" id="source-([\w-]+)"( open)?>(.*?)<div class="offered">/gs,
    ),
  ].map(([, id = "", open, summary = ""]) => ({ id, isOpen: open !== undefined, html: summary }));
const pageText = async (path = MUSIC) => (await browser.get(path)).text();
const openOn = (html: string) =>
  offersOn(html)
    .filter(({ isOpen }) => isOpen)
    .map(({ id }) => id);

test("every source that works here is folded away below its name and what it is", async () => {
  const page = await pageText();
  const offers = offersOn(page);
  const here = server.sources.all.filter((source) => worksOn(process.platform, source));
  expect(offers.map(({ id }) => id).toSorted()).toEqual(here.map(({ id }) => id).toSorted());
  const { about } = languages.en.dashboard.music;
  for (const { id, isOpen, html } of offers) {
    expect(isOpen).toBe(false);
    expect(html).toContain(`<strong>${server.sources.byId(id)?.name}</strong>`);
    const [what = "", ...details] = about[id as keyof typeof about].split(/(?<=\.)\s/);
    expect(unescapeHtml(html)).toContain(`<span>${what}</span>`);
    expect(unescapeHtml(page)).toContain(details.join(" "));
  }
});

test("the sources are grouped: what runs on a computer first, what is only to try last", async () => {
  const html = await pageText();
  const groups = html.split('<section class="offers">').slice(1);
  expect(groups.map((group) => /<h3>(.*?)<\/h3>/.exec(group)?.[1])).toEqual(
    Object.values(languages.en.dashboard.music.groups),
  );
  const [computer = "", services = "", pushing = "", trying = ""] = groups;
  const idsIn = (group: string) => offersOn(group).map(({ id }) => id);
  expect(idsIn(computer)).toContain("vlc");
  expect(idsIn(services)).toEqual(expect.arrayContaining(["spotify", "jellyfin", "lastfm"]));
  expect(idsIn(pushing)).toEqual(expect.arrayContaining(["webscrobbler", "json"]));
  expect(idsIn(trying)).toEqual(["demo"]);
});

test("the one that was chosen is open, and no other", async () => {
  expect(openOn(await pageText(`${MUSIC}?choose=vlc`))).toEqual(["vlc"]);
  expect(openOn(await pageText(`${MUSIC}?choose=nothing`))).toEqual([]);
});

test("the one with a mistake is open, and no other", async () => {
  const entered = { do: "connect", source: "vlc", "option-url": "a b" };
  const refused = await browser.post(`${MUSIC}?choose=mpd`, entered);
  expect(openOn(await refused.text())).toEqual(["vlc"]);
  const app = { do: "app enter", source: "spotify", clientId: "no such id!" };
  expect(openOn(await (await browser.post(MUSIC, app)).text())).toEqual(["spotify"]);
});

test("a source that is connected is marked, and can be connected once more", async () => {
  await server.accounts.connections.connect(ada.user, "json", null);
  const html = await pageText();
  const marked = offersOn(html).filter((offer) => offer.html.includes('class="tag"'));
  expect(marked.map(({ id }) => id)).toEqual(["json"]);
  expect(await attributeOf(await browser.get(MUSIC), "#name-json-new", "required")).toBeDefined();
});

test.each(LANGUAGES)("the groups and the sources are described in %s", async (language) => {
  await server.accounts.connections.connect(ada.user, "json", null);
  const html = unescapeHtml(await pageText(`/${language}/dashboard/music`));
  const { groups, isConnected } = languages[language].dashboard.music;
  for (const word of [...Object.values(groups), isConnected]) expect(html).toContain(word);
  // Every source says what it is.
  expect(html).not.toContain("<span></span>");
});
