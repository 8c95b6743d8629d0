import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { LARGEST_FONT } from "../../src/looks/fonts.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import { savedOptionList } from "../../widget/options.ts";
import type { OptionKind } from "../../widget/options.ts";
import { onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { coverOf, hiddenIs, titled, titleIs, withCover } from "../fixtures/browser/overlay-page.ts";
import { axeViolations, unfold } from "../fixtures/browser/page-checks.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { wideFont } from "../fixtures/fonts/fonts.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";

const words = languages.en;
const { account, widget } = words.dashboard;
const { editor } = widget;

const liveText = (page: Page, name: string) => page.locator(`[data-live-text="${name}"]`);

/** Waits until a part of the page says this. */
const says = (page: Page, name: string, text: string) =>
  liveText(page, name).filter({ hasText: text }).waitFor();

/** Marks what a page is now: a reload would take the mark away. */
const mark = (page: Page): Promise<unknown> =>
  page.evaluate(() => Object.assign(window, { isMarked: true }));
const isMarked = (page: Page): Promise<boolean> => page.evaluate(() => "isMarked" in window);

onTheDashboard("what is playing", (stage) => {
  const { test } = stage;

  test("changes on the page without a reload", async () => {
    await stage.plays();
    const { page, complaints } = await stage.open("nowPlaying");
    expect(await liveText(page, "title").textContent()).toBe("Paper Lanterns");
    await mark(page);

    const cover = coverOf("cover", await patternPicture("png", 64));
    await stage.plays({
      ...titled("The Next One"),
      ...withCover(cover),
      artists: ["Ada & Grace", "Linus"],
      state: "paused",
      positionMs: 100_000,
    });
    await says(page, "title", "The Next One");
    await says(page, "artist", "Ada & Grace, Linus");
    await says(page, "label", words.widget.paused);
    const progress = page.locator("progress");
    expect(await progress.evaluate((bar: HTMLProgressElement) => bar.position)).toBe(0.5);
    const art = page.locator("[data-live-art]");
    await art.waitFor();
    expect(await art.getAttribute("src")).toMatch(/^\/art\/[\w-]+\/256\.webp$/);

    await stage.server.sourceOf(stage.ada).says(null);
    await says(page, "label", words.widget.nothingPlaying);
    await art.waitFor({ state: "hidden" });
    expect(await progress.isVisible()).toBe(false);
    expect(await isMarked(page)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("has no bar while the position is not known", async () => {
    await stage.plays({ ...titled("Somewhere"), positionUnknown: true });
    const { page } = await stage.open("nowPlaying");
    const progress = page.locator("progress");
    expect(await progress.isVisible()).toBe(false);
    await stage.plays({ ...titled("Begun"), positionMs: 0, positionUnknown: true });
    await progress.waitFor();
  });

  test("says that the server is gone, and comes back by itself", async () => {
    await stage.plays();
    const { page } = await stage.open("nowPlaying");
    await mark(page);
    await stage.plays(titled("Before the Restart"));
    await says(page, "title", "Before the Restart");
    const away = page.getByText(words.dashboard.away);
    expect(await away.isVisible()).toBe(false);
    const start = await stage.stopServer();
    await away.waitFor();
    const again = page.waitForEvent("websocket");
    start();
    await again;
    await stage.plays(titled("After the Restart"));
    await says(page, "title", "After the Restart");
    await away.waitFor({ state: "hidden" });
    expect(await isMarked(page)).toBe(true);
  });

  test("says that a proxy passes on no sockets, where the server answers all the same", async () => {
    await stage.plays();
    const { page } = await stage.open("nowPlaying");
    await page.routeWebSocket(/\/dashboard\/live$/, (socket) => socket.close());
    await page.reload();
    await page.getByText(words.dashboard.unfollowed).waitFor();
    expect(await page.getByText(words.dashboard.away).isVisible()).toBe(false);
  });

  test("gives way to the sign-in notice when this browser is signed out elsewhere", async () => {
    await stage.plays();
    const { page } = await stage.open("nowPlaying");
    const elsewhere = await stage.open("account");
    const first = elsewhere.page.getByRole("button", { name: account.signOut }).nth(1);
    await first.click();
    await elsewhere.page.getByText(account.signedOut, { exact: true }).waitFor();
    await page.getByRole("heading", { name: words.signIn.neededTitle }).waitFor();
    await page.getByRole("link", { name: words.signIn.how }).click();
    await page.waitForURL("**/en/sign-in");
  });
});

onTheDashboard("the widget's editor", (stage) => {
  const { test } = stage;

  const address = (page: Page) => page.locator(".address code");
  const searchOf = (page: Page) => page.evaluate(() => location.search);
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
  /** Waits until the preview shows the overlay with this query. */
  const previews = (page: Page, query: string) =>
    page.waitForFunction((wanted) => {
      const frame = document.querySelector<HTMLIFrameElement>("[data-preview]");
      const inner = frame?.contentDocument;
      return inner?.location.search === wanted && inner.readyState === "complete";
    }, query);

  /** A control of each kind, and what it then adds to the address. */
  const changes: readonly [
    kind: OptionKind["kind"],
    act: (page: Page) => Promise<unknown>,
    query: string,
  ][] = [
    ["choice", (page) => page.locator("[name=theme][value=vinyl]").check(), "theme=vinyl"],
    ["colour", (page) => page.locator("#option-bg").fill("#ff8800"), "bg=ff8800"],
    [
      "font",
      (page) => page.locator("#option-font").fill("Georgia, serif"),
      "font=Georgia%2C+serif",
    ],
    ["number", (page) => page.locator("#option-radius").fill("12"), "radius=12"],
    ["switch", (page) => page.locator("#option-art").uncheck(), "art=0"],
    [
      "text",
      (page) => page.locator("#option-idleText").fill("À bientôt & co"),
      "idleText=%C3%80+bient%C3%B4t+%26+co",
    ],
  ];

  test("shows a change of every kind at once, in the preview and in the page's address", async () => {
    const kinds = new Set(savedOptionList.map(([, { type }]) => type.kind));
    expect(changes.map(([kind]) => kind)).toEqual([...kinds].toSorted());
    const { page, complaints } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await mark(page);
    let query = "draft=1";
    for (const [, act, added] of changes) {
      await act(page);
      query += `&${added}`;
      expect(await searchOf(page)).toBe(`?id=1&${query}`);
      await previews(page, `?${query}&demo=1`);
    }
    const inside = page.frameLocator("[data-preview]").locator("html");
    expect(await inside.getAttribute("data-np-theme")).toBe("vinyl");
    await page.locator("[name=language][value=fr]").check();
    await previewed(page, "html[lang=fr]").waitFor();
    expect(await isMarked(page)).toBe(true);
    // What is only looked at is not on stream, and the address for OBS stays as it is.
    expect((await stored()).revision).toBe(1);
    expect(await address(page).textContent()).toBe(stage.overlay());
    page.on("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await previewed(page, "html[lang=fr][data-np-theme=vinyl]").waitFor();
    expect(complaints).toEqual([]);
  });

  test("shows and saves changes while the browser takes no more addresses", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await page.evaluate(() => {
      window.history.replaceState = () => {
        throw new DOMException("Too many calls", "SecurityError");
      };
    });
    await page.locator("[name=theme][value=vinyl]").check();
    await previewed(page, "html[data-np-theme=vinyl]").waitFor();
    await saveState(page, editor.unsaved);
    await save(page);
    expect((await stored()).options).toEqual({ theme: "vinyl" });
  });

  test("says beside a control what is wrong with it, and leaves it out", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const radius = page.locator("#option-radius");
    await radius.fill("1000");
    const mistake = page.locator("#option-radius-mistake");
    expect(await mistake.isVisible()).toBe(true);
    expect(await radius.getAttribute("aria-describedby")).toBe("option-radius-mistake");
    expect(await searchOf(page)).toBe("?id=1");
    await radius.fill("10");
    expect(await mistake.isVisible()).toBe(false);
    expect(await searchOf(page)).toBe("?id=1&draft=1&radius=10");
  });

  test("describes a control by its hint, and by what is wrong only while it is", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    for (const [selector, wrong, right] of [
      ["#option-delay", "1000", "2"],
      ["#css", "é".repeat(10_241), ""],
    ] as const) {
      const field = page.locator(selector);
      const described = () => field.getAttribute("aria-describedby");
      const id = selector.slice(1);
      expect(await described()).toBe(`${id}-hint`);
      await field.fill(wrong);
      expect(await described()).toBe(`${id}-hint ${id}-mistake`);
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      await field.fill(right);
      expect(await described()).toBe(`${id}-hint`);
      expect(await field.getAttribute("aria-invalid")).toBe(null);
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
    const { page } = await stage.open("widget", {
      permissions,
      query: "?id=1&draft=1&theme=bar",
    });
    await page.locator("[name=position][value=br]").check();
    const copyables = page.locator(".copyable");
    const count = await copyables.count();
    const copied: string[] = [];
    for (let index = 0; index < count; index++) {
      const button = copyables.nth(index).locator("[data-copy]");
      await button.click();
      await button.filter({ hasText: words.parts.copied }).waitFor();
      copied.push(await page.evaluate(() => navigator.clipboard.readText()));
    }
    expect(copied).toEqual(await copyables.locator("code").allTextContents());
    expect(copied.slice(0, 3)).toEqual([stage.overlay(), stage.overlay(), stage.overlay()]);
    expect(copied.slice(3, 5)).toEqual(["1000", "120"]);
    // The address is copied without being shown.
    for (const code of await page.locator(".copyable.secret code").all()) {
      expect(await code.isVisible()).toBe(false);
    }
    expect(await page.locator("main").innerText()).not.toContain(stage.ada.widgetToken);
  });

  test("shows a test track in an open overlay, and says so without a reload", async () => {
    await stage.plays();
    const { page } = await stage.open("widget", { query: "?id=1" });
    const send = page.getByRole("button", { name: widget.test });
    const outcome = page.locator("[data-test-outcome]");
    await mark(page);
    await send.click();
    await outcome.filter({ hasText: widget.testUnseen }).waitFor();

    const obs = await stage.openInObs(stage.overlay());
    await titleIs(obs.page, "Paper Lanterns");
    await page.getByText(words.dashboard.nowPlaying.onStream, { exact: true }).waitFor();
    await send.click();
    await outcome.filter({ hasText: fill(widget.testSent, { count: "1" }) }).waitFor();
    await titleIs(obs.page, widget.testTrack.title);
    expect(await isMarked(page)).toBe(true);
  });

  test("saves what is edited, and says how far it is", async () => {
    const { page, complaints } = await stage.open("widget", { query: "?id=1" });
    await saveState(page, editor.saved);
    await page.locator("[name=theme][value=glass]").check();
    await saveState(page, editor.unsaved);
    await mark(page);
    await save(page);
    expect(await stored()).toMatchObject({ options: { theme: "glass" }, revision: 2 });
    expect(await searchOf(page)).toBe("?id=1");
    await page.locator("[name=theme][value=card]").check();
    await saveState(page, editor.unsaved);
    await page.locator("[name=theme][value=glass]").check();
    await saveState(page, editor.saved);
    expect(await isMarked(page)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("undoes and redoes, with buttons and keys, but leaves text fields their own", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const chosen = () => page.locator("[name=theme]:checked").inputValue();
    const undo = page.getByRole("button", { name: editor.undo });
    const redo = page.getByRole("button", { name: editor.redo });
    expect([await undo.isDisabled(), await redo.isDisabled()]).toEqual([true, true]);
    await page.locator("[name=theme][value=bar]").check();
    await page.locator("#option-bg").fill("#ff8800");
    await page.locator("#css").fill(".np { color: lime }");
    await undo.click();
    expect(await page.locator("#css").inputValue()).toBe("");
    await undo.focus();
    await page.keyboard.press("Control+z");
    expect(await page.locator("[name=bg][value=auto]").isChecked()).toBe(true);
    expect(await chosen()).toBe("bar");
    await page.keyboard.press("Control+z");
    expect(await chosen()).toBe("card");
    await saveState(page, editor.saved);
    await page.locator("[name=theme]:checked").focus();
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
    await css.pressSequentially(".np{color:lime}", { delay: 5 });
    await page.locator("[name=theme][value=glass]").check();
    await until(async () => ((await stored()).options["theme"] === "glass" ? true : undefined));
    await saveState(page, editor.saved);
    expect(await stored()).toMatchObject({ options: { theme: "glass" }, css: ".np{color:lime}" });
    // Typing that goes on is one save.
    expect(saves.length).toBeLessThan(8);
    await page.getByRole("switch", { name: editor.live }).uncheck();
    await page.locator("[name=theme][value=bar]").check();
    await saveState(page, editor.unsaved);
    expect((await stored()).options).toEqual({ theme: "glass" });
  });

  test("lets one choose when another look was saved meanwhile, and loses neither", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await page.locator("[name=theme][value=glass]").check();
    const theirs = { options: { theme: "bar" }, css: "", size: null };
    await widgets().save(stage.ada.user, 1, theirs, { basedOn: 1 });
    await page.getByRole("button", { name: editor.save, exact: true }).click();
    await page.getByText(editor.newer, { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect((await stored()).options).toEqual({ theme: "bar" });
    const chosen = () => page.locator("[name=theme]:checked").inputValue();
    await page.getByRole("link", { name: editor.lookAtNewer }).click();
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
    await page.locator("#css").fill(".np-title { color: rgb(1, 2, 3) }");
    await save(page);
    await page.locator("#css").fill("");
    await page.locator("[name=theme][value=glass]").check();
    await save(page);
    await mark(page);
    const earlier = page.locator("[data-version-list] a");
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
    await unfold(page);
    const list = "**/dashboard/widget?id=1";
    const failed = page.waitForEvent("requestfailed");
    await page.route(list, (route) => route.abort());
    await page.locator("[name=theme][value=glass]").check();
    await save(page);
    await failed;
    await page.unroute(list);
    const versions = page.locator("[data-versions]");
    for (const isOpen of [false, true]) {
      await versions.evaluate((details, open) => void Object.assign(details, { open }), isOpen);
    }
    await page.locator("[data-version-list] a").waitFor();
  });

  test("shows CSS while it is typed, and inserts the names that it may use", async () => {
    const { page, complaints } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const css = page.locator("#css");
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
    // The overlay that comes with another theme has it too.
    await page.locator("[name=theme][value=glass]").check();
    await previewed(page, "html[data-np-theme=glass]").waitFor();
    expect(await colour()).toBe("rgb(1, 2, 3)");
    await css.fill("é".repeat(10_241));
    expect(await page.locator("#css-mistake").isVisible()).toBe(true);
    await saveState(page, editor.mistakes);
    expect(complaints).toEqual([]);
  });

  test("never shows an empty preview while another look loads", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await previewed(page, ".np-title").waitFor();
    await page.evaluate(() => {
      const shown: boolean[] = [];
      Object.assign(window, { shown });
      new MutationObserver(() => {
        const frames = [...document.querySelectorAll("iframe")];
        shown.push(
          frames.some(
            (frame) =>
              getComputedStyle(frame).visibility === "visible" &&
              frame.contentDocument?.querySelector(".np-title") !== null,
          ),
        );
      }).observe(document.body, { childList: true, subtree: true, attributes: true });
    });
    for (const theme of ["bar", "glass"]) {
      await page.locator(`[name=theme][value=${theme}]`).check();
      await previewed(page, `html[data-np-theme=${theme}]`).waitFor();
    }
    const shown = await page.evaluate(() => (window as unknown as { shown: boolean[] }).shown);
    expect(shown.length).toBeGreaterThan(3);
    expect(shown).not.toContain(false);
  });

  test("shows another look in the preview once the server is there again", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await previewed(page, ".np-title").waitFor();
    const start = await stage.stopServer();
    const failed = page.waitForEvent("requestfailed", (request) => request.isNavigationRequest());
    await page.locator("[name=theme][value=vinyl]").check();
    await failed;
    // What was shown stays until then.
    expect(await previewed(page, ".np-title").count()).toBe(1);
    // CSS that is typed meanwhile is shown at once, and takes nothing away from that.
    await page.locator("iframe.coming").waitFor({ state: "detached" });
    await page.locator("#css").evaluate((css: HTMLTextAreaElement) => {
      css.value = ".np{}";
      css.dispatchEvent(new Event("input", { bubbles: true }));
    });
    start();
    await previewed(page, "html[data-np-theme=vinyl]").waitFor();
  });

  test("shows an overlay that is shown on demand, and its addresses once it is saved", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page } = await stage.open("widget", { permissions, query: "?id=1" });
    const title = page.getByRole("heading", { name: widget.onDemand.title });
    expect(await title.count()).toBe(0);
    await unfold(page);
    await page.locator("[name=shown][value=asked]").check();
    await save(page);
    await title.waitFor();
    expect(await previewed(page, ".np-card").isVisible()).toBe(true);
    const copies = page.locator("[data-on-demand] button[data-copy]");
    expect(await copies.count()).toBe(2);
    await copies.first().click();
    await copies.first().filter({ hasText: words.parts.copied }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/show\/mqs_/);
    await page.locator("[name=shown][value=always]").check();
    await save(page);
    await title.waitFor({ state: "detached" });
  });

  test("keeps the preview and Save in sight on a small phone", async () => {
    const { page } = await stage.open("widget", {
      query: "?id=1",
      viewport: { width: 360, height: 740 },
    });
    await unfold(page);
    for (const place of ["#option-show", "#css", "#fontName"]) {
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

  test("adds and removes a font without losing what is not saved", async () => {
    const { page, complaints } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await page.locator("#css").fill(".np { color: lime }");
    await mark(page);
    const outcome = page.locator("[data-font-outcome]");
    const upload = async (name: string, bytes: Uint8Array) => {
      await page.locator("#fontName").fill(name);
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
    expect(await page.locator("#own-fonts option").getAttribute("value")).toBe("Wide");
    await page.locator("#option-font").fill("Wide");
    await previewed(page, "html").waitFor();
    await page.waitForFunction(() => {
      const frame = document.querySelector<HTMLIFrameElement>("[data-preview]");
      return [...(frame?.contentDocument?.fonts ?? [])].some(({ status }) => status === "loaded");
    });
    await page.getByText(editor.fonts.remove, { exact: true }).click({ force: true });
    await page.locator("[data-font-list] details").evaluate((details) => {
      if (details instanceof HTMLDetailsElement) details.open = true;
    });
    await page.getByRole("button", { name: `${editor.fonts.removeGo}: Wide` }).click();
    await outcome.filter({ hasText: editor.fonts.removed }).waitFor();
    expect(await page.locator("[data-font-list] li").count()).toBe(0);
    expect(await page.locator("#css").inputValue()).toBe(".np { color: lime }");
    expect(await isMarked(page)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("makes an open overlay go dark when the address is replaced", async () => {
    await stage.plays();
    const before = stage.overlay("?theme=bar");
    const obs = await stage.openInObs(before);
    await titleIs(obs.page, "Paper Lanterns");
    const { page } = await stage.open("widget", { query: "?id=1&draft=1&theme=bar" });
    page.on("dialog", (dialog) => void dialog.accept());
    await page.locator("[name=position][value=br]").check();
    await page.getByText(widget.rotate, { exact: true }).click();
    await page.getByRole("button", { name: widget.rotateGo }).click();
    await page.getByText(widget.rotated, { exact: true }).waitFor();
    await hiddenIs(obs.page, true);
    const after = (await address(page).textContent()) ?? "";
    expect(after).not.toBe(before);
    expect(await searchOf(page)).toContain("theme=bar&position=br");

    await obs.page.goto(after);
    await titleIs(obs.page, "Paper Lanterns");
    const old = await obs.page.goto(before);
    expect(old?.status()).toBe(404);
    expect(await obs.page.locator("body").isVisible()).toBe(false);
  });
});
