import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import type { AnyAction, Texts } from "../../src/actions/action.ts";
import { languages } from "../../src/i18n/index.ts";
import { readOptions } from "../../src/looks/draft.ts";
import { listVersions, saveWidget, testWidgets } from "../../src/looks/editor-actions.ts";
import { parseWidgetOptions, savedOptionList, widgetOptions } from "../../widget/options.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { documentsOf } from "../fixtures/data/actions.ts";
import { addWidget } from "../fixtures/data/widgets.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import { openPort, type RealPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer;
let ada: AddedUser;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
});
afterEach(() => server.close());

/** Asks for an action as Ada, and resolves with its documents. */
const ask = (action: AnyAction, texts: Texts) => documentsOf(server, ada, action, texts);
const widgets = () => server.accounts.widgets;
/** Ada's first widget. */
const stored = () => widgets().first(ada.user);
const save = async (draft: unknown, texts: Texts = {}) => {
  const [document] = await ask(saveWidget, { id: "1", draft: JSON.stringify(draft), ...texts });
  return document;
};

describe("a draft that is saved", () => {
  test("is stored whole, as the next revision", async () => {
    const draft = {
      name: "Scène",
      language: "fr",
      options: { theme: "glass" },
      css: ".np-title {\n  color: red;\n}",
      size: { width: 640, height: 120 },
    };
    expect(await save(draft)).toEqual({
      ...{ id: 1, saved: true, revision: 2, show_url: null, hide_url: null },
      ...draft,
    });
    expect(await stored()).toMatchObject({ ...draft, revision: 2 });
  });

  test("changes only what it has", async () => {
    const css = ".np { color: lime }";
    await save({ options: { theme: "bar" }, css });
    await save({ name: "Intro" });
    expect(await stored()).toMatchObject({ name: "Intro", options: { theme: "bar" }, css });
  });

  test("makes no revision of the look that is stored", async () => {
    await save({ options: { theme: "bar", album: "1" } });
    await save({ options: { album: "1", theme: "bar" }, name: "Renamed", language: "de" });
    expect(await stored()).toMatchObject({ name: "Renamed", language: "de", revision: 2 });
    expect(widgets().revisionsOf(ada.user, 1)).toHaveLength(2);
  });

  test("leaves no option that is the default", async () => {
    await save({
      options: { size: "20", mode: "dark", art: "1", speed: "30", bg: "FF8800", font: "" },
    });
    expect((await stored()).options).toEqual({ bg: "FF8800", size: "20" });
  });

  test("may have 20 KB of CSS", async () => {
    const css = `/*${"é\\".repeat(6_825)}*/`;
    await save({ css });
    expect((await stored()).css).toBe(css);
  });

  test("while editing leaves one look a minute in the history", async () => {
    for (const opacity of ["10", "20", "30", "40"]) {
      await save({ options: { opacity } }, { passing: "1" });
    }
    const revisions = widgets().revisionsOf(ada.user, 1);
    expect(revisions.map(({ options }) => options["opacity"])).toEqual(["40", undefined]);
  });

  test("keeps what a newer version has saved, and takes nothing else that it cannot read", async () => {
    const newer = { hologram: "3d", theme: "hyper" };
    await widgets().save(ada.user, 1, { options: newer, css: "", size: null }, { basedOn: 1 });
    await save({ options: { ...newer, album: "1" } });
    expect((await stored()).options).toEqual({ ...newer, album: "1" });
    await expect(save({ options: { ...newer, hologram: "2d" } })).rejects.toMatchObject({
      ...{ reason: "look.value", field: "hologram" },
    });
    await save({ options: { hologram: "3d", theme: "bar" } });
    expect((await stored()).options).toEqual({ hologram: "3d", theme: "bar" });
  });

  test("names the addresses that show and hide an overlay that is not always shown", async () => {
    const document = await save({ options: { shown: "asked" } });
    const token = await widgets().showTokenOf(ada.user, 1);
    expect(document).toMatchObject({
      show_url: `http://127.0.0.1:4747/show/${token}`,
      hide_url: `http://127.0.0.1:4747/hide/${token}`,
    });
  });
});

describe("a draft over a look that somebody else has saved", () => {
  const theirs = { options: { theme: "bar" }, css: "", size: null };

  test("is not saved, and the answer is what is stored", async () => {
    await widgets().save(ada.user, 1, theirs, { basedOn: 1 });
    const mine = { name: "Mine", options: { theme: "glass" }, css: ".np { color: lime }" };
    const answer = await save(mine, { basedOn: "1" });
    expect(answer).toMatchObject({ saved: false, revision: 2, name: "Main", ...theirs });
    expect(await stored()).toMatchObject({ name: "Main", ...theirs, revision: 2 });
    expect(await save(mine, { basedOn: "2" })).toMatchObject({ saved: true, revision: 3 });
    expect(await stored()).toMatchObject(mine);
  });

  test("replaces it where no revision is given", async () => {
    await widgets().save(ada.user, 1, theirs, { basedOn: 1 });
    expect(await save({ options: { theme: "glass" } })).toMatchObject({ saved: true, revision: 3 });
  });
});

describe("a draft that cannot be saved", () => {
  test.each<[draft: unknown, reason: string, field: string]>([
    [{ options: { size: "999" } }, "look.value", "size"],
    [{ options: { demo: "1" } }, "look.value", "demo"],
    [{ options: { constructor: "x" } }, "look.value", "constructor"],
    [{ options: { size: 20 } }, "widget.draft", "draft"],
    [{ name: "\u200b" }, "entered.name", "name"],
    [{ name: "Other" }, "widget.taken", "name"],
    [{ css: "é".repeat(10_241) }, "widget.css", "css"],
    [{ css: "a{}/*\u0007*/" }, "widget.css", "css"],
    [{ size: { width: 1.5, height: 100 } }, "widget.draft", "draft"],
    [{ size: { width: 15, height: 100 } }, "widget.draft", "draft"],
    [{ language: "xx" }, "widget.draft", "draft"],
    [[], "widget.draft", "draft"],
    [null, "widget.draft", "draft"],
  ])("changes nothing and says why: %j", async (draft, reason, field) => {
    await widgets().add(ada.user, { name: "Other", kind: "overlay" });
    const before = await stored();
    const isDraft = draft !== null && !Array.isArray(draft);
    const whole = isDraft ? { options: { theme: "glass" }, ...(draft as object) } : draft;
    await expect(save(whole)).rejects.toMatchObject({ reason, field });
    expect(await stored()).toEqual(before);
  });

  test("concerns the user's own widgets only", async () => {
    const grace = await server.addUser("grace");
    const theirs = await widgets().first(grace.user);
    for (const id of [String(theirs.id), "999"]) {
      const saved = save({ options: { theme: "bar" } }, { id });
      await expect(saved).rejects.toMatchObject({ reason: "widget.unknown" });
    }
    expect(await widgets().first(grace.user)).toEqual(theirs);
  });
});

describe("a draft of a text or a card", () => {
  test("has the options of its kind", async () => {
    const { widget: line } = await addWidget(server, ada, "text");
    const { widget: card } = await addWidget(server, ada, "card");
    const saveIn = (id: number, options: Record<string, string>) =>
      save({ options }, { id: String(id) });
    await saveIn(line.id, { template: "{title}", pausedTemplate: "", idleTemplate: "…", url: "1" });
    await saveIn(card.id, { mode: "light", progress: "1", source: "0" });
    const optionsOf = (id: number) => widgets().byId(ada.user, id).options;
    expect(optionsOf(line.id)).toEqual({ template: "{title}", idleTemplate: "…", url: "1" });
    expect(optionsOf(card.id)).toEqual({ mode: "light", source: "0" });
    for (const template of ["{titel}", "[{title}", "x".repeat(301)]) {
      await expect(saveIn(line.id, { template })).rejects.toMatchObject({ field: "template" });
    }
    await expect(saveIn(card.id, { theme: "bar" })).rejects.toMatchObject({ field: "theme" });
    const styled = save({ css: ".np{}" }, { id: String(line.id) });
    await expect(styled).rejects.toMatchObject({ reason: "widget.noOverlay" });
  });
});

test("the versions of a widget are listed whole, the newest first", async () => {
  await save({ options: { theme: "bar" }, css: ".np { color: lime }" });
  await server.clock.advance(1_000);
  await save({ options: { theme: "glass" }, css: "" });
  const size = null;
  expect(await ask(listVersions, { id: "1" })).toEqual([
    { revision: 3, options: { theme: "glass" }, css: "", size, saved_at: expect.any(String) },
    {
      ...{ revision: 2, options: { theme: "bar" }, css: ".np { color: lime }", size },
      saved_at: new Date(server.clock.wallMs() - 1_000).toISOString(),
    },
    { revision: 1, options: { theme: "ambient" }, css: "", size, saved_at: expect.any(String) },
  ]);
});

test("what is read of options means the same to the overlay, and is read back the same", () => {
  const value = fc.oneof(
    fc.constantFrom("0", "1", "auto", "none", "bar", "tl", "fff", "A1b2c3", "12.5", "007", ""),
    fc.string(),
  );
  const names = fc.constantFrom(...Object.keys(widgetOptions), "__proto__", "hologram");
  fc.assert(
    fc.property(fc.array(fc.tuple(names, value)), (entries) => {
      const texts = Object.fromEntries(entries);
      const { options, unread } = readOptions(texts, savedOptionList);
      const parsed = parseWidgetOptions(new URLSearchParams(options));
      expect(parsed.warnings).toEqual([]);
      expect(parsed.options).toEqual(parseWidgetOptions(new URLSearchParams(), texts).options);
      expect(readOptions(options, savedOptionList)).toEqual({ options, unread: {} });
      for (const [name, text] of Object.entries(unread)) expect(texts[name]).toBe(text);
    }),
  );
});

describe("a test track", () => {
  /** The browser's types know no headers; Bun's socket takes them where browsers take protocols. */
  const openAsObs = (address: string) =>
    new WebSocket(address, { headers: OBS } as unknown as string[]);
  const OBS = { "user-agent": "Mozilla/5.0 Chrome/127.0.0.0 Safari/537.36 OBS/31.0.0" };
  let port: RealPort;

  beforeEach(() => {
    port = openPort(server);
  });
  afterEach(() => port.end());

  test("is shown for twelve seconds, and then what is followed", async () => {
    await server.sourceOf(ada).says(null);
    const overlay = await openOverlay(`${port.origin}/en/widget/${ada.widgetToken}/live`);
    expect(await overlay.next()).toMatchObject({ state: { kind: "idle" } });
    await ask(testWidgets, {});
    const { title, artist, album } = languages.en.dashboard.widget.testTrack;
    expect(await overlay.next()).toMatchObject({
      state: { kind: "playing", positionMs: 42_000, track: { title, artist, album, art: null } },
    });
    await server.clock.advance(12_000);
    expect(await overlay.next()).toMatchObject({ state: { kind: "idle" } });
    overlay.close();
  });

  test("counts the browser sources that show it", async () => {
    expect(await ask(testWidgets, {})).toEqual([{ browser_sources: 0 }]);
    const address = `${port.origin.replace("http", "ws")}/en/widget/${ada.widgetToken}/live`;
    const sockets = [1, 2].map(() => openAsObs(address));
    await until(() => (server.app.gauges.overlays?.() === 2 ? true : undefined));
    expect(await ask(testWidgets, {})).toEqual([{ browser_sources: 2 }]);
    for (const socket of sockets) socket.close();
  });
});
