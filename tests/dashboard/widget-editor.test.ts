import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { groupOptions } from "../../src/looks/page/editor/groups.ts";
import { CLASS_NAMES, CUSTOM_PROPERTIES } from "../../src/looks/page/editor/css-names.ts";
import {
  pageQuery,
  previewAddress,
  readEditorQuery,
} from "../../src/looks/page/editor/editor-query.ts";
import { sourceSize } from "../../widget/source-size.ts";
import {
  optionList,
  savedOptionList,
  parseWidgetOptions,
  widgetOptions,
} from "../../widget/options.ts";
import { attributeOf, textOf } from "../fixtures/http/html.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { until } from "../fixtures/clock/waiting.ts";

const BASE_URL = "http://127.0.0.1:4747";
const PAGE = "/en/dashboard/widget";
/** The browser's types know no headers; Bun's socket takes them where browsers take protocols. */
const openAsObs = (address: string) =>
  new WebSocket(address, { headers: OBS } as unknown as string[]);
const OBS = { "user-agent": "Mozilla/5.0 Chrome/127.0.0.0 Safari/537.36 OBS/31.0.0" };

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
  browser = await signIn(server, ada);
});
afterEach(() => server.close());

/** Every value of an attribute among the elements that match, as written. */
async function all(page: Response, selector: string, name: string): Promise<string[]> {
  const found: string[] = [];
  const collect = new HTMLRewriter().on(selector, {
    element: (element) => void found.push(element.getAttribute(name) ?? ""),
  });
  await collect.transform(page.clone()).text();
  return found;
}

/** The fields that the editor's form would send. */
async function fieldsOn(page: Response): Promise<URLSearchParams> {
  const sent = new URLSearchParams();
  const collect = new HTMLRewriter().on("#widget-options input, input[form=widget-options]", {
    element(element) {
      const isChoice = ["radio", "checkbox"].includes(element.getAttribute("type") ?? "");
      if (isChoice && !element.hasAttribute("checked")) return;
      const value = element.getAttribute("value") ?? "";
      sent.append(element.getAttribute("name") ?? "", value);
    },
  });
  await collect.transform(page.clone()).text();
  return sent;
}

/** The address that the page gives for OBS. */
const addressOn = (page: Response) => textOf(page.clone(), ".address code");
const read = (query: string) => readEditorQuery(new URLSearchParams(query));
/** Ada's first widget. */
const widgetOf = (user = ada) => server.accounts.widgets.first(user.user);
/** The editor with a draft that is not saved. */
const draftPage = (query: string | URLSearchParams) => `${PAGE}?id=1&draft=1&${query}`;
const PLAIN = read("");

describe.each(LANGUAGES)("the editor in %s", (language) => {
  test("has a control for every option, under its name, and a word for every choice", async () => {
    const page = await browser.get(`/${language}/dashboard/widget?id=1`);
    const text = await page.clone().text();
    const { widget } = languages[language].dashboard;
    for (const [name, option] of optionList) {
      expect([name, await all(page, `input[name="${name}"]`, "type")]).not.toEqual([name, []]);
      // Which music the preview plays has its own words.
      if (name !== "demo") expect(text).toContain(Bun.escapeHTML(widget.labels[name]));
      if (option.type.kind !== "choice") continue;
      const words: Readonly<Record<string, string>> = widget.choices;
      for (const choice of option.type.choices) {
        expect(words[`${name}_${choice}`] ?? `no word for ${name}=${choice}`).not.toContain("=");
      }
      const values = await all(page, `input[type=radio][name="${name}"]`, "value");
      expect(values).toEqual([...option.type.choices]);
    }
  });

  test("says what it is about in that language, and offers all five for the overlay", async () => {
    const page = await browser.get(`/${language}/dashboard/widget?id=1`);
    const { widget } = languages[language].dashboard;
    expect(await textOf(page.clone(), "p.lead")).toBe(widget.lead);
    expect(await all(page, "input[name=language]", "value")).toEqual(["", ...LANGUAGES]);
    expect(await addressOn(page)).toBe(`${BASE_URL}/${language}/widget/${ada.widgetToken}`);
  });
});

describe.each(LANGUAGES)("the card that brings the widget into OBS in %s", (language) => {
  test("is hidden until its script runs, and carries what that says in that language", async () => {
    const page = await browser.get(`/${language}/dashboard/widget?id=1&draft=1&theme=bar`);
    const { sentences } = languages[language].dashboard.intoObs;
    const [carried = ""] = await all(page, "[data-into-obs][hidden]", "data-sentences");
    const plain = carried.replaceAll("&#34;", '"').replaceAll("&amp;", "&");
    expect(JSON.parse(plain)).toEqual(sentences);
    expect(await all(page, ".obs-chip[hidden]", "data-width")).toEqual(["1000"]);
    const [address] = await all(page, ".obs-chip", "data-address");
    expect(address).toBe(`${BASE_URL}/${language}/widget/${ada.widgetToken}`);
    // The forms are never sent: nothing in them has a name.
    expect(await all(page, "form[method=dialog] [name]", "name")).toEqual([]);
    const methods = await all(page, "[data-into-obs] form", "method");
    expect(methods).toEqual(["dialog", "dialog"]);
  });
});

describe("the groups", () => {
  test("have every option once", () => {
    const grouped = groupOptions().flatMap(({ options }) => options.map(([name]) => name));
    expect(grouped.toSorted()).toEqual(savedOptionList.map(([name]) => name).toSorted());
  });

  test("take in an option that nobody has placed", () => {
    // The editor offers the demo elsewhere, so that it has no place among the groups.
    expect(groupOptions(optionList).at(-1)).toMatchObject({
      name: "more",
      options: [["demo", {}]],
    });
  });
});

describe("the query", () => {
  test("says only what differs from the defaults, in the table's order", () => {
    const editorQuery = read(
      "size=20&theme=bar&mode=dark&art=1&speed=30&hideDelay=5000&bg=%23FF8800",
    );
    expect(editorQuery.search.toString()).toBe("theme=bar&bg=FF8800&size=20");
    expect(editorQuery.invalid.size).toBe(0);
  });

  test("reads the last of several values, as a form sends a switch", () => {
    expect(read("art=0&art=1").search.toString()).toBe("");
    expect(read("art=0").search.toString()).toBe("art=0");
    expect(read("album=0&album=1").search.toString()).toBe("album=1");
    expect(read("bg=%23ff8800&bg=auto&font=&size=").search.toString()).toBe("");
  });

  test("leaves the demo to the preview, and the language to the path", () => {
    const editorQuery = read("theme=glass&demo=0&language=fr");
    expect(pageQuery(editorQuery, PLAIN, 7).toString()).toBe(
      "id=7&draft=1&theme=glass&language=fr&demo=0",
    );
    const preview = (query: string) => previewAddress("/base", read(query), "T", "en");
    expect(preview("theme=glass&demo=0&language=fr")).toBe("/base/fr/widget/T?draft=1&theme=glass");
    expect(preview("theme=glass&demo=1")).toBe("/base/en/widget/T?draft=1&theme=glass&demo=1");
    expect(preview("language=xx&demo=1")).toBe("/base/en/widget/T?draft=1&demo=1");
  });

  test("of the page has no draft when it is what is saved", () => {
    const query = "theme=glass&language=fr&sourceWidth=600&sourceHeight=90";
    expect(pageQuery(read(query), read(query), 7).toString()).toBe("id=7");
    expect(pageQuery(read(query), PLAIN, 7).toString()).toBe(`id=7&draft=1&${query}`);
  });

  test("means to the overlay what the editor meant, whatever it is, and is read back the same", () => {
    const value = fc.oneof(
      fc.constantFrom("0", "1", "auto", "none", "bar", "tl", "fff", "#A1b2c3", "12.5", "007", ""),
      fc.string(),
    );
    const entry = fc.tuple(fc.constantFrom(...Object.keys(widgetOptions), "language"), value);
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const editorQuery = readEditorQuery(new URLSearchParams(entries));
        const { options, warnings } = parseWidgetOptions(editorQuery.search);
        expect(warnings).toEqual([]);
        expect(options).toEqual(editorQuery.options);
        const query = pageQuery(editorQuery, undefined, 7);
        expect(pageQuery(readEditorQuery(query), undefined, 7).toString()).toBe(query.toString());
      }),
    );
  });

  test("comes back in the controls and in the preview", async () => {
    const query = "theme=vinyl&bg=f80&font=Open+Sans&art=0&hold=5&language=de";
    const page = await browser.get(draftPage(query));
    expect(page.status).toBe(200);
    expect(await all(page, "input[name=theme][checked]", "value")).toEqual(["vinyl"]);
    expect(await all(page, "input[name=bg][type=color]", "value")).toEqual(["#ff8800"]);
    expect(await all(page, "input[name=bg][value=auto][checked]", "value")).toEqual([]);
    expect(await all(page, "input[name=font]", "value")).toEqual(["Open Sans"]);
    expect(await all(page, "input[name=art][checked]", "value")).toEqual([]);
    expect(await all(page, "input[name=hold]", "value")).toEqual(["5"]);
    const options = "theme=vinyl&bg=f80&font=Open+Sans&art=0&hold=5";
    expect(await attributeOf(page.clone(), "iframe", "src")).toBe(
      `/de/widget/${ada.widgetToken}?draft=1&${options}&demo=1`,
    );
    // What is not saved concerns neither the address nor the file that waits.
    const path = `/en/widget/${ada.widgetToken}`;
    expect(await addressOn(page)).toBe(`${BASE_URL}${path}`);
    expect(await attributeOf(page.clone(), "[data-launcher]", "href")).toBe(`${path}/launcher`);
  });

  test("that has every field of the form is made short", async () => {
    const sent = await fieldsOn(await browser.get(`${PAGE}?id=1`));
    expect(sent.size).toBeGreaterThan(savedOptionList.length);
    for (const name of ["token", "do", "basedOn", "name"]) sent.delete(name);
    sent.set("draft", "1");
    const untouched = await browser.get(`${PAGE}?${sent}`);
    expect([untouched.status, untouched.headers.get("location")]).toEqual([303, `${PAGE}?id=1`]);
    sent.set("theme", "glass");
    const chosen = await browser.get(`${PAGE}?${sent}`);
    expect(chosen.headers.get("location")).toBe(`${PAGE}?id=1&draft=1&theme=glass`);
    expect((await browser.get(draftPage("theme=glass"))).status).toBe(200);
  });
});

describe("what is not allowed", () => {
  test("stays as typed with what is wrong beside it, and the preview does without", async () => {
    const page = await browser.get(draftPage("size=999&theme=bar"));
    expect(page.status).toBe(200);
    expect(await all(page, "[aria-invalid=true]", "name")).toEqual(["size"]);
    expect(await all(page, "input[name=size]", "value")).toEqual(["999"]);
    expect(await textOf(page.clone(), "#option-size-mistake")).toBe("A number from 8 to 64.");
    expect(await all(page, ".mistake:not([hidden])", "id")).toEqual(["option-size-mistake"]);
    expect(await attributeOf(page.clone(), "iframe", "src")).toEndWith("?draft=1&theme=bar&demo=1");
  });

  test("is never markup, wherever it stands", async () => {
    const hostile = [
      `"><script>alert(1)</script>`,
      `'"&quot;<img src=x onerror=alert(1)>`,
      "&lt;b>",
    ];
    for (const text of hostile) {
      const names = ["language", "told", "editorQuery", "sourceWidth", "version", "name", "css"];
      for (const name of [...Object.keys(widgetOptions), ...names]) {
        const page = await browser.get(draftPage(new URLSearchParams({ [name]: text })));
        const followed = page.status === 303 ? page.headers.get("location") : undefined;
        const shown = followed ? await browser.get(followed) : page;
        expect([name, shown.status]).toEqual([name, 200]);
        // The parser decides: what is quoted rightly opens no element.
        expect(await all(shown, "script:not([src])", "src")).toEqual([]);
        expect(await all(shown, "img", "alt")).toEqual([""]);
        expect(await all(shown, "[onerror], [onload]", "onerror")).toEqual([]);
      }
    }
  });

  test("comes back character by character in a text", async () => {
    const typed = `"<Bye> & ‘so’ long&amp;"`;
    const page = await browser.get(draftPage(new URLSearchParams({ idleText: typed })));
    expect(await attributeOf(page.clone(), "#option-idleText", "value")).toBe(typed);
    const preview = new URL((await attributeOf(page.clone(), "iframe", "src")) ?? "", BASE_URL);
    expect(preview.searchParams.get("idleText")).toBe(typed);
  });
});

describe("the size for OBS", () => {
  test.each([
    ["", 500, 120],
    ["theme=art", 300, 300],
    ["theme=bar", 1000, 120],
    ["width=800", 800, 120],
    ["size=32", 1000, 240],
    ["size=8", 500, 120],
  ])("has room for %p", (query, width, height) => {
    expect(sourceSize(read(query).options)).toEqual({ width, height });
  });
});

describe("replacing the address", () => {
  test("takes effect at once, keeps what was chosen and says so", async () => {
    const port = openPort(server);
    try {
      const overlay = await openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
      const sent = await browser.post(PAGE, {
        do: "rotate",
        editorQuery: "id=1&draft=1&theme=bar&language=fr",
      });
      expect(sent.headers.get("location")).toBe(draftPage("theme=bar&language=fr"));
      expect(await overlay.closed).toBe(4404);
    } finally {
      await port.end();
    }
    const page = await browser.get(draftPage("theme=bar&language=fr"));
    const token = await server.accounts.widgets.tokenOf(ada.user);
    expect(token).not.toBe(ada.widgetToken);
    expect(await page.clone().text()).not.toContain(ada.widgetToken);
    expect(await addressOn(page)).toBe(`${BASE_URL}/en/widget/${token}`);
    expect(await textOf(page.clone(), ".notice p")).toBe(languages.en.dashboard.widget.rotated);
    expect((await server.get(`/en/widget/${ada.widgetToken}`)).status).toBe(404);
  });

  test("needs more than looking, and does nothing to others", async () => {
    const grace = await server.addUser("grace");
    await browser.get(`${PAGE}?id=1&action=rotate`);
    expect(await server.accounts.widgets.tokenOf(ada.user)).toBe(ada.widgetToken);
    await browser.post(`${PAGE}?id=1`, { do: "rotate" });
    expect(await server.accounts.widgets.tokenOf(grace.user)).toBe(grace.widgetToken);
  });
});

describe("a test track", () => {
  let port: RealPort;
  beforeEach(() => {
    port = openPort(server);
  });
  afterEach(() => port.end());

  const noticeAfter = async (sent: Response) => {
    const page = await browser.get(sent.headers.get("location") ?? "");
    return textOf(page, ".notice p");
  };

  test("is shown for twelve seconds, and then what is followed", async () => {
    await server.sourceOf(ada).says(null);
    const overlay = await openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
    expect(await overlay.next()).toMatchObject({ state: { kind: "idle" } });
    await browser.post(`${PAGE}?id=1`, { do: "test" });
    const { title, artist, album } = languages.en.dashboard.widget.testTrack;
    expect(await overlay.next()).toMatchObject({
      state: { kind: "playing", positionMs: 42_000, track: { title, artist, album, art: null } },
    });
    await server.clock.advance(12_000);
    expect(await overlay.next()).toMatchObject({ state: { kind: "idle" } });
    overlay.close();
  });

  test("says that no browser source is open", async () => {
    const sent = await browser.post(PAGE, { do: "test", editorQuery: "id=1&draft=1&theme=bar" });
    expect(sent.headers.get("location")).toBe(draftPage("theme=bar"));
    expect(await noticeAfter(sent)).toBe(languages.en.dashboard.widget.testUnseen);
  });

  test("says how many show the overlay, and the page that OBS is connected", async () => {
    const notConnected = await browser.get(`${PAGE}?id=1`);
    const { nowPlaying } = languages.en.dashboard;
    expect(await textOf(notConnected, "[data-live-presence]")).toBe(nowPlaying.notOnStream);
    const address = `${port.origin.replace("http", "ws")}/en/widget/${ada.widgetToken}/live`;
    const sockets = [1, 2].map(() => openAsObs(address));
    await until(() => (server.app.gauges.overlays?.() === 2 ? true : undefined));
    const sent = await browser.post(`${PAGE}?id=1`, { do: "test" });
    expect(await noticeAfter(sent)).toEndWith(": 2.");
    const connected = await browser.get(`${PAGE}?id=1`);
    expect(await textOf(connected, "[data-live-presence]")).toBe(nowPlaying.onStream);
    for (const socket of sockets) socket.close();
  });
});

test("an address that somebody made up shows no notice", async () => {
  for (const text of ["saved", "rotated", "tested+3", "font+removed"]) {
    const page = await browser.get(`${PAGE}?id=1&told=${text}`);
    const shown = page.headers.get("location");
    const there = shown === null ? page : await browser.get(shown);
    expect(await textOf(there, ".notice:not([hidden])")).toBe(undefined);
  }
});

describe("saving", () => {
  const widgets = () => server.accounts.widgets;
  /** The fields of the untouched form, to be sent with changes. */
  const form = async (changes: Record<string, string>) => {
    const fields = Object.fromEntries(await fieldsOn(await browser.get(`${PAGE}?id=1`)));
    return { ...fields, do: "save", css: "", ...changes };
  };
  const save = async (changes: Record<string, string>) => browser.post(PAGE, await form(changes));

  test("stores options, language, name, size and CSS, and says so", async () => {
    const css = ".np-title {\r\n  color: red;\r\n}";
    const sent = await save({
      theme: "glass",
      language: "fr",
      name: "Scène",
      sourceWidth: "640",
      css,
    });
    expect(sent.headers.get("location")).toBe(`${PAGE}?id=1`);
    expect(await widgetOf()).toMatchObject({
      name: "Scène",
      language: "fr",
      options: { theme: "glass" },
      css: css.replaceAll("\r\n", "\n"),
      size: { width: 640, height: 120 },
      revision: 2,
    });
    const page = await browser.get(sent.headers.get("location") ?? "");
    expect(await textOf(page.clone(), ".notice p")).toBe(
      languages.en.dashboard.widget.editor.savedNotice,
    );
    expect(await textOf(page.clone(), "textarea")).toContain("color: red");
    expect(await addressOn(page)).toBe(`${BASE_URL}/fr/widget/${ada.widgetToken}`);
    expect(await attributeOf(page.clone(), "#widget-options", "data-is-saved")).toBe("true");
  });

  test("makes no revision of a form that was not touched", async () => {
    await save({});
    expect((await widgetOf()).revision).toBe(1);
  });

  test("keeps what a newer version has saved", async () => {
    const options = { hologram: "3d", theme: "hyper", speed: "50" };
    await widgets().save(ada.user, 1, { options, css: "", size: null }, { basedOn: 1 });
    await save({ album: "1" });
    expect((await widgetOf()).options).toEqual({ ...options, album: "1" });
    await save({ theme: "bar", speed: "" });
    expect((await widgetOf()).options).toEqual({ hologram: "3d", theme: "bar", album: "1" });
  });

  test("over a newer look is refused without losing anything, and then goes through", async () => {
    const fields = await form({ theme: "glass", css: ".np { color: lime }", name: "Mine" });
    const look = { options: { theme: "bar" }, css: "", size: null };
    await widgets().save(ada.user, 1, look, { basedOn: 1 });
    const refused = await browser.post(PAGE, fields);
    expect(refused.status).toBe(409);
    expect(await widgetOf()).toMatchObject({ ...look, name: "Main", revision: 2 });
    expect(await all(refused, "[data-conflict][hidden]", "role")).toEqual([]);
    expect(await all(refused, "[data-conflict] a", "href")).toEqual([`${PAGE}?id=1`]);
    expect(await all(refused, "input[name=theme][checked]", "value")).toEqual(["glass"]);
    expect(await textOf(refused.clone(), "textarea")).toContain("lime");
    const again = Object.fromEntries(await fieldsOn(refused));
    await browser.post(PAGE, { ...again, do: "save", css: ".np { color: lime }" });
    expect(await widgetOf()).toMatchObject({
      name: "Mine",
      options: { theme: "glass" },
      css: ".np { color: lime }",
      revision: 3,
    });
  });

  test.each([
    [{ size: "999" }, "#option-size-mistake"],
    [{ sourceWidth: "1.5" }, "#option-sourceWidth-mistake"],
    [{ name: "\u200b" }, "#name-mistake"],
    [{ name: "Other" }, "#name-mistake"],
    [{ css: "é".repeat(10_241) }, "#css-mistake"],
  ])("refuses %o beside it, and stores nothing", async (wrong: Record<string, string>, mistake) => {
    await widgets().add(ada.user, { name: "Other", kind: "overlay" });
    const before = await widgetOf();
    const refused = await save({ theme: "glass", ...wrong });
    expect(refused.status).toBe(422);
    expect(await all(refused, `${mistake}:not([hidden])`, "id")).toEqual([mistake.slice(1)]);
    expect(await all(refused, "input[name=theme][checked]", "value")).toEqual(["glass"]);
    expect(await widgetOf()).toEqual(before);
  });

  test("takes CSS of exactly 20 KB", async () => {
    const css = `/*${"é".repeat(10_238)}*/`;
    expect((await save({ css })).status).toBe(303);
    expect((await widgetOf()).css).toBe(css);
  });

  test("answers the editor's script in its own words", async () => {
    const live = { answer: "json", passing: "1" };
    const saved = await save({ ...live, theme: "bar" });
    expect(await saved.json()).toEqual({ kind: "saved", revision: 2 });
    const older = await save({ ...live, theme: "glass", basedOn: "1" });
    expect([older.status, await older.json()]).toEqual([409, { kind: "newer", revision: 2 }]);
    const wrong = await save({ ...live, size: "999" });
    expect([wrong.status, await wrong.json()]).toMatchObject([422, { kind: "refused" }]);
  });

  test.each(["999999", "-5", "1e300", "x"])(
    "over %j, which the widget never was, is refused without losing anything",
    async (basedOn) => {
      const wrong = await save({ theme: "glass", basedOn });
      expect(wrong.status).toBe(422);
      expect(await attributeOf(wrong.clone(), "input[name=basedOn]", "value")).toBe("1");
      expect(await all(wrong, "input[name=theme][checked]", "value")).toEqual(["glass"]);
      const byScript = await save({ answer: "json", theme: "glass", basedOn });
      expect([byScript.status, await byScript.json()]).toMatchObject([422, { kind: "refused" }]);
      expect(await widgets().revisionsOf(ada.user, 1)).toHaveLength(1);
    },
  );

  test("while editing leaves one look a minute in the history", async () => {
    for (const opacity of ["10", "20", "30", "40"]) {
      await save({ answer: "json", passing: "1", opacity });
    }
    const revisions = await widgets().revisionsOf(ada.user, 1);
    expect(revisions.map(({ options }) => options["opacity"])).toEqual(["40", undefined]);
  });

  test("shows an earlier look first, and stores it as a new one", async () => {
    await save({ theme: "bar", css: ".np { color: lime }" });
    await save({ theme: "glass", css: "" });
    const page = await browser.get(`${PAGE}?id=1`);
    expect(await all(page, "[data-version-list] a", "href")).toEqual(
      [2, 1].map((revision) => `${PAGE}?id=1&amp;version=${revision}`),
    );
    const shown = await browser.get(`${PAGE}?id=1&version=2`);
    expect(await all(shown, "input[name=theme][checked]", "value")).toEqual(["bar"]);
    expect(await attributeOf(shown.clone(), "iframe", "src")).toContain("theme=bar");
    expect((await widgetOf()).options).toEqual({ theme: "glass" });
    const fields = Object.fromEntries(await fieldsOn(shown));
    await browser.post(PAGE, { ...fields, do: "save", css: ".np { color: lime }" });
    expect(await widgetOf()).toMatchObject({
      options: { theme: "bar" },
      css: ".np { color: lime }",
      revision: 4,
    });
  });

  test("without a script, the draft can be looked at before", async () => {
    const shown = await save({ do: "show", theme: "bar", css: ".np { color: lime }" });
    expect(shown.status).toBe(200);
    expect(await attributeOf(shown.clone(), "iframe", "src")).toContain("draft=1&theme=bar");
    expect(await textOf(shown.clone(), "textarea")).toContain("lime");
    expect(await widgetOf()).toMatchObject({ options: {}, css: "", revision: 1 });
  });

  test("concerns the user's own widgets only", async () => {
    const grace = await server.addUser("grace");
    const theirs = await widgetOf(grace);
    for (const id of [String(theirs.id), "999", "x"]) {
      expect((await browser.get(`${PAGE}?id=${id}`)).status).toBe(404);
      expect((await save({ id, theme: "bar" })).status).toBe(404);
    }
    expect(await widgetOf(grace)).toEqual(theirs);
  });

  test("concerns the widget that is asked for", async () => {
    const second = await widgets().add(ada.user, { name: "Second", kind: "overlay" });
    await save({ id: String(second.id), name: "Second", theme: "bar" });
    expect((await widgets().byId(ada.user, second.id)).options).toEqual({ theme: "bar" });
    expect((await widgetOf()).options).toEqual({});
  });
});

test("the names offered for CSS are those of the documentation", async () => {
  const documented = await Bun.file("src/docs/en/options.md").text();
  const rows = [...documented.matchAll(/^\| `((?:\.|--)np[\w-]*)` /gm)].map(([, name]) => name);
  // What only screen readers read has no look.
  expect(rows.filter((name) => name !== ".np-sr")).toEqual([...CLASS_NAMES, ...CUSTOM_PROPERTIES]);
});

test("the whole page stays within 60 KB as it travels, its preview included", async () => {
  const page = await browser.get(`${PAGE}?id=1`);
  const preview = await browser.get((await attributeOf(page.clone(), "iframe", "src")) ?? "");
  const paths = await Promise.all(
    [page, preview].flatMap((one) => [
      all(one, "link[rel=stylesheet]", "href"),
      all(one, "script", "src"),
    ]),
  );
  const assets = await Promise.all(paths.flat().map((path) => server.get(path)));
  const bodies = await Promise.all([page, preview, ...assets].map((one) => one.bytes()));
  const sizes = bodies.map((body) => Bun.gzipSync(body).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60 * 1024);
});
