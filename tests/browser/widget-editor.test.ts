import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { FieldType } from "../../src/field.ts";
import { LARGEST_PICTURE } from "../../src/artwork/uploaded-picture.ts";
import { LARGEST_FONT } from "../../src/looks/fonts.ts";
import { NEW_OVERLAY_LOOK } from "../../src/looks/look.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { SHIPPED_FONT_NAMES } from "../../src/overlay/fonts/shipped-fonts.ts";
import { savedOptionList } from "../../widget/options.ts";
import { onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { titleIs } from "../fixtures/browser/overlay-page.ts";
import { axeViolations, unfold } from "../fixtures/browser/page-checks.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { wideFont } from "../fixtures/fonts/fonts.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";

const words = languages.en;
const { dashboard } = words;
const { widget } = dashboard;
const { editor } = widget;

/** Marks what a page is now: a reload would take the mark away. */
const mark = (page: Page): Promise<unknown> =>
  page.evaluate(() => Object.assign(window, { isMarked: true }));
const isMarked = (page: Page): Promise<boolean> => page.evaluate(() => "isMarked" in window);

onTheDashboard("the widget's editor", (stage) => {
  const { test } = stage;

  /** Chooses a look of the strip. */
  const choose = async (page: Page, name: string) => {
    const look = page.locator(`[name=look][value=${name}]`);
    if (!(await look.isVisible())) await page.getByText(widget.allLooks, { exact: true }).click();
    await look.check();
  };
  const chosenOn = (page: Page) => page.locator("[name=theme]").inputValue();
  const openTab = (page: Page, tab: keyof typeof widget.tabs) =>
    page.getByRole("tab", { name: widget.tabs[tab] }).click();

  /** Writes CSS on its tab, and goes back to the other one. Everything is unfolded. */
  const writeCss = async (page: Page, css: string) => {
    await openTab(page, "obs");
    await page.locator("#css").fill(css);
    await openTab(page, "design");
  };

  const address = (page: Page) => page.locator(".obs .secret code");
  const saveState = (page: Page, text: string) =>
    page
      .locator("[data-save-state]")
      .and(page.getByText(text, { exact: true }))
      .waitFor();
  const save = async (page: Page) => {
    await page.getByRole("button", { name: editor.save, exact: true }).click();
    await saveState(page, editor.saved);
  };
  const widgets = () => stage.server.accounts.widgets;
  const stored = () => widgets().first(stage.ada.user);
  /** What a place of the previewed overlay looks like. */
  const previewed = (page: Page, selector: string) =>
    page.frameLocator("[data-preview]").locator(selector);
  /** Waits until a part of the previewed overlay has a style. */
  const isStyled = (page: Page, selector: string, property: string, value: string) =>
    page.waitForFunction(
      ([part, name, wanted]) => {
        const inner = document.querySelector<HTMLIFrameElement>("[data-preview]")?.contentDocument;
        const element = inner?.querySelector(part ?? "");
        return element ? getComputedStyle(element).getPropertyValue(name ?? "") === wanted : false;
      },
      [selector, property, value],
    );

  /** A control of each kind, and how the preview shows what it was changed to. */
  const changes: readonly [
    kind: FieldType["kind"],
    act: (page: Page) => Promise<unknown>,
    isShown: (page: Page) => Promise<unknown>,
    option: readonly [name: string, text: string],
  ][] = [
    [
      "choice",
      (page) => page.locator("[name=mode][value=light]").check(),
      (page) => previewed(page, "html[data-np-mode=light]").waitFor(),
      ["mode", "light"],
    ],
    [
      "colour",
      (page) => page.locator("#option-color").fill("#ff8800"),
      (page) => isStyled(page, ".np-title", "color", "rgb(255, 136, 0)"),
      ["color", "ff8800"],
    ],
    [
      "font",
      (page) => page.locator("#option-font").fill("Georgia, serif"),
      (page) => isStyled(page, ".np", "--np-font", '"Georgia",serif,system-ui,sans-serif'),
      ["font", "Georgia, serif"],
    ],
    [
      "number",
      (page) => page.locator("#option-size").fill("22"),
      (page) => isStyled(page, ".np", "font-size", "22px"),
      ["size", "22"],
    ],
    [
      "switch",
      (page) => page.locator("#option-art").uncheck(),
      (page) => previewed(page, ".np-art").waitFor({ state: "hidden" }),
      ["art", "0"],
    ],
    [
      "text",
      (page) => page.locator("#option-idleText").fill("À bientôt & co"),
      () => Promise.resolve(),
      ["idleText", "À bientôt & co"],
    ],
  ];

  test.each([360, 1280])("moves nothing with the first change, %i px wide", async (width) => {
    const { page } = await stage.open("widget", {
      query: "?id=1",
      viewport: { width, height: 800 },
    });
    await unfold(page);
    await saveState(page, editor.saved);
    const placeOf = (selector: string) => page.locator(selector).boundingBox();
    const places = () => Promise.all([".preview", "[data-undo]", "[data-redo]"].map(placeOf));
    await page.locator("#option-art").focus();
    const before = await places();
    await page.keyboard.press("Space");
    await saveState(page, editor.unsaved);
    expect(await places()).toEqual(before);
  });

  test("shows a change of every kind at once, and saves them", async () => {
    const kinds = new Set(savedOptionList.map(([, { type }]) => type?.kind));
    expect(changes.map(([kind]) => kind)).toEqual([...kinds].toSorted() as FieldType["kind"][]);
    const { page, complaints } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await mark(page);
    const loads: string[] = [];
    page.on("framenavigated", (frame) => loads.push(frame.url()));
    for (const [, act, isShown] of changes) {
      await act(page);
      await isShown(page);
    }
    await page.locator("[name=language][value=fr]").check();
    await previewed(page, "html[lang=fr]").waitFor();
    // What is only looked at is not on stream, and the address for OBS stays as it is.
    expect((await stored()).revision).toBe(1);
    expect(await address(page).textContent()).toBe(stage.overlay());
    await save(page);
    const options = Object.fromEntries(changes.map(([, , , option]) => option));
    expect(await stored()).toMatchObject({ options, language: "fr", revision: 2 });
    expect([loads, await isMarked(page)]).toEqual([[], true]);
    expect(complaints).toEqual([]);
  });

  test("keeps what is not saved over a reload, and drops it when it is saved", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await choose(page, "vinyl");
    await writeCss(page, ".np { color: lime }");
    const asked = page.waitForEvent("dialog").then((dialog) => dialog.accept());
    await Promise.all([asked, page.reload()]);
    await saveState(page, editor.unsaved);
    await previewed(page, "html[data-np-theme=vinyl]").waitFor();
    expect(await page.locator("#css").inputValue()).toBe(".np { color: lime }");
    await page.getByRole("button", { name: editor.undo }).click();
    await saveState(page, editor.saved);
    await page.getByRole("button", { name: editor.redo }).click();
    await save(page);
    await page.reload();
    await saveState(page, editor.saved);
    expect(await chosenOn(page)).toBe("vinyl");
  });

  test("saves a look as a new overlay, and leaves the one that was edited", async () => {
    const { page, complaints } = await stage.open("widget", { query: "?id=1&look=neon" });
    await unfold(page);
    await writeCss(page, ".np { opacity: 0.9 }");
    await saveState(page, editor.unsaved);
    await page.getByRole("button", { name: dashboard.gallery.looks.asNew }).click();
    await page.getByRole("heading", { name: "Main 2", level: 1 }).waitFor();
    await saveState(page, editor.saved);
    const [main, made] = widgets().allOf(stage.ada.user);
    expect(main).toMatchObject({ css: "", revision: 1 });
    expect(made).toMatchObject({ name: "Main 2", css: ".np { opacity: 0.9 }" });
    expect(new URL(page.url()).search).toBe(`?id=${made?.id}`);
    await page.goto(`${stage.address("widget")}?id=1`);
    await saveState(page, editor.saved);
    expect(await page.locator("[data-as-new]").isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  test("keeps what is not saved when the session has ended, and saves it in the next one", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await choose(page, "vinyl");
    await page.context().clearCookies();
    await page.keyboard.press("Control+s");
    await saveState(page, editor.saveFailed);
    await stage.enter(page.context());
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto(`${stage.address("widget")}?id=1`);
    await saveState(page, editor.unsaved);
    await page.keyboard.press("Control+s");
    await saveState(page, editor.saved);
    expect((await stored()).options).toEqual({ theme: "vinyl" });
  });

  test("says beside the name that another widget has it", async () => {
    await widgets().add(stage.ada.user, { name: "Other", kind: "overlay" });
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await page.locator("#name").fill("Other");
    await page.getByRole("button", { name: editor.save, exact: true }).click();
    const mistake = page.locator("#name-mistake");
    await mistake.getByText(fill(words.refused.widget.taken, { name: "Other" })).waitFor();
    await page.locator("#name").fill("");
    await mistake.getByText(editor.nameRule).waitFor();
    await page.locator("#name").fill("Another");
    await save(page);
    expect((await stored()).name).toBe("Another");
  });

  test("describes a control by its hint, and by what is wrong only while it is", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    for (const [tab, selector, wrong, right] of [
      ["design", "#option-delay", "1000", "2"],
      ["obs", "#css", "é".repeat(10_241), ""],
    ] as const) {
      await openTab(page, tab);
      const field = page.locator(selector);
      const described = () => field.getAttribute("aria-describedby");
      const id = selector.slice(1);
      const mistake = page.locator(`#${id}-mistake`);
      expect(await described()).toBe(`${id}-hint`);
      await field.fill(wrong);
      expect(await described()).toBe(`${id}-hint ${id}-mistake`);
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await mistake.isVisible()).toBe(true);
      await saveState(page, editor.mistakes);
      await field.fill(right);
      expect(await described()).toBe(`${id}-hint`);
      expect(await field.getAttribute("aria-invalid")).toBe(null);
      expect(await mistake.isVisible()).toBe(false);
    }
  });

  test("shows a picture of one's own behind the overlay, which goes nowhere", async () => {
    const { page, complaints, hosts } = await stage.open("widget", { query: "?id=1" });
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") requests.push(request.url());
    });

    const buffer = Buffer.from(await patternPicture("png", 64));
    const file = { name: "scene.png", mimeType: "image/png", buffer };
    await page.getByLabel(widget.ownPicture).setInputFiles(file);
    const screen = page.locator("[data-screen]");
    await page.locator("[name=background]").selectOption("own");
    const shown = await screen.evaluate((element) => getComputedStyle(element).backgroundImage);
    expect(shown).toStartWith(`url("blob:${stage.server.url}/`);
    const sidePx = await page.evaluate(async (source) => {
      const image = new Image();
      image.src = source.slice(5, -2);
      await image.decode();
      return image.naturalWidth;
    }, shown);
    expect(sidePx).toBe(64);
    expect(requests).toEqual([]);
    expect([...hosts].filter((host) => host !== "")).toEqual([new URL(stage.server.url).host]);
    expect(complaints).toEqual([]);
  });

  test("copies what stands beside each button", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page } = await stage.open("widget", { permissions, query: "?id=1" });
    await choose(page, "bar");
    await openTab(page, "obs");
    const copyables = page.locator(".copyable:visible");
    const count = await copyables.count();
    const copied: string[] = [];
    for (let index = 0; index < count; index++) {
      const button = copyables.nth(index).locator("[data-copy]");
      await button.click();
      await button.filter({ hasText: words.parts.copied }).waitFor();
      copied.push(await page.evaluate(() => navigator.clipboard.readText()));
    }
    await copyables.last().locator("[data-copy]", { hasText: words.parts.copy }).waitFor();
    expect(copied).toEqual(await copyables.locator("code").allTextContents());
    expect(copied).toEqual([stage.overlay(), "1000", "120"]);
    // The address is copied without being shown.
    for (const code of await page.locator(".copyable.secret code").all()) {
      expect(await code.isVisible()).toBe(false);
    }
    expect(await page.locator("main").innerText()).not.toContain(stage.ada.widgetToken);
  });

  test("shows a test track in an open overlay, and says so without a reload", async () => {
    await stage.plays();
    const { page } = await stage.open("widget", { query: "?id=1" });
    await openTab(page, "obs");
    const send = page.getByRole("button", { name: widget.test });
    const outcome = page.locator("[data-test-outcome]");
    await mark(page);
    await send.click();
    await outcome.filter({ hasText: widget.testUnseen }).waitFor();

    const obs = await stage.openInObs(stage.overlay());
    await titleIs(obs.page, "Paper Lanterns");
    await page.getByText(words.dashboard.home.onStream, { exact: true }).waitFor();
    await send.click();
    await outcome.filter({ hasText: fill(widget.testSent, { count: "1" }) }).waitFor();
    await titleIs(obs.page, widget.testTrack.title);
    expect(await isMarked(page)).toBe(true);
  });

  test("undoes and redoes, with buttons and keys, but leaves text fields their own", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const chosen = () => chosenOn(page);
    const undo = page.getByRole("button", { name: editor.undo });
    const redo = page.getByRole("button", { name: editor.redo });
    const cannot = () =>
      Promise.all([undo, redo].map((button) => button.getAttribute("aria-disabled")));
    expect(await cannot()).toEqual(["true", "true"]);
    await choose(page, "bar");
    await page.locator("#option-bg").fill("#ff8800");
    await writeCss(page, ".np { color: lime }");
    expect(await cannot()).toEqual(["false", "true"]);
    await undo.click();
    expect(await cannot()).toEqual(["false", "false"]);
    expect(await page.locator("#css").inputValue()).toBe("");
    await undo.focus();
    await page.keyboard.press("Control+z");
    expect(await page.locator("[data-control=bg] [data-automatic]").isChecked()).toBe(true);
    expect(await chosen()).toBe("bar");
    await page.keyboard.press("Control+z");
    expect(await chosen()).toBe("ambient");
    await saveState(page, editor.saved);
    await page.locator("[name=look]:checked").focus();
    await page.keyboard.press("Control+Shift+z");
    expect(await chosen()).toBe("bar");
    await redo.click();
    expect(await page.locator("#option-bg").inputValue()).toBe("#ff8800");
    await page.locator("#option-font").focus();
    await page.keyboard.press("Control+z");
    expect(await page.locator("#option-bg").inputValue()).toBe("#ff8800");
  });

  test("saves each change at once while it is live, one after the other", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const saves: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") saves.push(request.url());
    });
    await page.getByRole("switch", { name: editor.live }).check();
    const css = page.locator("#css");
    await openTab(page, "obs");
    await css.evaluate((field: HTMLTextAreaElement) => {
      for (const letter of ".np{color:lime}") {
        field.value += letter;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    });
    await openTab(page, "design");
    await page.locator("[name=mode][value=light]").check();
    await until(async () => ((await stored()).options["mode"] === "light" ? true : undefined));
    await saveState(page, editor.saved);
    expect(await stored()).toMatchObject({ options: { mode: "light" }, css: ".np{color:lime}" });
    // Typing that goes on is one save.
    expect(saves.length).toBeLessThan(8);
    await page.getByRole("switch", { name: editor.live }).uncheck();
    await page.locator("[name=mode][value=auto]").check();
    await saveState(page, editor.unsaved);
    expect((await stored()).options).toEqual({ ...NEW_OVERLAY_LOOK.options, mode: "light" });
  });

  test("has Save only while there is something to save, and never says Saved beside what is wrong", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const button = page.locator("[data-save]");
    expect(await button.isVisible()).toBe(false);
    // What the browser cannot read as a number is empty to the page, as if it was never changed.
    const radius = page.locator("#option-radius");
    await radius.focus();
    await page.keyboard.type("1e");
    await saveState(page, editor.mistakes);
    expect(await button.isVisible()).toBe(true);
    await page.locator("#name").focus();
    await page.keyboard.press("Control+s");
    expect(await radius.evaluate((field) => field === document.activeElement)).toBe(true);
    await saveState(page, editor.mistakes);
    expect((await stored()).revision).toBe(1);
    await radius.fill("12");
    await button.focus();
    await page.keyboard.press("Enter");
    await saveState(page, editor.saved);
    expect(await button.isVisible()).toBe(false);
    const focused = await page.evaluate(() =>
      document.activeElement?.hasAttribute("data-save-state"),
    );
    expect(focused).toBe(true);
    expect((await stored()).options).toEqual({ ...NEW_OVERLAY_LOOK.options, radius: "12" });
  });

  test("marks the look’s own value on a slider, and goes back to it", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await previewed(page, ".np-title").waitFor();
    await unfold(page);
    const control = page.locator("[data-control=radius]");
    const ownMark = control.locator("[data-own-mark]");
    const mark = () => ownMark.evaluate((option) => (option as HTMLOptionElement).value);
    const slider = control.getByRole("slider");
    // The corners of a new overlay are 18 px, of 64 at most; those of Cosy are 22.
    await until(async () => ((await mark()) === "18" ? true : undefined));
    expect(await slider.inputValue()).toBe("18");
    // A preview that comes late, or again, is asked once it is there.
    await ownMark.evaluate((option) => ((option as HTMLOptionElement).value = ""));
    await page
      .locator("[data-preview]")
      .evaluate((frame) => (frame as HTMLIFrameElement).contentWindow?.location.reload());
    await until(async () => ((await mark()) === "18" ? true : undefined));
    await choose(page, "cosy");
    await until(async () => ((await mark()) === "22" ? true : undefined));
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#option-radius").inputValue()).toBe("23");
    await isStyled(page, ".np-card", "border-top-left-radius", "23px");
    await control.getByRole("button", { name: fill(widget.ownValue, { value: "22" }) }).click();
    expect(await page.locator("#option-radius").inputValue()).toBe("22");
    await save(page);
    expect((await stored()).options).toMatchObject({ radius: "22" });
  });

  test("marks how long a title rests by itself, which hangs on how it moves", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const hold = page.locator("[data-control=hold]");
    const seconds = (value: string) =>
      until(async () =>
        (await hold.getByRole("slider").inputValue()) === value ? true : undefined,
      );
    await seconds("3.5");
    expect(await page.locator("#option-hold").getAttribute("placeholder")).toBe("3.5");
    await page.locator("label", { has: page.locator("[name=marquee][value=auto]") }).click();
    await seconds("3");
    await page.locator("#option-hold").fill("8");
    await seconds("8");
    await hold.getByRole("button", { name: fill(widget.ownValue, { value: "3" }) }).click();
    await seconds("3");
  });

  test("offers the colours of the cover that the preview shows", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const swatches = page.locator("[data-swatches=option-accent] button");
    await swatches.first().waitFor();
    const coloursNow = () =>
      swatches.evaluateAll((all) => all.map((swatch) => getComputedStyle(swatch).backgroundColor));
    const ordinary = await coloursNow();
    expect(ordinary.length).toBeGreaterThan(2);
    await swatches.last().click();
    await isStyled(page, ".np-progress-fill", "background-color", ordinary.at(-1) ?? "");
    expect(await page.locator("[data-control=accent] [data-automatic]").isChecked()).toBe(false);
    await page.locator("[name=demo]").selectOption("arabic");
    await until(async () => (Bun.deepEquals(await coloursNow(), ordinary) ? undefined : true));
    await page.locator("[name=demo]").selectOption("coverless");
    await until(async () => ((await swatches.count()) === 0 ? true : undefined));
  });

  test("says which CSS older OBS cannot read, and saves it all the same", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const warning = page.locator("[data-css-too-new]");
    await openTab(page, "obs");
    await page.locator("#css").fill(".np-card { color: red }");
    expect(await warning.isVisible()).toBe(false);
    await page.locator("#css").fill(".np:has(.np-art) { .np-title { color: red } }");
    const what = `${editor.cssNesting}, :has()`;
    await warning.filter({ hasText: fill(editor.cssTooNew, { what }) }).waitFor();
    await save(page);
  });

  test("goes from tab to tab by keyboard", async () => {
    const { page, complaints } = await stage.open("widget", {
      query: "?id=1",
      viewport: { width: 1280, height: 800 },
    });
    await previewed(page, ".np-title").waitFor();
    await choose(page, "neon");
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("tab", { name: widget.tabs.design }).focus();
    await page.keyboard.press("ArrowRight");
    await page.locator("#obs .obs").waitFor();
    expect(await page.locator("#design").isVisible()).toBe(false);
    expect(new URL(page.url()).searchParams.get("tab")).toBe("obs");
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("ArrowRight");
    await saveState(page, editor.unsaved);
    expect(complaints).toEqual([]);
  });

  test("lets one choose when another look was saved meanwhile, and loses neither", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await choose(page, "glass");
    const theirs = { options: { theme: "bar" }, css: "", size: null };
    await widgets().save(stage.ada.user, 1, theirs, { basedOn: 1 });
    await page.getByRole("button", { name: editor.save, exact: true }).click();
    await page.getByText(editor.newer, { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect((await stored()).options).toEqual({ theme: "bar" });
    const chosen = () => chosenOn(page);
    await page.getByRole("button", { name: editor.lookAtNewer }).click();
    await saveState(page, editor.saved);
    expect(await chosen()).toBe("bar");
    expect(await page.getByText(editor.newer, { exact: true }).isVisible()).toBe(false);
    await page.getByRole("button", { name: editor.undo }).click();
    expect(await chosen()).toBe("glass");
    await widgets().save(stage.ada.user, 1, { ...theirs, css: "x{}" }, { basedOn: 2 });
    await page.getByRole("button", { name: editor.save, exact: true }).click();
    await page.getByRole("button", { name: editor.saveMine }).click();
    await saveState(page, editor.saved);
    expect(await stored()).toMatchObject({ options: { theme: "glass" }, css: "", revision: 4 });
  });

  test("shows an earlier look in the preview before it is saved again", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await writeCss(page, ".np-title { color: rgb(1, 2, 3) }");
    await save(page);
    await writeCss(page, "");
    await choose(page, "glass");
    await save(page);
    await mark(page);
    const earlier = page.locator("[data-version-list] button");
    await until(async () => ((await earlier.count()) === 2 ? true : undefined));
    await earlier.first().click();
    await saveState(page, editor.unsaved);
    expect(await page.locator("#css").inputValue()).toContain("rgb(1, 2, 3)");
    expect((await stored()).options).toEqual({ theme: "glass" });
    await save(page);
    expect(await stored()).toMatchObject({ options: {}, revision: 4 });
    expect(await isMarked(page)).toBe(true);
  });

  test("lists the versions later that could not be had after a save", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await choose(page, "glass");
    await save(page);
    const versions = page.locator("[data-versions]");
    const setOpen = (isOpen: boolean) =>
      versions.evaluate((details, open) => void Object.assign(details, { open }), isOpen);
    const path = "**/dashboard/widget";
    const failed = page.waitForEvent("requestfailed");
    await page.route(path, (route) => route.abort());
    await setOpen(true);
    await failed;
    await page.unroute(path);
    for (const isOpen of [false, true]) await setOpen(isOpen);
    await page.locator("[data-version-list] button").waitFor();
  });

  test("shows CSS while it is typed, and inserts the names that it may use", async () => {
    const { page, complaints } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const css = page.locator("#css");
    await openTab(page, "obs");
    await css.focus();
    await page.getByRole("button", { name: ".np-title", exact: true }).click();
    expect(await css.inputValue()).toBe(".np-title {\n  \n}\n");
    await page.keyboard.type("color: rgb(1, 2, 3);");
    await page.getByRole("button", { name: "--np-radius", exact: true }).click();
    await page.keyboard.type("0");
    expect(await css.inputValue()).toBe(".np-title {\n  color: rgb(1, 2, 3);--np-radius: 0;\n}\n");
    const colour = () =>
      previewed(page, ".np-title").evaluate((title) => getComputedStyle(title).color);
    expect(await colour()).toBe("rgb(1, 2, 3)");
    // The overlay has it in the other mode too.
    await openTab(page, "design");
    await page.locator("[name=mode][value=light]").check();
    await previewed(page, "html[data-np-mode=light]").waitFor();
    expect(await colour()).toBe("rgb(1, 2, 3)");
    await writeCss(page, "é".repeat(10_241));
    await saveState(page, editor.mistakes);
    // Whoever wants to save is led to what is wrong, wherever it is.
    await page.keyboard.press("Control+s");
    await page.locator("#css:focus").waitFor();
    expect(await page.locator("#css-mistake").isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("shows what is edited whatever the server sends, and again after a restart", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await previewed(page, ".np-title").waitFor();
    await choose(page, "vinyl");
    await previewed(page, "html[data-np-theme=vinyl]").waitFor();
    const theirs = { options: { theme: "bar" }, css: ".np-title { color: red }", size: null };
    const obs = await stage.openInObs(stage.overlay());
    await widgets().save(stage.ada.user, 1, theirs, { basedOn: 1 });
    await obs.page.locator("html[data-np-theme=bar]").waitFor();
    const start = await stage.stopServer();
    const again = page.waitForEvent("websocket", (socket) => socket.url().includes("/widget/"));
    start();
    await (await again).waitForEvent("framereceived");
    expect(await previewed(page, "html").getAttribute("data-np-theme")).toBe("vinyl");
    await page.locator("#css").evaluate((css: HTMLTextAreaElement) => {
      css.value = ".np-title { color: lime }";
      css.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await isStyled(page, ".np-title", "color", "rgb(0, 255, 0)");
  });

  test("previews the user's own music, in the look that is edited", async () => {
    await stage.plays();
    const { page } = await stage.open("widget", { query: "?id=1" });
    await choose(page, "vinyl");
    await page.locator("[name=demo]").selectOption("0");
    await previewed(page, ".np-title").filter({ hasText: "Paper Lanterns" }).waitFor();
    await previewed(page, "html[data-np-theme=vinyl]").waitFor();
    await page.locator("[name=demo]").selectOption("japanese");
    await previewed(page, ".np-title").filter({ hasText: "夜の庭で" }).waitFor();
    await previewed(page, "html[data-np-theme=vinyl]").waitFor();
    await saveState(page, editor.unsaved);
  });

  test("shows an overlay that is shown on demand, and its addresses once it is saved", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page } = await stage.open("widget", { permissions, query: "?id=1" });
    const title = page.getByRole("heading", { name: widget.onDemand.title });
    expect(await title.isVisible()).toBe(false);
    await unfold(page);
    await page.locator("[name=shown][value=asked]").check();
    await save(page);
    expect(await previewed(page, ".np-card").isVisible()).toBe(true);
    await openTab(page, "obs");
    await title.waitFor();
    const copies = page.locator("[data-on-demand] button[data-copy]");
    expect(await copies.count()).toBe(2);
    await copies.first().click();
    await copies.first().filter({ hasText: words.parts.copied }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/show\/mqs_/);
    await openTab(page, "design");
    await page.locator("[name=shown][value=always]").check();
    await save(page);
    await openTab(page, "obs");
    await title.waitFor({ state: "hidden" });
  });

  test("keeps the preview and Save in sight on a small phone", async () => {
    const { page } = await stage.open("widget", {
      query: "?id=1",
      viewport: { width: 360, height: 740 },
    });
    await unfold(page);
    await page.locator("[name=mode][value=light]").check();
    for (const [tab, place] of [
      ["design", "#option-show"],
      ["design", "#font-name"],
      ["obs", "#css"],
    ] as const) {
      await openTab(page, tab);
      await page.locator(place).focus();
      const button = page.getByRole("button", { name: editor.save, exact: true });
      const isOnTop = await button.evaluate((save) => {
        const { x, y, width, height } = save.getBoundingClientRect();
        return save.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      });
      expect([place, isOnTop]).toEqual([place, true]);
      const { top, bottom } = await page
        .locator(place)
        .evaluate((field) => field.getBoundingClientRect());
      const preview = await page.locator(".preview").boundingBox();
      expect(bottom).toBeGreaterThan(preview?.height ?? 0);
      expect(top).toBeLessThan(740);
    }
  });

  test("says that a file is stored also where the page cannot be read again", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await page.route("**/dashboard/widget?id=1", (route) => route.abort());
    const section = page.locator("[data-uploads=stand-in]");
    const buffer = Buffer.from(await patternPicture("png", 200));
    const file = { name: "f.png", mimeType: "image/png", buffer };
    await section.locator("[type=file]").setInputFiles(file);
    await section.getByRole("button", { name: editor.standIn.save }).click();
    const outcome = section.locator("[data-outcome]:not(:empty)");
    expect(await outcome.textContent()).toBe(editor.standIn.saved);
    expect(stage.server.accounts.standInCovers.idOf(stage.ada.user.id)).toBeDefined();
  });

  test("sets and removes a stand-in cover, which the preview shows", async () => {
    const { page, complaints } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await page.locator("[name=demo]").selectOption("coverless");
    const section = page.locator("[data-uploads=stand-in]");
    const outcome = section.locator("[data-outcome]");
    const current = section.locator("[data-uploaded]");
    const use = async (bytes: Uint8Array) => {
      const file = { name: "f.png", mimeType: "image/png", buffer: Buffer.from(bytes) };
      await section.locator("[type=file]").setInputFiles(file);
      await section.getByRole("button", { name: editor.standIn.save }).click();
    };
    await use(new Uint8Array(LARGEST_PICTURE + 1));
    await outcome.filter({ hasText: languages.en.refused.cover.tooLarge }).waitFor();
    await use(new Uint8Array(9));
    await outcome.filter({ hasText: languages.en.refused.cover.noPicture }).waitFor();
    expect(await current.isVisible()).toBe(false);
    await use(await patternPicture("png", 200));
    await outcome.filter({ hasText: editor.standIn.saved }).waitFor();
    const shown = await current.locator("img").getAttribute("src");
    await previewed(page, `.np-art-img[src="${shown}"]`).waitFor();
    await page.reload();
    await unfold(page);
    expect(await current.locator("img").getAttribute("src")).toBe(shown);
    await current.locator("details").evaluate((details) => {
      if (details instanceof HTMLDetailsElement) details.open = true;
    });
    const removals: string[] = [];
    page.on("request", (request) => {
      const data = request.postData() ?? "";
      if (data.includes("cover remove")) removals.push(data);
    });
    await current.getByRole("button", { name: editor.standIn.removeGo }).evaluate((button) => {
      if (!(button instanceof HTMLButtonElement)) return;
      button.click();
      button.click();
    });
    await outcome.filter({ hasText: editor.standIn.removed }).waitFor();
    expect(await current.isVisible()).toBe(false);
    expect(removals).toHaveLength(1);
    // The files that were refused.
    expect(complaints.filter((one) => !one.includes("422"))).toEqual([]);
  });

  test("adds and removes a font without losing what is not saved", async () => {
    const { page, complaints } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await writeCss(page, ".np { color: lime }");
    await mark(page);
    const outcome = page.locator("[data-uploads=fonts] [data-outcome]");
    const upload = async (name: string, bytes: Uint8Array) => {
      await page.locator("#font-name").fill(name);
      const file = { name: "f.woff2", mimeType: "font/woff2", buffer: Buffer.from(bytes) };
      await page.locator("#font-file").setInputFiles(file);
      await page.getByRole("button", { name: editor.fonts.add }).click();
    };
    await upload("Wide", new Uint8Array(LARGEST_FONT + 1));
    await outcome.filter({ hasText: languages.en.refused.font.tooLarge }).waitFor();
    let uploads = 0;
    page.on("request", (request) => void (uploads += request.method() === "POST" ? 1 : 0));
    // The second click of two.
    await page.getByRole("button", { name: editor.fonts.add }).evaluate((button) => {
      const again = () => button.closest("form")?.requestSubmit();
      button.addEventListener("click", again, { once: true });
    });
    await upload("Wide", wideFont());
    await outcome.filter({ hasText: editor.fonts.added }).waitFor();
    expect(uploads).toBe(1);
    const offered = page.locator("#known-fonts option");
    const names = await offered.evaluateAll((options) =>
      options.map((option) => (option as HTMLOptionElement).value),
    );
    expect(names).toEqual(["Wide", ...SHIPPED_FONT_NAMES]);
    await page.locator("#option-font").fill("Wide");
    await previewed(page, "html").waitFor();
    await page.waitForFunction(() => {
      const frame = document.querySelector<HTMLIFrameElement>("[data-preview]");
      return [...(frame?.contentDocument?.fonts ?? [])].some(({ status }) => status === "loaded");
    });

    const list = page.locator("[data-uploads=fonts] [data-uploaded]");
    await list.getByText(editor.fonts.remove, { exact: true }).click({ force: true });
    await list.locator("details").evaluate((details) => {
      if (details instanceof HTMLDetailsElement) details.open = true;
    });
    await page.getByRole("button", { name: `${editor.fonts.removeGo}: Wide` }).click();
    await outcome.filter({ hasText: editor.fonts.removed }).waitFor();
    expect(await list.locator("li").count()).toBe(0);
    expect(await page.locator("#css").inputValue()).toBe(".np { color: lime }");
    expect(await isMarked(page)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("says where no script runs what works, and renames the overlay there", async () => {
    const { page } = await stage.open("widget", { javaScriptEnabled: false, query: "?id=1" });
    await page.locator("noscript .notice p").waitFor();
    expect(await page.locator(".editor").isVisible()).toBe(false);
    const rightOf = (part: string) =>
      page.locator(part).evaluate((element) => element.getBoundingClientRect().right);
    expect(await rightOf("noscript section")).toBe(await rightOf("main .tabs"));
    await page.locator("noscript input[name=name]").fill("Intro");
    await page.locator("noscript button[type=submit]").click();
    await page.getByRole("heading", { name: "Intro" }).waitFor();
    expect((await stored()).name).toBe("Intro");
    await page.goto(`${stage.address("widget")}?id=1&tab=obs`);
    expect(await rightOf("noscript section")).toBe(await rightOf(".on-stream"));
    expect(await page.locator("[data-into-obs]").isVisible()).toBe(false);
    for (const section of ["overlay", "widget"] as const) {
      await page.goto(stage.address(section));
      expect(await page.locator("[data-drag]").isVisible()).toBe(false);
    }
  });

  test("keeps what is not saved when the address is replaced", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await page.locator("[name=position][value=br]").check();
    await openTab(page, "obs");
    await page.getByRole("button", { name: widget.rotateGo }).click();
    await page.locator(".notice.good").waitFor();
    await openTab(page, "design");
    await saveState(page, editor.unsaved);
    expect(await page.locator("[name=position]:checked").inputValue()).toBe("br");
  });
});
