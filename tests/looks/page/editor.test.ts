import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../../src/accounts/accounts.ts";
import { languages } from "../../../src/i18n/index.ts";
import { LANGUAGES } from "../../../src/languages.ts";
import { SHIPPED_LOOK_NAMES, shippedLook } from "../../../src/overlay/looks/shipped.ts";
import { CLASS_NAMES, CUSTOM_PROPERTIES } from "../../../src/looks/page/editor/css-names.ts";
import { GROUPS } from "../../../src/looks/page/editor/groups.ts";
import { optionList, parseWidgetOptions, savedOptionList } from "../../../widget/options.ts";
import { sourceSize } from "../../../widget/source-size.ts";
import { addWidget } from "../../fixtures/data/widgets.ts";
import { attributeOf, textOf } from "../../fixtures/http/html.ts";
import type { Look } from "../../../src/looks/look.ts";
import { withLook } from "../../../src/looks/draft.ts";
import { sharedLookJson } from "../../../src/overlay/looks/shared-look.ts";
import { openOverlay } from "../../fixtures/http/overlay-socket.ts";
import { type SignedIn, signIn } from "../../fixtures/http/signed-in.ts";
import { openPort } from "../../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../../fixtures/servers/test-server.ts";

const PAGE = "/en/dashboard/widget";

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

async function start(baseUrl = "http://127.0.0.1:4747"): Promise<void> {
  server = await createTestServer({ baseUrl });
  ada = await server.addUser("ada");
  browser = await signIn(server, ada, baseUrl);
}
beforeEach(() => start());
afterEach(() => server.close());

/** Every value of an attribute among the elements that match, as written. */
async function all(page: Response, selector: string, name: string): Promise<string[]> {
  const values: string[] = [];
  const collect = new HTMLRewriter().on(selector, {
    element: (element) => void values.push(element.getAttribute(name) ?? ""),
  });
  await collect.transform(page.clone()).text();
  return values;
}

/** The address that the page gives for OBS. */
const addressOn = (page: Response) => textOf(page.clone(), ".obs .secret code");

describe.each(LANGUAGES)("the editor in %s", (language) => {
  const { widget, intoObs } = languages[language].dashboard;
  let page: Response;
  beforeEach(async () => {
    page = await browser.get(`/${language}/dashboard/widget?id=1`);
  });

  test("has a control for every option, under its name, and a word for every choice", async () => {
    const text = await page.clone().text();
    for (const [name, option] of optionList) {
      const controls = await all(page, `[name="${name}"]`, "name");
      expect([name, controls]).not.toEqual([name, []]);
      // The strip of looks sets the layout.
      if (name === "theme") continue;
      expect(text).toContain(Bun.escapeHTML(name === "demo" ? widget.music : widget.labels[name]));
      if (option.type.kind !== "choice") continue;
      const words: Readonly<Record<string, string>> = widget.choices;
      for (const choice of option.type.choices) {
        expect(words[`${name}_${choice}`] ?? `no word for ${name}=${choice}`).not.toContain("=");
      }
      const selector = name === "demo" ? "[name=demo] option" : `[type=radio][name="${name}"]`;
      const values = await all(page, selector, "value");
      expect(values.toSorted()).toEqual(option.type.choices.toSorted());
    }
  });

  test("offers every look, and all five languages for the overlay", async () => {
    expect(await all(page, "[data-strip] [name=look]", "value")).toEqual([...SHIPPED_LOOK_NAMES]);
    expect(await all(page, "[role=tab][aria-selected=true]", "id")).toEqual(["tab-design"]);
    expect(await all(page, "input[name=language]", "value")).toEqual(["", ...LANGUAGES]);
    expect(await addressOn(page)).toBe(
      `http://127.0.0.1:4747/${language}/widget/${ada.widgetToken}`,
    );
  });

  test("says where there is no script that it needs one", async () => {
    const withoutScript = (await textOf(page, "noscript")) ?? "";
    expect(withoutScript).toContain(Bun.escapeHTML(widget.editor.needsScript));
  });

  test("carries what its card for OBS says, and its place until the script runs", async () => {
    const [carried = ""] = await all(page, "[data-into-obs]:not([hidden])", "data-sentences");
    const plain = carried.replaceAll("&#34;", '"').replaceAll("&amp;", "&");
    expect(JSON.parse(plain)).toEqual(intoObs.sentences);
    expect(await all(page, ".obs-chip:not([hidden])", "data-width")).toEqual(["500"]);
    const [address] = await all(page, ".obs-chip", "data-address");
    expect(address).toBe(`http://127.0.0.1:4747/${language}/widget/${ada.widgetToken}`);
    // The forms are never sent: nothing in them has a name.
    expect(await all(page, "[data-into-obs] [name]", "name")).toEqual([]);
    expect(await all(page, "[data-into-obs] form", "method")).toEqual(["dialog", "dialog"]);
  });
});

describe("the groups", () => {
  test("have every option once, but the theme, which looks choose", () => {
    expect(["theme", ...Object.values(GROUPS).flat()].toSorted()).toEqual(
      savedOptionList.map(([name]) => name).toSorted(),
    );
  });
});

describe("what is saved", () => {
  test("comes to the script character by character, and is never markup", async () => {
    const hostile = [
      `"><script>alert(1)</script>`,
      `'"&quot;<img src=x onerror=alert(1)>`,
      "&lt;b> \\ “so” long&amp;",
    ];
    for (const text of hostile) {
      const { revision } = await server.accounts.widgets.first(ada.user);
      const look = {
        ...{ options: { idleText: text }, css: `${text}\n` },
        size: { width: 640, height: 100 },
      };
      await server.accounts.widgets.save(ada.user, 1, look, { basedOn: revision, name: text });
      const draft = { ...look, name: text, language: null };
      const page = await browser.get(`${PAGE}?id=1`);
      const setup = JSON.parse(
        (await attributeOf(page.clone(), "[data-editor]", "data-editor")) ?? "",
      );
      expect(setup).toMatchObject({ id: 1, saved: draft, revision: revision + 1 });
      // The parser decides: what is quoted rightly opens no element.
      expect(await all(page, "script:not([src])", "src")).toEqual([]);
      expect(await all(page, "img", "alt")).toEqual([""]);
      expect(await all(page, "[onerror], [onload]", "onerror")).toEqual([]);
    }
  });

  test("decides how large and in which language the page offers the overlay", async () => {
    const look = { options: { theme: "bar" }, css: "", size: null };
    await server.accounts.widgets.save(ada.user, 1, look, { basedOn: 1, language: "fr" });
    const page = await browser.get(`${PAGE}?id=1`);
    const path = `/fr/widget/${ada.widgetToken}`;
    expect(await addressOn(page)).toBe(`http://127.0.0.1:4747${path}`);
    expect(await attributeOf(page.clone(), "iframe", "src")).toBe(
      `${path}?shown=always&demo=ordinary`,
    );
    expect(await attributeOf(page.clone(), "[data-launcher]", "href")).toBe(`${path}/launcher`);
    expect(await all(page, ".obs-chip", "data-width")).toEqual(["1000"]);
  });
});

test.each([
  ["", 500, 120],
  ["theme=art", 300, 300],
  ["theme=bar", 1000, 120],
  ["width=800", 800, 120],
  ["size=32", 1000, 240],
  ["size=8", 500, 120],
])("the size for OBS has room for %p", (query, width, height) => {
  const { options } = parseWidgetOptions(new URLSearchParams(query));
  expect(sourceSize(options)).toEqual({ width, height });
});

describe("a look to begin with", () => {
  const triedOn = async (page: Response) =>
    JSON.parse((await attributeOf(page, "[data-editor]", "data-editor")) ?? "").tried;

  test("comes with the address, and nothing is saved", async () => {
    const tried = await triedOn(await browser.get(`${PAGE}?id=1&look=crt`));
    expect(tried).toEqual(shippedLook("crt", languages.en));
    expect(await triedOn(await browser.get(`${PAGE}?id=1&look=constructor`))).toBeUndefined();
    expect(await server.accounts.widgets.first(ada.user)).toMatchObject({ revision: 1, css: "" });
  });

  test("may be one that somebody shared", async () => {
    const look = { name: "Ember", options: { theme: "bar" }, css: ".np{}", size: null };
    const fields = { do: "look", id: "1", look: sharedLookJson(look) };
    expect(await triedOn(await browser.post(PAGE, fields))).toEqual(look);
  });
});

test("an overlay keeps what is about the stream when it gets another look", () => {
  const worn: Look = {
    options: { theme: "bar", delay: "3", accent: "ff0000", position: "br" },
    css: "a{}",
    size: null,
  };
  const look = {
    options: { theme: "vinyl", position: "tl" },
    css: ".np{}",
    size: { width: 9, height: 9 },
  };
  expect(withLook(worn, look)).toEqual({ ...look, options: { ...look.options, delay: "3" } });
});

test("the address stands once on the page, hidden, under “Put it in OBS”", async () => {
  const page = await browser.get(`${PAGE}?id=1&tab=obs`);
  expect(await all(page, "#obs:not([hidden]) [data-copy*='/widget/']", "data-copy")).toHaveLength(
    1,
  );
  expect(await all(page, "#design[hidden]", "id")).toEqual(["design"]);
});

test("the address is replaced at once, and the editor shows the new one", async () => {
  const port = openPort(server);
  try {
    const overlay = await openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
    const sent = await browser.post(`${PAGE}?id=1`, { do: "widget rotate", id: "1" });
    expect(sent.headers.get("location")).toBe(`${PAGE}?id=1`);
    expect(await overlay.closed).toBe(4404);
  } finally {
    await port.end();
  }
  const page = await browser.get(`${PAGE}?id=1`);
  const token = await server.accounts.widgets.overlayTokenOf(ada.user);
  expect(await page.clone().text()).not.toContain(ada.widgetToken);
  expect(await addressOn(page)).toBe(`http://127.0.0.1:4747/en/widget/${token}`);
  expect(await textOf(page.clone(), ".notice p")).not.toBe(undefined);
  expect((await server.get(`/en/widget/${ada.widgetToken}`)).status).toBe(404);
});

test("the names offered for CSS are those of the documentation", async () => {
  const documented = await Bun.file("src/docs/en/options.md").text();
  const rows = [...documented.matchAll(/^\| `((?:\.|--)np[\w-]*)` /gm)].map(([, name]) => name);
  // What only screen readers read has no look.
  expect(rows.filter((name) => name !== ".np-sr")).toEqual([...CLASS_NAMES, ...CUSTOM_PROPERTIES]);
});

test("the whole page stays within 64 KB as it travels, its preview included", async () => {
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
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(64 * 1024);
});

test("somebody else's widget, and one that is not there, have no editor", async () => {
  const bob = await server.addUser("bob");
  const { widget } = await addWidget(server, bob, "text");
  for (const id of [String(widget.id), "99", "x", "0"]) {
    const answer = await browser.get(`${PAGE}?id=${id}`);
    expect([id, answer.status]).toEqual([id, 404]);
    expect(await answer.text()).not.toContain(widget.name);
  }
});

describe("the editor of a text", () => {
  const pageOfText = async () => {
    await server.sourceOf(ada).says(null);
    const line = await addWidget(server, ada, "text");
    return browser.get(`${PAGE}?id=${line.widget.id}`);
  };

  test("shows lines of an invented track while nothing plays", async () => {
    const page = await pageOfText();
    const setup = JSON.parse((await attributeOf(page, "[data-editor]", "data-editor")) ?? "");
    expect(setup.songs).toMatchObject([
      { kind: "song", isPaused: false, values: { title: "Everything Works" } },
      { kind: "song", isPaused: true, values: { artist: "The Sound Checks" } },
      { kind: "nothing" },
    ]);
  });
});

test("the editor of a card offers the picture, Markdown, HTML and a page, and says that others cannot reach it", async () => {
  const card = await addWidget(server, ada, "card");
  const page = await browser.get(`${PAGE}?id=${card.widget.id}`);
  const html = (await page.text()).replaceAll("&#34;", '"').replaceAll("&#39;", "'");
  const address = `http://127.0.0.1:4747/en/card/${card.token}`;
  expect(html).toContain(`[![What I am listening to](${address}.svg)](${address})`);
  expect(html).toContain("Other websites can’t reach 127.0.0.1:4747");
});
