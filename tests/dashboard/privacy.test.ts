import { CLEANED } from "../../src/titles/shown-names.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { NOTHING_HIDDEN, UNTIL_RESUMED } from "../../src/accounts/privacy.ts";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PATH = "/en/dashboard/privacy";
const HOUR_MS = 3_600_000;
const { privacy: said } = languages.en.dashboard;

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
  ada = await server.addUser("ada");
  browser = await signIn(server, ada);
});
afterEach(() => server.close());

const rules = () => server.accounts.privacy.of(ada.user.id);
const stateOn = (page: Response) => textOf(page, "section .status");
const state = async () => stateOn(await browser.get(PATH));
const pause = (how: "hour" | "long") => browser.submit(PATH, { do: "pause", for: how });
const resume = () => browser.submit(PATH, { do: "resume" });
const save = (titles: string, artists = "") => browser.post(PATH, { do: "rules", titles, artists });
/** The text of a field that keeps lines, without the line break that the parser drops. */
const linesIn = async (page: Response, id: string) =>
  (await textOf(page, `textarea#${id}`))?.replace(/^\n/, "");

describe("rules that were pasted", () => {
  test("are one for each line, whatever ends it", async () => {
    await save("one\r\ntwo\u000bthree\u0085four\u2028five");
    expect(rules().hiddenTitles).toEqual(["one", "two", "three", "four", "five"]);
  });
});

describe("pausing", () => {
  test("is off at first, and the page says so", async () => {
    expect(await state()).toBe(said.sharing);
  });

  test("for an hour says until when, and is over by itself", async () => {
    const page = await pause("hour");
    expect(await textOf(page.clone(), ".notice p")).toBe(said.nowPaused);
    expect(await stateOn(page)).toMatch(/^Sharing is paused until \d.+ automatically\.$/);
    expect(rules().pausedUntil).toBe(START_MS + HOUR_MS);
    await server.clock.advance(HOUR_MS - 1);
    expect(await state()).toContain("paused");
    await server.clock.advance(1);
    expect(await state()).toBe(said.sharing);
  });

  test("until further notice does not end, but by resuming", async () => {
    expect(await stateOn(await pause("long"))).toBe(said.paused);
    expect(rules().pausedUntil).toBe(UNTIL_RESUMED);
    await server.clock.advance(20 * 86_400_000);
    expect(await state()).toBe(said.paused);
    const page = await resume();
    expect(await textOf(page.clone(), ".notice p")).toBe(said.nowSharing);
    expect(await stateOn(page)).toBe(said.sharing);
    expect(rules().pausedUntil).toBe(null);
  });

  test("offers only what makes a difference", async () => {
    const offered = async () => {
      const text = await (await browser.get(PATH)).text();
      return {
        hour: text.includes('value="hour"'),
        long: text.includes('value="long"'),
        resume: text.includes('value="resume"'),
      };
    };
    expect(await offered()).toEqual({ hour: true, long: true, resume: false });
    await pause("hour");
    expect(await offered()).toEqual({ hour: false, long: true, resume: true });
    await pause("long");
    expect(await offered()).toEqual({ hour: false, long: false, resume: true });
  });

  test("leaves the rules as they are, and the rules leave it", async () => {
    await save("Wall", "Juniper");
    await pause("long");
    expect(rules()).toEqual({
      pausedUntil: UNTIL_RESUMED,
      hiddenTitles: ["Wall"],
      hiddenArtists: ["Juniper"],
      titles: CLEANED,
      searchesCovers: false,
      replacesCoversOf: new Set(),
    });
    await save("Waltz");
    expect(rules()).toEqual({
      pausedUntil: UNTIL_RESUMED,
      hiddenTitles: ["Waltz"],
      hiddenArtists: [],
      titles: CLEANED,
      searchesCovers: false,
      replacesCoversOf: new Set(),
    });
  });

  test("is nobody else's", async () => {
    const grace = await server.addUser("grace");
    await pause("long");
    expect(server.accounts.privacy.of(grace.user.id)).toEqual({
      ...NOTHING_HIDDEN,
      titles: CLEANED,
      searchesCovers: false,
      replacesCoversOf: new Set(),
    });
  });
});

describe("rules", () => {
  test("hide what matches from the moment they are saved", async () => {
    await server.sourceOf(ada).says(aPlayback());
    const data = async () =>
      ((await (await server.getAs(ada, "/api/v1/now-playing")).json()) as { data: unknown }).data;
    const known = data();
    await server.sourceOf(ada).says(aPlayback());
    expect(await known).not.toBe(null);
    expect((await save("lanterns")).status).toBe(303);
    expect(await data()).toBe(null);
    await save("");
    expect(await data()).not.toBe(null);
    await save("", "JUNIPER");
    expect(await data()).toBe(null);
  });

  test("are lines, without spaces around them, empty ones and repeated ones", async () => {
    await save("  Wall \r\n\r\n\t\r\nfirst dance\nWall\r", "A & B <x>");
    expect(rules()).toMatchObject({
      hiddenTitles: ["Wall", "first dance"],
      hiddenArtists: ["A & B <x>"],
    });
    const page = await browser.get(PATH);
    expect(await linesIn(page.clone(), "titles")).toBe("Wall\nfirst dance");
    expect(await linesIn(page, "artists")).toBe("A & B <x>");
  });

  test.each(["\u0301", "´", "\u3000 \u00a0"])("are not made of accents alone: %j", async (line) => {
    await save(`${line}\nWall`, line);
    expect(rules()).toMatchObject({ hiddenTitles: ["Wall"], hiddenArtists: [] });
  });

  test("may be 100 lines of 200 characters", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `${index} `.padEnd(200, "é"));
    expect((await save(lines.join("\n"), lines.join("\n"))).status).toBe(303);
    expect(rules().hiddenTitles).toEqual(lines);
    expect(rules().hiddenArtists).toEqual(lines);
  });

  test("may be a hundred names of forty letters of any script, as their form sends them", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `${index} `.padEnd(40, "夜"));
    const type = await attributeOf(await browser.get(PATH), "form.wide", "enctype");
    expect(type).toBe("multipart/form-data");
    const body = new FormData();
    body.set("token", browser.formToken);
    body.set("do", "rules");
    for (const field of ["titles", "artists"]) body.set(field, lines.join("\n"));
    const headers = { origin: "http://127.0.0.1:4747" };
    const sent = await browser.get(PATH, { method: "POST", body, headers });
    expect(sent.status).toBe(303);
    expect(rules()).toMatchObject({ hiddenTitles: lines, hiddenArtists: lines });
  });

  test.each(["titles", "artists"])(
    "of 101 lines are refused, beside the field and with all that was typed: %s",
    async (field) => {
      const typed = Array.from({ length: 101 }, (_, index) => `line ${index}`).join("\n");
      const fields = { titles: "one\n\ntwo ", artists: " three", [field]: typed };
      const page = await save(fields.titles, fields.artists);
      expect(page.status).toBe(422);
      expect(await textOf(page.clone(), `#${field}-mistake`)).toBe(
        "At most 100 lines: you have 101.",
      );
      expect(await attributeOf(page.clone(), `#${field}`, "aria-invalid")).toBe("true");
      expect(await attributeOf(page.clone(), `#${field}`, "aria-describedby")).toContain(
        `${field}-mistake`,
      );
      expect(await linesIn(page.clone(), "titles")).toBe(fields.titles);
      expect(await linesIn(page, "artists")).toBe(fields.artists);
      expect(rules()).toEqual({ ...NOTHING_HIDDEN, titles: CLEANED });
    },
  );

  test("with a line of 201 characters are refused, and the line is named as it was typed", async () => {
    const page = await save(`\n\nshort\n${"x".repeat(201)}\n`);
    expect(page.status).toBe(422);
    expect(await textOf(page.clone(), "#titles-mistake")).toBe(
      "At most 200 characters per line: line 4 has 201.",
    );
    expect(await linesIn(page, "titles")).toBe(`\n\nshort\n${"x".repeat(201)}\n`);
    expect(rules()).toEqual({ ...NOTHING_HIDDEN, titles: CLEANED });
  });

  test("are written as text", async () => {
    await save("</textarea><script>alert(1)</script>", "&lt;b&gt;");
    const page = await browser.get(PATH);
    expect(await page.clone().text()).not.toContain("<script>alert");
    expect(await linesIn(page.clone(), "titles")).toBe("</textarea><script>alert(1)</script>");
    expect(await linesIn(page, "artists")).toBe("&lt;b&gt;");
  });
});

test.each(LANGUAGES)("the page says in %s what others see then", async (language) => {
  const { dashboard } = languages[language];
  const page = await browser.get(`/${language}/dashboard/privacy`);
  expect(await textOf(page.clone(), "h1")).toBe(dashboard.sections.privacy);
  const text = await page.text();
  expect(text).toContain(dashboard.privacy.whilePaused);
  expect(text).toContain(dashboard.privacy.rulesText);
});

test("a form from elsewhere changes nothing", async () => {
  const headers = { origin: "https://evil.example" };
  expect((await browser.post(PATH, { do: "pause", for: "long" }, { headers })).status).toBe(403);
  expect(rules()).toEqual({ ...NOTHING_HIDDEN, titles: CLEANED });
});
