import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../../src/accounts/accounts.ts";
import { languages } from "../../../src/i18n/index.ts";
import { LANGUAGES } from "../../../src/languages.ts";
import { groupOptions } from "../../../src/pages/dashboard/widget-groups.ts";
import {
  editedOptions,
  overlayAddress,
  pageQuery,
  previewAddress,
  readEditorQuery,
  sourceSize,
} from "../../../src/pages/dashboard/editor-query.ts";
import { optionList, parseWidgetOptions, widgetOptions } from "../../../widget/options.ts";
import { attributeOf, textOf } from "../../fixtures/http/html.ts";
import { openOverlay } from "../../fixtures/http/overlay-socket.ts";
import { openPort, type RealPort } from "../../fixtures/servers/real-port.ts";
import { type SignedIn, signIn } from "../../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../../fixtures/servers/test-server.ts";
import { until } from "../../fixtures/clock/waiting.ts";

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

/** The address that the page gives for OBS. */
const addressOn = (page: Response) => textOf(page.clone(), "[data-follows=address] code");
const read = (query: string) => readEditorQuery(new URLSearchParams(query), "en");

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
    expect(await all(page, "input[name=language]", "value")).toEqual([...LANGUAGES]);
    expect(await addressOn(page)).toBe(`${BASE_URL}/${language}/widget/${ada.widgetToken}`);
  });
});

describe("the groups", () => {
  test("have every option once", () => {
    const grouped = groupOptions().flatMap(({ options }) => options.map(([name]) => name));
    expect(grouped.toSorted()).toEqual(editedOptions.map(([name]) => name).toSorted());
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
      "size=20&theme=bar&mode=auto&art=1&speed=30&hideDelay=5000&bg=%23FF8800",
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
    expect(pageQuery(editorQuery, "en").toString()).toBe("theme=glass&language=fr&demo=0");
    expect(overlayAddress("/base", editorQuery, "T")).toBe("/base/fr/widget/T?theme=glass");
    expect(previewAddress("/base", editorQuery, "T")).toBe("/base/fr/widget/T?theme=glass");
    expect(previewAddress("/base", read("theme=glass&demo=1"), "T")).toBe(
      "/base/en/widget/T?theme=glass&demo=1",
    );
    expect(overlayAddress("/base", read("language=xx&demo=1"), "T")).toBe("/base/en/widget/T");
  });

  test("means to the overlay what the editor meant, whatever it is, and is read back the same", () => {
    const value = fc.oneof(
      fc.constantFrom("0", "1", "auto", "none", "bar", "tl", "fff", "#A1b2c3", "12.5", "007", ""),
      fc.string(),
    );
    const entry = fc.tuple(fc.constantFrom(...Object.keys(widgetOptions), "language"), value);
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const editorQuery = readEditorQuery(new URLSearchParams(entries), "en");
        const { options, warnings } = parseWidgetOptions(editorQuery.search);
        expect(warnings).toEqual([]);
        expect(options).toEqual(editorQuery.options);
        const again = readEditorQuery(pageQuery(editorQuery, "en"), "en");
        expect(pageQuery(again, "en").toString()).toBe(pageQuery(editorQuery, "en").toString());
      }),
    );
  });

  test("comes back in the controls, the preview and the address", async () => {
    const query = "theme=vinyl&bg=f80&font=Open+Sans&art=0&hold=5&language=de";
    const page = await browser.get(`${PAGE}?id=1&${query}`);
    expect(page.status).toBe(200);
    expect(await all(page, "input[name=theme][checked]", "value")).toEqual(["vinyl"]);
    expect(await all(page, "input[name=bg][type=color]", "value")).toEqual(["#ff8800"]);
    expect(await all(page, "input[name=bg][value=auto][checked]", "value")).toEqual([]);
    expect(await all(page, "input[name=font]", "value")).toEqual(["Open Sans"]);
    expect(await all(page, "input[name=art][checked]", "value")).toEqual([]);
    expect(await all(page, "input[name=hold]", "value")).toEqual(["5"]);
    const options = "theme=vinyl&bg=f80&font=Open+Sans&art=0&hold=5";
    const path = `/de/widget/${ada.widgetToken}`;
    expect(await addressOn(page)).toBe(`${BASE_URL}${path}?${options}`);
    expect(await attributeOf(page.clone(), "iframe", "src")).toBe(`${path}?${options}&demo=1`);
    expect(await attributeOf(page.clone(), "[data-launcher]", "href")).toBe(
      `/de/widget/${ada.widgetToken}/launcher?${options}`,
    );
  });

  test("of a form sent without a script is made short", async () => {
    const page = await browser.get(`${PAGE}?id=1`);
    const sent = new URLSearchParams();
    const collect = new HTMLRewriter().on("#widget-options input, [form=widget-options]", {
      element(element) {
        const isChoice = ["radio", "checkbox"].includes(element.getAttribute("type") ?? "");
        if (isChoice && !element.hasAttribute("checked")) return;
        sent.append(element.getAttribute("name") ?? "", element.getAttribute("value") ?? "");
      },
    });
    await collect.transform(page.clone()).text();
    expect(sent.size).toBeGreaterThan(editedOptions.length);
    const untouched = await browser.get(`${PAGE}?id=1&${sent}`);
    expect([untouched.status, untouched.headers.get("location")]).toEqual([303, `${PAGE}?id=1`]);
    sent.set("theme", "glass");
    const chosen = await browser.get(`${PAGE}?id=1&${sent}`);
    expect(chosen.headers.get("location")).toBe(`${PAGE}?id=1&theme=glass`);
    expect((await browser.get(`${PAGE}?id=1&theme=glass`)).status).toBe(200);
  });
});

describe("what is not allowed", () => {
  test("stays as typed with what is wrong beside it, and the preview does without", async () => {
    const page = await browser.get(`${PAGE}?id=1&size=999&theme=bar`);
    expect(page.status).toBe(200);
    expect(await all(page, "[aria-invalid=true]", "name")).toEqual(["size"]);
    expect(await all(page, "input[name=size]", "value")).toEqual(["999"]);
    expect(await textOf(page.clone(), "#option-size-mistake")).toBe("A number from 8 to 64.");
    expect(await all(page, ".mistake:not([hidden])", "id")).toEqual(["option-size-mistake"]);
    expect(await addressOn(page)).toEndWith("?theme=bar");
  });

  test("is never markup, wherever it stands", async () => {
    const hostile = [
      `"><script>alert(1)</script>`,
      `'"&quot;<img src=x onerror=alert(1)>`,
      "&lt;b>",
    ];
    for (const text of hostile) {
      for (const name of [...Object.keys(widgetOptions), "language", "told", "editorQuery"]) {
        const page = await browser.get(`${PAGE}?id=1&${new URLSearchParams({ [name]: text })}`);
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
    const page = await browser.get(`${PAGE}?id=1&${new URLSearchParams({ idleText: typed })}`);
    expect(await attributeOf(page.clone(), "#option-idleText", "value")).toBe(typed);
    const address = new URL((await addressOn(page)) ?? "");
    expect(address.searchParams.get("idleText")).toBe(typed);
    const copied = await attributeOf(page.clone(), "[data-follows=address] button", "data-copy");
    expect(copied).toBe(address.href);
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
        editorQuery: "theme=bar&language=fr",
      });
      expect(sent.headers.get("location")).toBe(`${PAGE}?id=1&theme=bar&language=fr&told=rotated`);
      expect(await overlay.closed).toBe(4404);
    } finally {
      await port.end();
    }
    const page = await browser.get(`${PAGE}?id=1&theme=bar&language=fr&told=rotated`);
    const token = await server.accounts.widgets.tokenOf(ada.user);
    expect(token).not.toBe(ada.widgetToken);
    expect(await page.clone().text()).not.toContain(ada.widgetToken);
    expect(await addressOn(page)).toBe(`${BASE_URL}/fr/widget/${token}?theme=bar`);
    expect(await textOf(page.clone(), ".notice p")).toBe(languages.en.dashboard.widget.rotated);
    expect((await server.get(`/en/widget/${ada.widgetToken}`)).status).toBe(404);
  });

  test("needs more than looking, and does nothing to others", async () => {
    const grace = await server.addUser("grace");
    await browser.get(`${PAGE}?id=1&action=rotate&told=rotated`);
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

  test("is shown for twelve seconds, and then what is heard", async () => {
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
    const sent = await browser.post(PAGE, { do: "test", editorQuery: "theme=bar" });
    expect(sent.headers.get("location")).toBe(`${PAGE}?id=1&theme=bar&told=tested-0`);
    expect(await noticeAfter(sent)).toBe(languages.en.dashboard.widget.testUnseen);
  });

  test("says how many show the overlay, and the page that OBS is connected", async () => {
    const notConnected = await browser.get(`${PAGE}?id=1`);
    const { nowPlaying } = languages.en.dashboard;
    expect(await textOf(notConnected, "[data-live-presence]")).toBe(nowPlaying.notOnStream);
    const address = `${port.origin.replace("http", "ws")}/en/widget/${ada.widgetToken}/live`;
    const sockets = [1, 2].map(() => openAsObs(address));
    await until(() => (server.app.sockets.overlays() === 2 ? true : undefined));
    const sent = await browser.post(`${PAGE}?id=1`, { do: "test" });
    expect(await noticeAfter(sent)).toEndWith(": 2.");
    const connected = await browser.get(`${PAGE}?id=1`);
    expect(await textOf(connected, "[data-live-presence]")).toBe(nowPlaying.onStream);
    for (const socket of sockets) socket.close();
  });
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
