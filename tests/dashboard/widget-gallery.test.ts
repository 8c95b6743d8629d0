import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { readSharedLook, type SharedLook } from "../../src/overlay/looks/shared-look.ts";
import { SHIPPED_LOOK_NAMES } from "../../src/overlay/looks/shipped.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { attributeOf, groupNameOf, textOf, unescapeHtml } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PAGE = "/en/dashboard/widget";
const t = languages.en.dashboard.gallery;
const { widget: refused } = languages.en.refused;
const LOOK = {
  marquee: 1,
  name: "Ember",
  options: { theme: "bar" },
  css: ".np{}",
  size: [700, 90],
};

let server: TestServer;
let ada: AddedUser;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
  browser = await signIn(server, ada);
});
afterEach(() => server.close());

const widgets = () => server.accounts.widgets.allOf(ada.user);
const names = () => widgets().map(({ name }) => name);
const idOf = (name: string) => String(widgets().find((widget) => widget.name === name)?.id ?? 0);
const submit = (fields: Readonly<Record<string, string>>) => browser.submit(PAGE, fields);
const noticeOn = (page: Response) => textOf(page, ".notice p");

describe("the gallery", () => {
  test("shows a first overlay with its preview, its size, and a way to its editor", async () => {
    const page = await browser.get(PAGE);
    expect(await textOf(page.clone(), ".overlays h2")).toBe("Main");
    expect(await textOf(page.clone(), ".overlays .facts")).toContain("500 × 120");
    expect(await attributeOf(page.clone(), ".overlays iframe", "loading")).toBe("lazy");
    const editor = `${PAGE}?id=${idOf("Main")}`;
    expect(await attributeOf(page, `.overlays a.button[href="${editor}"]`, "href")).toBe(editor);
  });

  test("shows overlays with the user's song as soon as viewers may see one, else with a song of the demo", async () => {
    const path = `/en/widget/${ada.widgetToken}?shown=always`;
    const shown = async () => attributeOf(await browser.get(PAGE), ".overlays iframe", "src");
    expect(await shown()).toBe(`${path}&demo=ordinary`);
    await server.sourceOf(ada).says(aPlayback({ observedAtMs: server.clock.monotonicMs() }));
    server.hub.subscribe(ada.user.id, () => {});
    expect(await shown()).toBe(path);
    await server.accounts.privacy.change(ada.user, { pausedUntil: server.clock.wallMs() + 60_000 });
    expect(await shown()).toBe(`${path}&demo=ordinary`);
  });

  test("hides an address until it is shown, and has it copied without", async () => {
    const page = await browser.get(PAGE);
    const address = `http://127.0.0.1:4747/en/widget/${ada.widgetToken}`;
    expect(await textOf(page.clone(), ".secret details:not([open]) code")).toBe(address);
    expect(await attributeOf(page, ".secret [data-copy]", "data-copy")).toBe(address);
  });

  test("gives a look away as a link and as JSON, with everything in it", async () => {
    const look: SharedLook = {
      name: "Main",
      options: { theme: "bar", idleText: "&amp; “später”" },
      css: '.np-title::after { content: "&lt; \\201C"; }\n',
      size: { width: 640, height: 90 },
    };
    const { id, revision } = await server.accounts.widgets.first(ada.user);
    await server.accounts.widgets.save(ada.user, id, look, { basedOn: revision });
    const copies: string[] = [];
    const collect = new HTMLRewriter().on(".copies dd [data-copy]", {
      element: (button) => void copies.push(unescapeHtml(button.getAttribute("data-copy") ?? "")),
    });
    await collect.transform(await browser.get(PAGE)).text();
    expect(copies.map((copied) => readSharedLook(copied))).toEqual([
      { look, unknown: [] },
      { look, unknown: [] },
    ]);
    expect(copies.join()).not.toContain(ada.widgetToken);
  });

  test("makes, renames and duplicates widgets", async () => {
    expect(
      await noticeOn(await submit({ do: "widget add", name: "  القائمة ", kind: "overlay" })),
    ).toBe(fill(t.done.added, { name: "القائمة" }));
    const { id, revision } = await server.accounts.widgets.first(ada.user);
    const look = {
      options: { theme: "glass" },
      css: ".np-title{}",
      size: { width: 640, height: 90 },
    };
    await server.accounts.widgets.save(ada.user, id, look, { basedOn: revision });
    await submit({ do: "widget copy", id: String(id) });
    await submit({ do: "widget copy", id: String(id) });
    await submit({ do: "widget rename", id: idOf("القائمة"), name: "<b>Chat & co" });
    expect(names()).toEqual(["Main", "<b>Chat & co", "Main 2", "Main 3"]);
    expect(widgets()[3]).toMatchObject(look);
    const page = await browser.get(PAGE);
    expect(await textOf(page.clone(), ".overlays h2 b")).toBeFalsy();
    const copied = await attributeOf(page, "#widget-2 .secret [data-copy]", "aria-label");
    expect(copied).toBe(`Copy: ${fill(t.address, { name: "<b>Chat & co" })}`);
  });

  test("offers to bring a removed widget back", async () => {
    const id = idOf("Main");
    const removed = await submit({ do: "widget remove", id });
    expect(await noticeOn(removed.clone())).toBe(fill(t.done.removed, { name: "Main" }));
    expect(await textOf(removed.clone(), ".notice button")).toBe(t.undo);
    const [action, about] = ["do", "id"].map((field) =>
      attributeOf(removed.clone(), `.notice [name=${field}]`, "value"),
    );
    const fields = { do: (await action) ?? "", id: (await about) ?? "" };
    expect((await server.get(`/en/widget/${ada.widgetToken}`)).status).toBe(404);
    expect(await noticeOn(await submit(fields))).toBe(fill(t.done.restored, { name: "Main" }));
    expect((await server.get(`/en/widget/${ada.widgetToken}?demo=1`)).status).toBe(200);
  });

  test("keeps a name that is taken in the field of its form, with what is wrong", async () => {
    await submit({ do: "widget add", name: "Second", kind: "overlay" });
    const id = idOf("Second");
    const wrong = fill(refused.taken, { name: "Main" });
    const added = await browser.post(PAGE, { do: "widget add", name: "Main", kind: "text" });
    expect(await textOf(added.clone(), ".new-widget[open] #name-mistake")).toBe(wrong);
    expect(await attributeOf(added.clone(), "#name", "value")).toBe("Main");
    expect(await attributeOf(added.clone(), "#kind [selected]", "value")).toBe("text");
    const renamed = await browser.post(PAGE, { do: "widget rename", id, name: "Main" });
    const field = `.more[open] .unfolds[open] #name-${id}`;
    expect(await textOf(renamed.clone(), `${field}-mistake`)).toBe(wrong);
    expect(await attributeOf(renamed.clone(), field, "value")).toBe("Main");
    expect(await textOf(renamed.clone(), ".new-widget[open]")).toBeUndefined();
    expect([added.status, renamed.status]).toEqual([422, 422]);
    expect(names()).toEqual(["Main", "Second"]);
  });
});

describe("a look that somebody shared", () => {
  test("is shown with demo music, its options and its CSS before anything is saved", async () => {
    const before = widgets();
    const page = await browser.post(PAGE, { do: "look", look: JSON.stringify(LOOK) });
    expect(page.status).toBe(200);
    expect(await textOf(page.clone(), "h1")).toBe(fill(t.import.viewTitle, { name: "Ember" }));
    expect(await attributeOf(page.clone(), "iframe", "src")).toBe("/en/demo?theme=bar&demo=1");
    expect(await attributeOf(page.clone(), "iframe", "data-preview-css")).toBe(LOOK.css);
    expect(await textOf(page.clone(), "pre code")).toBe(LOOK.css);
    expect(await textOf(page, ".option-list")).toContain("theme");
    expect(widgets()).toEqual(before);
  });

  test("becomes a widget, or the look of one", async () => {
    const look = JSON.stringify({ ...LOOK, options: { theme: "bar", glow: "9" } });
    const wanted = {
      options: { theme: "bar", glow: "9" },
      css: LOOK.css,
      size: { width: 700, height: 90 },
    };
    await submit({ do: "look make", look, name: "" });
    await submit({ do: "look use", look, id: idOf("Main") });
    expect(widgets()).toMatchObject([
      { name: "Main", revision: 2, ...wanted },
      { name: "Ember", ...wanted },
    ]);
    const shown = await browser.post(PAGE, { do: "look", look });
    expect(await shown.text()).toContain(fill(t.import.unknown, { names: "glow" }));
  });

  test("stays on the page when the name typed for it is taken", async () => {
    const page = await browser.post(PAGE, {
      do: "look make",
      look: JSON.stringify(LOOK),
      name: "Main",
    });
    expect(page.status).toBe(422);
    expect(await textOf(page.clone(), "#name-mistake")).toBe(fill(refused.taken, { name: "Main" }));
    expect(await attributeOf(page, "[name=look]", "value")).toBe(JSON.stringify(LOOK));
    expect(names()).toEqual(["Main"]);
  });

  test("is refused with what is wrong with it, whatever is done with it", async () => {
    const look = JSON.stringify({ ...LOOK, options: { theme: "<b>neon" } });
    for (const action of ["look", "look make", "look use"]) {
      const page = await browser.post(PAGE, { do: action, look, id: idOf("Main") });
      expect(page.status).toBe(422);
      expect(await textOf(page.clone(), "#look-mistake")).toBe(
        fill(languages.en.refused.look.value, { option: "theme", value: "<b>neon" }),
      );
      expect((await textOf(page, "textarea"))?.trim()).toBe(look);
    }
    expect(widgets()).toMatchObject([{ name: "Main", revision: 1 }]);
  });

  test("may have as much CSS as there may be, in any language", async () => {
    const css = `/*${"夜".repeat(6_800)}*/`;
    const body = new FormData();
    body.set("token", browser.formToken);
    body.set("do", "look make");
    body.set("look", JSON.stringify({ ...LOOK, css }));
    const sent = await browser.get(PAGE, {
      method: "POST",
      body,
      headers: { origin: "http://127.0.0.1:4747" },
    });
    expect(sent.status).toBe(303);
    expect(widgets()[1]?.css).toBe(css);
  });
});

describe("the looks that come with Marquee", () => {
  test("have a name and a description in English, and demo music", async () => {
    const language = "en";
    const page = await browser.get(`/${language}/dashboard/widget`);
    const text = await page.text();
    const words = languages[language];
    for (const id of SHIPPED_LOOK_NAMES) {
      expect(text).toContain(Bun.escapeHTML(words.looks[id].text).replaceAll("&#x27;", "'"));
      expect(text).toContain(`src="/${language}/demo?look=${id}"`);
    }
    expect(SHIPPED_LOOK_NAMES.length).toBeGreaterThanOrEqual(18);
  });

  test("become overlays with one click, each with a name of its own", async () => {
    for (const look of ["poster", "crt", "glass", "poster"])
      await submit({ do: "look make", look });
    const { looks } = languages.en;
    const { poster, crt, glass } = looks;
    expect(names()).toEqual(["Main", poster.name, crt.name, glass.name, `${poster.name} 2`]);
    await submit({ do: "look use", look: "crt", id: idOf("Main") });
    const [main] = widgets();
    expect(main?.options["theme"]).toBe("card");
    expect(main?.css).toContain(".np-card");
  });

  test("are offered for an overlay that is there only while there is one", async () => {
    const offered = async () => {
      const page = await browser.get(PAGE);
      const button = "button[name=look][value=crt][form=use-look]";
      return [
        await attributeOf(page.clone(), "#use-look [name=id]", "value"),
        await textOf(page, button),
      ];
    };
    expect(await offered()).toEqual([idOf("Main"), t.looks.use]);
    await submit({ do: "widget add", name: "Line", kind: "text" });
    await submit({ do: "widget remove", id: idOf("Main") });
    expect(await offered()).toEqual([undefined, undefined]);
  });

  test("name what can be done with each after it, for screen readers", async () => {
    const [first = "crt"] = SHIPPED_LOOK_NAMES;
    const name = await groupNameOf(await browser.get(PAGE));
    expect(name).toBe(languages.en.looks[first].name);
  });

  test("are on the public demo, with their CSS", async () => {
    const page = await server.get("/en/demo?look=poster");
    expect(await attributeOf(page.clone(), "html", "data-np-theme")).toBe("art");
    expect(await textOf(page, ".np-widget-styles")).toContain("concert poster");
    const unknown = await server.get("/en/demo?look=constructor");
    expect(await textOf(unknown, ".np-widget-styles")).toBe("");
  });
});
