import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import type { Artwork, Playback } from "../../src/playback.ts";
import { charactersReadBy } from "../fixtures/characters-read.ts";
import { type AddedWidget, addWidget } from "../fixtures/data/widgets.ts";
import { attributeOf } from "../fixtures/http/html.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { noisePicture, solidPicture } from "../fixtures/sources/pictures.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

let server: TestServer;
let ada: AddedUser;
let card: AddedWidget;

const BASE_URL = "https://music.example/np";

beforeEach(async () => {
  server = await createTestServer({ baseUrl: BASE_URL });
  ada = await server.addUser("ada");
  card = await addWidget(server, ada, "card");
});
afterEach(() => server.close());

const ask = (query = "", headers: Record<string, string> = {}) =>
  server.get(`/np/en/card/${card.token}.svg${query}`, { headers });
const drawn = async (query = "") => (await ask(query)).text();
const plays = (changes: Partial<Playback> = {}) =>
  server.sourceOf(ada).says(aPlayback({ observedAtMs: server.clock.monotonicMs(), ...changes }));
const covered = (bytes: Uint8Array): Partial<Playback> => {
  const artwork: Artwork = { key: "cover", load: async () => bytes };
  return { album: { name: "Slow Weather", artworks: [artwork] } };
};

describe("the card", () => {
  test("is an SVG file that proxies of pictures ask for again, and that may load nothing", async () => {
    await plays();
    const response = await ask();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/svg+xml; charset=utf-8",
      "cache-control": "no-cache, max-age=0",
      "content-security-policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
      "x-content-type-options": "nosniff",
    });
    const svg = await response.text();
    expect(svg).toStartWith("<svg ");
    expect(svg).toContain('width="400" height="100"');
    expect(svg).toContain('role="img"');
    expect(svg).toContain("<title>Now playing: Paper Lanterns by Juniper Vale</title>");
    expect(svg).not.toContain("foreignObject");
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:|url\((?!#)/);
  });

  test.each(["«ضوء القمر»", "«𞤀𞤣𞤤𞤢𞤥»"])("writes from right to left: %s", async (title) => {
    const { track } = aPlayback();
    await plays({ track: { ...track, title } });
    expect(await drawn()).toMatch(/class="title" x="\d+" direction="rtl"/);
  });

  test.each([
    ["a service that viewers know", "Spotify", "", "Now playing · Spotify"],
    ["no program or protocol", "JSON", "", "Now playing"],
    ["nothing where its option says so", "Spotify", "?source=0", "Now playing"],
  ])("names %s", async (_, source, query, label) => {
    await plays({ source });
    expect(await drawn(query)).toContain(`>${label}<`);
  });

  test("is not sent again while it is the same, and is after a change", async () => {
    await plays();
    const tag = (await ask()).headers.get("etag") ?? "";
    await server.clock.advance(1_000);
    const same = await ask("", { "if-none-match": `"other", W/${tag}` });
    expect(same.status).toBe(304);
    expect(same.headers.get("etag")).toBe(tag);
    expect(same.headers.get("cache-control")).toBe("no-cache, max-age=0");
    expect(await same.text()).toBe("");
    await plays({ track: { id: "2", title: "Other", durationMs: 1_000, explicit: false } });
    expect((await ask("", { "if-none-match": tag })).status).toBe(200);
  });

  test("moves its bar by itself from the position to the end, and not in a pause", async () => {
    await plays({ positionMs: 50_000 });
    expect(await drawn()).toContain("animation:run 150s linear forwards");
    await plays({ positionMs: 50_000, state: "paused" });
    expect(await drawn()).not.toContain("animation");
  });

  test("has no bar where the position or the length is not known, or nobody wants it", async () => {
    const bar = /class="bar"/;
    await plays({ positionUnknown: true });
    expect(await drawn()).not.toMatch(bar);
    await plays({ track: { id: "2", title: "Other", durationMs: 9_000, explicit: false } });
    expect(await drawn()).toMatch(bar);
    expect(await drawn("?progress=0")).not.toMatch(bar);
    await plays({ track: { id: "3", title: "Radio", durationMs: null, explicit: false } });
    expect(await drawn()).not.toMatch(bar);
  });

  test("is dark or light as it is saved or asked for, and like its reader's otherwise", async () => {
    await plays();
    const scheme = "prefers-color-scheme";
    expect(await drawn()).toContain(scheme);
    expect(await drawn("?mode=light")).not.toContain(scheme);
    await card.save({ mode: "dark" });
    expect(await drawn()).not.toContain(scheme);
    expect(await drawn("?mode=auto")).toContain(scheme);
    expect(await drawn("?mode=nonsense")).not.toContain(scheme);
  });

  test("is idle with status 200 when nothing plays, or a song is hidden, or nothing answers", async () => {
    await server.sourceOf(ada).says(null);
    const idle = await ask();
    expect(idle.status).toBe(200);
    expect(await idle.text()).toContain("Nothing playing</text>");
    const bob = await server.addUser("bob");
    const { token } = await addWidget(server, bob, "card");
    const asked = server.get(`/np/en/card/${token}.svg`);
    await server.clock.advance(2_000);
    expect(await (await asked).text()).toContain("Nothing playing</text>");
  });

  test("carries its cover as a small JPEG, and has at most 30 KB whatever the cover", async () => {
    await plays(covered(solidPicture("#e07a5f", 600)));
    expect(await drawn()).toContain('href="data:image/jpeg;base64,');
    const title = "夜".repeat(1_000);
    await plays({
      ...{ track: { id: "2", title, durationMs: 200_000, explicit: false }, artists: [title] },
      album: { name: "", artworks: [{ key: "noise", load: async () => noisePicture(600) }] },
    });
    const svg = await drawn();
    expect(svg).toContain("data:image/jpeg");
    expect(Buffer.byteLength(svg)).toBeLessThan(30_000);
  });

  test("has at most 30 KB, and reads of names what it shows, however many artists there are", async () => {
    const artists = Array<string>(50).fill("夜 & ".repeat(250));
    await plays({ artists });
    expect(Buffer.byteLength(await drawn())).toBeLessThan(30_000);
    expect(await charactersReadBy(() => drawn(), ["normalize"])).toBeLessThan(10_000);
  });

  test("is drawn without its cover when that cannot be read or is too slow", async () => {
    await plays(covered(new Uint8Array([1, 2, 3])));
    expect(await drawn()).not.toContain("data:image");
    const never: Artwork = { key: "never", load: () => new Promise(() => {}) };
    await plays({ album: { name: "", artworks: [never] } });
    const asked = drawn();
    await server.clock.advance(2_000);
    expect(await asked).not.toContain("data:image");
  });

  test("is 404 for a token that opens no card, which counts as a guess", async () => {
    await plays();
    const wrong = () => server.get(`/np/en/card/${ada.widgetToken}.svg`);
    for (let times = 0; times < 10; times++) expect((await wrong()).status).toBe(404);
    expect((await wrong()).status).toBe(429);
    expect((await ask("")).status).toBe(200);
  });
});

describe("the page around the card", () => {
  const page = () => server.get(`/np/en/card/${card.token}`);
  const property = async (name: string) =>
    attributeOf(await page(), `meta[property="og:${name}"]`, "content");

  test("tells chats the song and its cover, at an absolute address below the base URL", async () => {
    await plays({
      ...covered(solidPicture("#e07a5f")),
      track: { id: "1", title: 'A "B" <C> & D', durationMs: 1_000, explicit: false },
    });
    expect(await property("title")).toBe('A "B" <C> & D – Juniper Vale');
    expect(await property("url")).toBe(`${BASE_URL}/en/card/${card.token}`);
    const picture = (await property("image")) ?? "";
    expect(picture).toStartWith(`${BASE_URL}/art/`);
    const cover = await server.get(new URL(picture).pathname);
    expect(cover.headers.get("content-type")).toBe("image/jpeg");
  });

  test("shows the card, also when nothing plays", async () => {
    await server.sourceOf(ada).says(null);
    const response = await page();
    expect(response.status).toBe(200);
    expect(await attributeOf(response.clone(), ".shared-card img", "src")).toBe(
      `/np/en/card/${card.token}.svg`,
    );
    expect(await property("title")).toBe("Nothing playing");
    expect(await property("image")).toBeUndefined();
  });
});
