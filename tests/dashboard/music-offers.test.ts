import { afterEach, beforeEach, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { TILES } from "../../src/dashboard/music/tiles.tsx";
import { languages } from "../../src/i18n/index.ts";
import { worksOn } from "../../src/sources/source.ts";
import { attributeOf, textOf, unescapeHtml } from "../fixtures/http/html.ts";
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

const pageText = async (path = MUSIC) => unescapeHtml(await (await browser.get(path)).text());
/** The one way that is open on a page, as the name of its source. */
const wayOn = (html: string): string | undefined => {
  const [, way = ""] =
    /<section class="source chosen-way" id="way">(.*?)<\/section>/s.exec(html) ?? [];
  return (
    /name="source" value="([\w-]+)"/.exec(way)?.[1] ?? /link\/([\w-]+)"/.exec(way)?.[1] ?? undefined
  );
};
/** The sources that a page names as other ways. */
const otherWaysOn = (html: string): string[] =>
  [...html.matchAll(/[?&]choose=([\w-]+)#way"/g)].map(([, id = ""]) => id);

test("the page offers eight tiles, with signs, and no way before one is chosen", async () => {
  const html = await pageText();
  const tiles = [...html.matchAll(/\?add=(\w+)#way"[^>]*><svg class="sign"/g)];
  expect(tiles.map(([, tile]) => tile)).toEqual([...TILES]);
  expect(tiles).toHaveLength(8);
  expect(wayOn(html)).toBeUndefined();
});

test("a field that has to be filled in is required, and one with a stored secret is not", async () => {
  const fieldsOf = async (path: string) => {
    const page = await browser.get(path);
    const isRequired = async (option: string, after = "") =>
      (await attributeOf(page.clone(), `#option-${option}-jellyfin${after}`, "required")) === "";
    return isRequired;
  };
  const added = await fieldsOf(`${MUSIC}?add=server`);
  expect([await added("url"), await added("user"), await added("token")]).toEqual([
    false,
    true,
    true,
  ]);
  const settings = { url: "http://127.0.0.1:8096", user: "ada", token: "swordfish" };
  const { connections } = server.accounts;
  const { publicId } = await connections.connect(ada.user, "jellyfin", settings);
  const changed = await fieldsOf(MUSIC);
  expect([await changed("user", `-${publicId}`), await changed("token", `-${publicId}`)]).toEqual([
    true,
    false,
  ]);
});

test("the fields of every way show examples, and no word of another language", async () => {
  const tiles = TILES.map((tile) => `/de/dashboard/music?add=${tile}`);
  const others = (await Promise.all(tiles.map(pageText))).flatMap((html, index) =>
    otherWaysOn(html).map((id) => `${tiles[index]}&choose=${id}`),
  );
  const pages = await Promise.all([...tiles, ...others].map(pageText));
  const shown = pages.flatMap((html) => [...html.matchAll(/ placeholder="([^"]*)"/g)]);
  const placeholders = new Set(shown.map(([, text]) => text));
  expect([...placeholders].toSorted()).toEqual([
    "/live",
    "host:port",
    "http://host:port",
    "https://host/stream",
    "media_player.name",
    "my_station",
  ]);
});

test("each tile opens its best way, and leads to its other ways", async () => {
  const best = await Promise.all(
    TILES.map(async (tile) => [tile, wayOn(await pageText(`${MUSIC}?add=${tile}`))] as const),
  );
  expect(Object.fromEntries(best)).toEqual({
    spotify: "spotify",
    sites: "webscrobbler",
    apple: "cider",
    soundcloud: "webscrobbler",
    player: process.platform === "win32" ? "windows" : "mpris",
    server: "jellyfin",
    radio: "broadcast",
    // Last.fm waits for a key of this server.
    other: "listenbrainz-reader",
  });
  expect(otherWaysOn(await pageText(`${MUSIC}?add=server`))).toEqual([
    "emby",
    "plex",
    "subsonic",
    "homeassistant",
  ]);
});

test("every source that works here is reached by a tile, and says what it is", async () => {
  const here = server.sources.all.filter((source) => worksOn(process.platform, source));
  const { about } = languages.en.dashboard.music;
  const reached = new Set<string>();
  for (const tile of TILES) {
    const html = await pageText(`${MUSIC}?add=${tile}`);
    for (const id of [wayOn(html) ?? "", ...otherWaysOn(html)]) reached.add(id);
  }
  expect([...reached].toSorted()).toEqual(here.map(({ id }) => id).toSorted());
  for (const { id } of here) {
    const html = await pageText(`${MUSIC}?choose=${id}`);
    expect(wayOn(html)).toBe(id);
    expect(html).toContain(about[id as keyof typeof about]);
  }
});

test("protocols are named behind something else alone", async () => {
  for (const tile of TILES) {
    const html = await pageText(`${MUSIC}?add=${tile}`);
    const isNamed = /JSON|Audioscrobbler|ListenBrainz submissions/.test(html);
    expect([tile, isNamed]).toEqual([tile, tile === "other"]);
  }
});

test("the way that was chosen is open in its tile", async () => {
  const page = await browser.get(`${MUSIC}?choose=vlc`);
  expect(wayOn(await page.clone().text())).toBe("vlc");
  expect(await attributeOf(page, ".tiles [aria-current]", "href")).toBe(`${MUSIC}?add=player#way`);
  for (const query of ["choose=nothing", "add=nothing", "add=__proto__"]) {
    expect(wayOn(await pageText(`${MUSIC}?${query}`))).toBeUndefined();
  }
});

test("the way with a mistake is open, and no other", async () => {
  const entered = { do: "connect", source: "vlc", "option-url": "a b" };
  const refused = await browser.post(`${MUSIC}?choose=mpd`, entered);
  expect(wayOn(await refused.text())).toBe("vlc");
  const app = { do: "app enter", source: "spotify", clientId: "no such id!" };
  expect(wayOn(await (await browser.post(MUSIC, app)).text())).toBe("spotify");
});

test("a source that is connected can be connected once more, with a name", async () => {
  await server.accounts.connections.connect(ada.user, "json", null);
  const page = await browser.get(`${MUSIC}?choose=json`);
  expect(await attributeOf(page, "#name-json-new", "required")).toBeDefined();
});

test("with ten connections there are no offers, and a word on why", async () => {
  for (let at = 1; at <= 9; at++) {
    await server.accounts.connections.connect(ada.user, "json", null, `${at}`);
  }
  expect(await pageText()).toContain('class="tiles"');
  await server.accounts.connections.connect(ada.user, "json", null, "10");
  for (const query of ["", "?add=spotify", "?look=here"]) {
    const html = await pageText(MUSIC + query);
    expect(html).not.toMatch(/class="tiles"|id="way"|id="found"/);
    expect(html).toContain("You have 10 connections, the maximum.");
  }
});

test("the tiles and the ways are described in English", async () => {
  const language = "en";
  const { home, music } = languages[language].dashboard;
  const html = await pageText(`/${language}/dashboard/music?add=player`);
  for (const word of [home.question, ...Object.values(music.tiles), music.otherWays, music.guide]) {
    expect(html).toContain(word);
  }
  // Every source says what it is.
  expect(html).not.toContain("<span></span>");
});

test("a guide stands in a row until the first song has come", async () => {
  const connection = await server.accounts.connections.connect(ada.user, "json", null);
  const row = async () => {
    const page = await browser.get(MUSIC);
    return {
      isOpen: (await attributeOf(page.clone(), ".connected details", "open")) !== undefined,
      guide: await textOf(page, ".connected .guide a"),
    };
  };
  expect(await row()).toEqual({ isOpen: true, guide: languages.en.dashboard.music.guide });
  await server.accounts.connections.storeStatus(connection.id, { state: "ok", since: 1 });
  expect(await row()).toEqual({ isOpen: false, guide: undefined });
});

test("somebody new who has added music is led to the stream, until the first steps are over", async () => {
  const { connections, users } = server.accounts;
  const next = async () => textOf(await browser.get(MUSIC), `main a.button[href="/en/dashboard"]`);
  await connections.connect(ada.user, "demo", null);
  expect(await next()).toBeUndefined();
  await connections.connect(ada.user, "json", null);
  expect(await next()).toBe("Now put it on stream →");
  await users.welcome(ada.user);
  expect(await next()).toBeUndefined();
});

test("what cannot be reached is kept, amber, and called connected nowhere", async () => {
  const form = { do: "connect", source: "vlc", "option-url": "http://127.0.0.1:9" };
  const page = await browser.submit(MUSIC, { ...form, "option-password": "swordfish" });
  expect(await attributeOf(page.clone(), ".connected .notice", "class")).toBe("notice warn");
  expect(await textOf(page.clone(), ".connected .notice p")).toStartWith(
    "VLC is added, but can’t be reached: nothing answers properly at 127.0.0.1:9.",
  );
  expect(await attributeOf(page.clone(), "[data-row] .status", "class")).toBe("status warn");
  expect(await textOf(page.clone(), "[data-row] .status")).toStartWith("VLC can’t be reached.");
  expect(await (await browser.get("/en/dashboard")).text()).not.toMatch(/is connected/);
  expect(await page.text()).not.toMatch(/\bconnected and working|is connected/i);
});

test("what has no address is said to be checked where it could be wrong", async () => {
  const noticeFor = async (form: Record<string, string>) =>
    textOf(await browser.submit(MUSIC, { do: "connect", ...form }), ".connected .notice p");
  expect(await noticeFor({ source: "mpris", "option-player": "" })).toBe(
    "MPRIS is added, but can’t be reached yet. Check that Marquee runs in your own desktop session, as your players do. It keeps trying.",
  );
  expect(await noticeFor({ source: "file", "option-path": "/nowhere/song.txt" })).toBe(
    "Text file was added. Text file: Marquee finds no such file on this computer, or may not read it. If you entered a path, check it.",
  );
});
