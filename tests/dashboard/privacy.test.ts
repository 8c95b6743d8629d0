import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { hidesTrack, NOTHING_HIDDEN, UNTIL_RESUMED } from "../../src/accounts/privacy.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { CLEANED } from "../../src/titles/shown-names.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import { aKeptSong } from "../fixtures/data/kept-song.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PATH = "/en/dashboard/settings/privacy";
const HOUR_MS = 3_600_000;
const { privacy: t } = languages.en.dashboard;
const AT_FIRST = { ...NOTHING_HIDDEN, titles: CLEANED };

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
const pause = (time: "hour" | "long") => browser.submit(PATH, { do: "privacy pause", for: time });
const resume = () => browser.submit(PATH, { do: "privacy resume" });
const save = (titles: string, artists = "") =>
  browser.post(PATH, { do: "privacy rules", titles, artists });
/** The text of a field that keeps lines, without the line break that the parser drops. */
const linesIn = async (page: Response, id: string) =>
  (await textOf(page, `textarea#${id}`))?.replace(/^\n/, "");

describe("pausing", () => {
  test("is off at first, and the page shows it", async () => {
    expect(await state()).toBe(t.sharing);
  });

  test("for an hour shows until when, and is over by itself", async () => {
    const page = await pause("hour");
    expect(await textOf(page.clone(), ".notice p")).toBe(t.nowPaused);
    expect(await stateOn(page)).toMatch(/^Sharing is paused until \d.+ automatically\.$/);
    expect(rules().pausedUntil).toBe(START_MS + HOUR_MS);
    await server.clock.advance(HOUR_MS - 1);
    expect(await state()).toContain("paused");
    await server.clock.advance(1);
    expect(await state()).toBe(t.sharing);
  });

  test("until further notice does not end, but by resuming", async () => {
    expect(await stateOn(await pause("long"))).toBe(t.paused);
    expect(rules().pausedUntil).toBe(UNTIL_RESUMED);
    await server.clock.advance(20 * 86_400_000);
    expect(await state()).toBe(t.paused);
    const page = await resume();
    expect(await textOf(page.clone(), ".notice p")).toBe(t.nowSharing);
    expect(await stateOn(page)).toBe(t.sharing);
    expect(rules().pausedUntil).toBe(null);
  });

  test("offers only what makes a difference", async () => {
    const offered = async () => {
      const page = await (await browser.get(PATH)).text();
      return ['value="hour"', 'value="long"', 'value="privacy resume"'].map((button) =>
        page.includes(button),
      );
    };
    expect(await offered()).toEqual([true, true, false]);
    await pause("hour");
    expect(await offered()).toEqual([false, true, true]);
    await pause("long");
    expect(await offered()).toEqual([false, false, true]);
  });

  test("leaves the rules as they are, and the rules leave it", async () => {
    await save("Wall", "Juniper");
    await pause("long");
    const paused = { ...AT_FIRST, pausedUntil: UNTIL_RESUMED };
    expect(rules()).toEqual({ ...paused, hiddenTitles: ["Wall"], hiddenArtists: ["Juniper"] });
    await save("Waltz");
    expect(rules()).toEqual({ ...paused, hiddenTitles: ["Waltz"] });
  });
});

describe("rules", () => {
  test("are lines, whatever ends them, without spaces around them, empty and repeated ones", async () => {
    await save(
      "  Wall \r\n\r\n\t\r\nfirst dance\nWall\rone\u000btwo\u0085three\u2028four",
      "A & B <x>",
    );
    const titles = ["Wall", "first dance", "one", "two", "three", "four"];
    expect(rules()).toMatchObject({ hiddenTitles: titles, hiddenArtists: ["A & B <x>"] });
    const page = await browser.get(PATH);
    expect(await linesIn(page.clone(), "titles")).toBe(titles.join("\n"));
    expect(await linesIn(page, "artists")).toBe("A & B <x>");
  });

  test.each(["\u0301", "´", "\u3000 \u00a0"])("are not made of accents alone: %j", async (line) => {
    await save(`${line}\nWall`, line);
    expect(rules()).toMatchObject({ hiddenTitles: ["Wall"], hiddenArtists: [] });
  });

  test("stay where only others are named", async () => {
    await save("Wall", "Juniper");
    await browser.post(PATH, { do: "privacy rules", artists: "" });
    expect(rules()).toMatchObject({ hiddenTitles: ["Wall"], hiddenArtists: [] });
  });

  test("may be 100 lines of 200 characters of any script, as their form sends them", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `${index} `.padEnd(200, "夜"));
    const type = await attributeOf(await browser.get(PATH), "form.wide", "enctype");
    expect(type).toBe("multipart/form-data");
    const body = new FormData();
    body.set("token", browser.formToken);
    body.set("do", "privacy rules");
    for (const field of ["titles", "artists"]) body.set(field, lines.join("\r\n"));
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
      const mistake = `${field}-mistake`;
      expect(await textOf(page.clone(), `#${mistake}`)).toBe("At most 100 lines: there are 101.");
      expect(await attributeOf(page.clone(), `#${field}`, "aria-describedby")).toContain(mistake);
      expect(await linesIn(page.clone(), "titles")).toBe(fields.titles);
      expect(await linesIn(page, "artists")).toBe(fields.artists);
      expect(rules()).toEqual(AT_FIRST);
    },
  );

  test("with a line of 201 characters are refused, and the line is named as it was typed", async () => {
    const page = await save(`\n\nshort\n${"x".repeat(201)}\n`);
    expect(await textOf(page, "#titles-mistake")).toBe(
      "At most 200 characters per line: line 4 has 201.",
    );
    expect(rules()).toEqual(AT_FIRST);
  });

  test("are written as text", async () => {
    await save("</textarea><script>alert(1)</script>", "&lt;b&gt;");
    const page = await browser.get(PATH);
    expect(await page.clone().text()).not.toContain("<script>alert");
    expect(await linesIn(page.clone(), "titles")).toBe("</textarea><script>alert(1)</script>");
    expect(await linesIn(page, "artists")).toBe("&lt;b&gt;");
  });
});

describe("one title", () => {
  const hide = (title: string) => browser.submit(PATH, { do: "privacy hide", title });
  const titles = () => rules().hiddenTitles;
  const undoOf = (page: Response) => attributeOf(page, ".undo [name=title]", "value");

  test("is hidden besides those of the rules, and the notice takes it back", async () => {
    await save("Wall");
    const page = await hide("Paper Lanterns");
    expect(titles()).toEqual(["Wall", "Paper Lanterns"]);
    expect(await textOf(page.clone(), ".notice p")).toContain("“Paper Lanterns”");
    expect(await attributeOf(page.clone(), ".undo [name=do]", "value")).toBe("privacy show");
    const title = (await undoOf(page)) ?? "";
    await browser.submit(PATH, { do: "privacy show", title });
    expect(titles()).toEqual(["Wall"]);
  });

  test("that is hidden already stays so, and nothing takes that back", async () => {
    await save("Wall");
    const page = await hide("Wall");
    expect(titles()).toEqual(["Wall"]);
    expect(await undoOf(page)).toBeUndefined();
  });

  test("that is longer than a rule is hidden by its beginning", async () => {
    const title = "夜".repeat(199) + " 𝄞".repeat(200);
    await hide(title);
    expect(titles()).toEqual(["夜".repeat(199)]);
    expect(hidesTrack(rules(), { track: { title }, artists: [] })).toBe(true);
  });

  test("beyond a hundred is refused, and so is one of accents alone", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    await save(lines.join("\n"));
    const full = await hide("Wall");
    expect(await textOf(full, ".notice.bad p")).toContain("100 titles");
    const accents = await browser.post(PATH, { do: "privacy hide", title: "\u0301" });
    expect(accents.status).toBe(422);
    expect(await textOf(accents, ".notice.bad p")).toContain("no characters");
    expect(titles()).toEqual(lines);
  });
});

describe("trying rules before they are saved", () => {
  const tryOut = (titles: string, artists = "") =>
    browser.post(PATH, { do: "try rules", titles, artists });
  const play = async (count: number) => {
    const { history } = server.accounts;
    await history.change(ada.user, { keeps: "always", followsStreams: false });
    for (let at = 1; at <= count; at++) {
      await history.note(
        ada.user.id,
        aKeptSong({ startedAt: START_MS + at }, at % 3 === 0 ? "Night Edit" : `Song ${at}`),
      );
    }
  };
  const countedOn = (page: Response) => textOf(page, "[role=status].idle");

  test("counts what they would hide of the last 300 songs, and saves nothing", async () => {
    await play(310);
    const page = await tryOut("night EDIT\n", "");
    expect(page.status).toBe(200);
    const text = fill(t.hides, { count: "100", total: "300" });
    expect(await countedOn(page.clone())).toBe(text);
    expect(await linesIn(page, "titles")).toBe("night EDIT\n");
    expect(rules()).toEqual(AT_FIRST);
  });

  test("says so where there are no songs", async () => {
    expect(await countedOn(await tryOut("Night"))).toBe(t.noSongs);
  });

  test("refuses what cannot be saved beside its field", async () => {
    const refused = await tryOut("x".repeat(201));
    expect(refused.status).toBe(422);
    expect(await attributeOf(refused, "#titles", "aria-invalid")).toBe("true");
  });
});
