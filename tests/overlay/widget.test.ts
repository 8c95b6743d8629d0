import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createWidgetToken } from "../../src/accounts/credential.ts";
import { type Language, LANGUAGES, languageTag } from "../../src/languages.ts";
import type { Playback } from "../../src/playback.ts";
import type { WidgetSetup } from "../../widget/page.tsx";
import { addressesIn, attributeOf, outlineOf, textOf } from "../fixtures/http/html.ts";
import { patternPicture, solidPicture } from "../fixtures/sources/pictures.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { AS_GIVEN } from "../../src/titles/shown-names.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { mendText, unmended } from "../../src/titles/mend-text.ts";

let server: TestServer;
let ada: AddedUser;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
});
afterEach(() => server.close());

const page = (query = "", language = "en") =>
  server.get(`/${language}/widget/${ada.widgetToken}${query}`);
const plays = async (changes: Partial<Playback> = {}) => {
  const observedAtMs = server.clock.monotonicMs();
  await server.sourceOf(ada).says(aPlayback({ observedAtMs, ...changes }));
};
const hearsTitle = (title: string) =>
  plays({ track: { id: "1", title, durationMs: 200_000, explicit: false } });
const stateOf = async (response: Response) => attributeOf(response, "html", "data-np-state");
const setupOf = async (response: Response) =>
  JSON.parse((await attributeOf(response, "html", "data-np-setup")) ?? "") as WidgetSetup;

describe("a token that shows nobody", () => {
  const everything = async (response: Response) => ({
    status: response.status,
    headers: [...response.headers],
    body: await response.text(),
  });

  test.each(LANGUAGES)("is answered alike whether it ever existed or not: %s", async (language) => {
    const rotated = ada.widgetToken;
    await server.accounts.widgets.rotate(ada.user, 1);
    const answers = await Promise.all(
      [rotated, createWidgetToken(), "mqw_malformed", ada.key].map(async (token) =>
        everything(await server.get(`/${language}/widget/${token}`)),
      ),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]!);
    expect(answers[0]?.status).toBe(404);
    expect(answers[0]?.body).toContain(`<html lang="${languageTag(language)}"`);
  });

  test("is answered alike in each language by another text", async () => {
    const titles = await Promise.all(
      LANGUAGES.map(async (language) => textOf(await server.get(`/${language}/widget/x`), "h1")),
    );
    expect(new Set(titles).size).toBe(5);
  });
});

describe("a saved look", () => {
  beforeEach(() => plays());

  const save = async (options: Record<string, string>, css = "") => {
    const { widgets } = server.accounts;
    const { id, revision } = await widgets.first(ada.user);
    await widgets.save(ada.user, id, { options, css, size: null }, { basedOn: revision });
  };

  test("is what the page shows, below what its address asks for", async () => {
    await save({ theme: "vinyl", size: "20", label: "0" });
    expect((await setupOf(await page())).options).toMatchObject({
      theme: "vinyl",
      size: 20,
      label: false,
    });
    expect((await setupOf(await page("?theme=bar&label=1"))).options).toMatchObject({
      theme: "bar",
      size: 20,
      label: true,
    });
    expect((await setupOf(await page("?theme=nonsense"))).options).toMatchObject({
      theme: "vinyl",
    });
  });

  test("with options of a newer version, or wrong ones, still shows the rest", async () => {
    await save({ theme: "bar", size: "huge", hologram: "1", demo: "1", __proto__: "1" });
    const { options, warnings } = await setupOf(await page());
    expect(options).toMatchObject({ theme: "bar", size: null, demo: "0" });
    expect(warnings).toEqual([]);
  });

  test("has its CSS after ours, and nothing in it ends the style element", async () => {
    await save({}, '.np-title::before{content:"</style><script>alert(1)</script>"}');
    const text = await (await page()).text();
    expect(text).toContain('content:"<\\/style><script>alert(1)<\\/script>"');
    expect(text.indexOf("np-widget-styles")).toBeGreaterThan(text.indexOf("np-cover-styles"));
    expect(text.match(/<script/g)).toHaveLength(2);
  });

  test("has the widget's language, if it has one, in place of the address's", async () => {
    const { widgets } = server.accounts;
    const first = await widgets.first(ada.user);
    const speak = (language: Language | null) =>
      widgets.save(ada.user, first.id, first, { basedOn: first.revision, language });
    await speak("de");
    expect(await attributeOf(await page("", "fr"), "html", "lang")).toBe("de");
    await speak(null);
    expect(await attributeOf(await page("", "fr"), "html", "lang")).toBe("fr");
  });
});

test.each(["text", "card"] as const)("a %s's token opens no overlay", async (kind) => {
  const { widgets } = server.accounts;
  const { id } = await widgets.add(ada.user, { name: kind, kind });
  const token = widgets.tokenOf(ada.user, id);
  for (const path of ["", "/launcher", "/live"]) {
    expect((await server.get(`/en/widget/${token}${path}`)).status).toBe(404);
  }
});

test.each(["xx", "EN", "constructor", "en-US"])("%s is no language: 404", async (language) => {
  expect((await page("", language)).status).toBe(404);
});

describe("the overlay's headers", () => {
  const headers = async () => {
    await plays();
    return (await page()).headers;
  };

  test("keep it out of caches, referrers, type guessing and other sites' scripts", async () => {
    const found = await headers();
    expect(found.has("access-control-allow-origin")).toBe(false);
    expect(found.get("content-type")).toBe("text/html; charset=utf-8");
    expect(found.get("cache-control")).toBe("no-store");
    expect(found.get("referrer-policy")).toBe("no-referrer");
    expect(found.get("x-content-type-options")).toBe("nosniff");
  });

  test("let previews embed it", async () => {
    const found = await headers();
    expect(found.has("x-frame-options")).toBe(false);
    expect(found.get("content-security-policy")).toMatch(
      /frame-ancestors \*|^(?!.*frame-ancestors)/,
    );
  });

  test("let nothing in but our own and the streamer's inline styles", async () => {
    const policy = (await headers()).get("content-security-policy") ?? "";
    const directives = new Map(
      policy.split(";").map((one) => {
        const [name = "", ...sources] = one.trim().split(/\s+/);
        return [name, sources.join(" ")] as const;
      }),
    );
    expect(directives.get("default-src")).toBe("'none'");
    expect(directives.get("script-src")).toBe("'self'");
    // A nonce or a hash would switch 'unsafe-inline' off, and with it the CSS that OBS injects.
    expect(directives.get("style-src")).toBe("127.0.0.1:4747/assets/ 'unsafe-inline'");
    expect(directives.get("connect-src")).toBe("'self'");
    expect(directives.get("img-src")).toBe(
      "127.0.0.1:4747/art/ 127.0.0.1:4747/covers/ 127.0.0.1:4747/assets/ data:",
    );
    expect(directives.get("font-src")).toBe("127.0.0.1:4747/fonts/ data:");
    expect(directives.get("base-uri")).toBe("'none'");
  });
});

describe("the overlay is drawn on the server", () => {
  test("while playing, at the position of this moment", async () => {
    await plays({ album: { name: "Slow Weather", artworks: [] } });
    await server.clock.advance(40_000);
    expect(await stateOf(await page())).toBe("playing");
    expect(await textOf(await page(), ".np-title bdi")).toBe("Paper Lanterns");
    expect(await textOf(await page(), ".np-artist bdi")).toBe("Juniper Vale");
    expect(await textOf(await page("?album=1"), ".np-album")).toBe("Slow Weather");
    expect(await textOf(await page(), ".np-elapsed")).toBe("0:50");
    expect(await textOf(await page(), ".np-duration")).toBe("3:20");
    const fill = await attributeOf(await page(), ".np-progress-fill", "style");
    expect(fill).toBe("transform:scaleX(0.2500)");
  });

  test("without clock and bar when the position is not known", async () => {
    await plays();
    const shown = async (name: string) =>
      (await attributeOf(await page(), name, "hidden")) === undefined;
    expect([await shown(".np-time"), await shown(".np-progress")]).toEqual([true, true]);
    await plays({ positionUnknown: true });
    server.hub.stop();
    expect([await shown(".np-time"), await shown(".np-progress")]).toEqual([false, false]);
  });

  test("while paused, at the position of the pause", async () => {
    await plays({ state: "paused" });
    await server.clock.advance(40_000);
    expect(await stateOf(await page())).toBe("paused");
    expect(await textOf(await page(), ".np-elapsed")).toBe("0:10");
  });

  test("while nothing plays", async () => {
    await server.sourceOf(ada).says(null);
    expect(await stateOf(await page())).toBe("idle");
    expect(await textOf(await page("?idle=text"), ".np-title bdi")).toBe("Nothing playing");
    expect(await textOf(await page("?idle=text&idleText=Soon"), ".np-title bdi")).toBe("Soon");
  });

  test("without a bar when the end is not known", async () => {
    await plays({ track: { id: "radio", title: "News", durationMs: null, explicit: false } });
    expect(await attributeOf(await page(), ".np-progress", "hidden")).toBeDefined();
    expect(await textOf(await page(), ".np-duration")).toBe("");
  });

  test("without waiting long for a source that has said nothing", async () => {
    const answering = page();
    await server.clock.advance(100);
    const response = await answering;
    expect(response.status).toBe(200);
    expect(await stateOf(response)).toBe("loading");
  });

  test("with the cover, from this server", async () => {
    const artworks = [{ key: "cover", load: () => patternPicture("png", 8) }];
    await plays({ album: { name: "A", artworks } });
    const source = await attributeOf(await page(), ".np-art-img", "src");
    expect(source).toMatch(/^\/art\/[\w-]{22}\/256\.webp$/);
    expect((await server.get(source ?? "")).headers.get("content-type")).toBe("image/webp");
    expect(await attributeOf(await page("?art=0"), ".np-art-img", "src")).toBeUndefined();
  });

  test("with nothing from another server", async () => {
    await plays({
      album: { name: "A", artworks: [{ key: "c", load: async () => solidPicture("#e07a5f", 8) }] },
    });
    const addresses = await addressesIn(await page());
    // At least icon, styles, script and cover.
    expect(addresses.length).toBeGreaterThanOrEqual(4);
    expect(addresses.filter((one) => !/^\/(?!\/)/.test(one))).toEqual([]);
  });
});

/** The document that streamers write their CSS against. */
const DOCUMENT = `
main.np
 div.np-card
  div.np-backdrop
  div.np-art
   svg.np-face
    rect.np-face-plate
    path.np-face-sign
   img.np-art-img
  div.np-info
   div.np-label
   div.np-title.np-marquee
    bdi.np-marquee-text
   div.np-artist.np-marquee
    bdi.np-marquee-text
   div.np-album
   div.np-progress
    div.np-progress-fill
   div.np-time
    span.np-elapsed
    span.np-duration
 p.np-sr
`.trim();

describe("the overlay's document", () => {
  test("has the public class names in the public order", async () => {
    await plays();
    expect(await outlineOf(await page(), "main")).toBe(DOCUMENT);
  });

  test("is the same in every state", async () => {
    await plays({ state: "paused" });
    expect(await outlineOf(await page(), "main")).toBe(DOCUMENT);
    await server.sourceOf(ada).says(null);
    expect(await outlineOf(await page(), "main")).toBe(DOCUMENT);
  });

  test("says theme, state and language, and what is read aloud", async () => {
    await plays();
    expect(await attributeOf(await page("", "fr"), "html", "lang")).toBe("fr");
    expect(await attributeOf(await page(), "html", "data-np-theme")).toBe("ambient");
    expect(await attributeOf(await page("", "fr"), "main", "aria-label")).toBe(
      "Musique en cours de lecture",
    );
    expect(await attributeOf(await page(), ".np-sr", "role")).toBe("status");
    expect(await attributeOf(await page(), ".np-progress", "aria-hidden")).toBe("true");
    expect(await attributeOf(await page(), ".np-time", "aria-hidden")).toBe("true");
    expect(await attributeOf(await page(), ".np-art-img", "alt")).toBe("");
    expect(await attributeOf(await page(), ".np-title bdi", "dir")).toBe("auto");
  });
});

describe.each([
  ["en", "Now playing", "Paused", "Nothing playing", "by"],
  ["fr", "En cours de lecture", "En pause", "Aucune lecture en cours", "de"],
  ["es", "Reproduciendo", "En pausa", "Nada en reproducción", "de"],
  ["pt", "Tocando agora", "Pausado", "Nada tocando", "de"],
  ["de", "Läuft gerade", "Pausiert", "Keine Wiedergabe", "von"],
])("in %s the overlay says", (language, nowPlaying, paused, nothingPlaying, by) => {
  const label = async (query: string) => textOf(await page(query, language), ".np-label");

  test("that music plays, and by which service if that is asked for", async () => {
    await plays({ source: "Spotify" });
    expect(await label("")).toBe(nowPlaying);
    expect(await label("?source=1")).toBe(`${nowPlaying} · Spotify`);
    expect(await label("?label=0&source=1")).toBe("Spotify");
    expect(await label("?label=0")).toBe("");
  });

  test("that it is paused", async () => {
    await plays({ state: "paused" });
    expect(await label("")).toBe(paused);
  });

  test("that there is none", async () => {
    await server.sourceOf(ada).says(null);
    expect(await textOf(await page("?idle=text", language), ".np-title bdi")).toBe(nothingPlaying);
  });

  test("the same in the browser", async () => {
    await plays();
    const { words } = await setupOf(await page("", language));
    expect(words).toMatchObject({ nowPlaying, paused, nothingPlaying, by });
  });
});

describe("a hostile text", () => {
  const hearsEverywhere = (shown: string) => {
    const text = unmended(shown);
    return plays({
      source: text,
      track: { id: text, title: text, durationMs: 200_000, explicit: false },
      artists: [text],
      album: { name: text, artworks: [] },
      device: { name: text, type: text, volumePercent: null },
    });
  };
  let harmless: string;
  beforeEach(async () => {
    await server.accounts.privacy.change(ada.user, { titles: AS_GIVEN });
    await plays();
    harmless = await outlineOf(await page(), "html");
  });

  const expectShownAsText = async (text: string) => {
    const query = `?album=1&source=1&idle=text&idleText=${encodeURIComponent(text.slice(0, 80))}`;
    const shown = await (await page(query)).text();
    const answer = () => new Response(shown);
    expect(await outlineOf(answer(), "html")).toBe(harmless);
    expect(await textOf(answer(), ".np-title bdi")).toBe(text);
    expect(await textOf(answer(), ".np-artist bdi")).toBe(text);
    expect(await textOf(answer(), ".np-album")).toBe(text);
    // A name that is no service's is not shown.
    expect(await textOf(answer(), ".np-label")).toBe("Now playing");
  };

  test("of any letters is shown as it is", async () => {
    const pieces = fc.constantFrom(
      "<",
      ">",
      '"',
      "'",
      "&",
      "/",
      "=",
      " ",
      "lt;",
      "b",
      "script",
      "!--",
    );
    const texts = fc.oneof(
      fc.string({ minLength: 1, unit: "grapheme" }),
      fc.array(pieces, { minLength: 1, maxLength: 12 }).map((some) => some.join("")),
    );
    const names = texts.filter((text) => /[\p{L}\p{N}]/u.test(text) && mendText(text) === text);
    await fc.assert(
      fc.asyncProperty(names, async (text) => {
        await hearsEverywhere(text);
        await expectShownAsText(text);
      }),
      {
        numRuns: 60,
        examples: [["</title></style></script><script>alert(1)//"], ["\u0000<b>\u0000"]],
      },
    );
  });
});

describe("the options in the query", () => {
  beforeEach(() => hearsTitle("Paper Lanterns"));
  const stylesOf = async (query: string) =>
    (await (await page(query)).text()).match(/<style.*?<\/style>/gs)?.join("") ?? "";

  test("that are wrong keep no right one out", async () => {
    const { options, warnings } = await setupOf(await page("?bg=nonsense&speed=99&size=nonsense"));
    expect(options.speed).toBe(99);
    expect(warnings).toHaveLength(2);
  });

  test("that nobody knows change nothing", async () => {
    const query = "?__proto__=1&constructor=2&toString=3&unknown=4&api_key=5";
    expect(await (await page(query)).text()).toBe(await (await page()).text());
  });

  test("set the custom properties", async () => {
    const styles = await stylesOf("?bg=000&color=fff&accent=ff0080&radius=4&font=Fira Sans");
    expect(styles).toContain("--np-panel:0 0 0;");
    expect(styles).toContain("--np-fg:#fff");
    expect(styles).toContain("--np-accent:#ff0080");
    expect(styles).toContain("--np-radius:4px");
    expect(styles).toContain('--np-font:"Fira Sans",');
  });

  test("reach the browser letter by letter, whatever HTML would make of them", async () => {
    const pieces = fc.constantFrom("&", "&quot;", "&#34;", "&lt", '"', "\\", "<", ">", "'", "é");
    const texts = fc.oneof(
      fc.string({ maxLength: 20, unit: "grapheme" }),
      fc.array(pieces, { maxLength: 12 }).map((some) => some.join("")),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const response = await page(`?idleText=${encodeURIComponent(text)}`);
        const raw = /data-np-setup="([^"]*)"/.exec(await response.clone().text())?.[1] ?? "&";
        // Browsers know thousands of entities, so none may stand here but the quotation mark's.
        expect(raw.replaceAll("&#34;", "")).not.toContain("&");
        expect((await setupOf(response)).options.idleText).toBe(text);
      }),
    );
  });
});
