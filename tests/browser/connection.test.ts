import { expect } from "bun:test";
import type { Change } from "../../src/db/changes.ts";
import type { Page } from "playwright-core";
import {
  type Stage,
  hiddenIs,
  inOldestEngine,
  isHidden,
  opacityOfCard,
  restsNow,
  setSourceVisible,
  stateIs,
  titled,
  titleIs,
} from "../fixtures/browser/overlay-page.ts";
import { GIVE_UP_MS, until } from "../fixtures/clock/waiting.ts";

const ANY_CHANGE: Change = { userId: undefined, concerns: () => true };

inOldestEngine("the overlay's connection", (stage) => {
  const { test } = stage;

  test("comes back by itself after the server was gone, without a reload", async () => {
    await stage.plays();
    const { page } = await stage.open();
    await mark(page);
    const start = await stage.stopServer();
    start();
    await stage.plays(titled("After the restart"));
    await titleIs(page, "After the restart");
    expect(await isMarked(page)).toBe(true);
    await restsNow(page);
    expect(await opacityOfCard(page)).toBe(1);
  });

  test("keeps the card for ten seconds without a server, fades it out, and brings it back", async () => {
    await stage.plays();
    const { page } = await stage.open("", { frozen: true });
    await mark(page);
    const start = await stage.stopServer();
    await until(() => stage.server.app.gauges.overlays?.() === 0 || undefined);
    // The page has noticed it as soon as it waits to try again.
    await page.clock.runFor(600);
    await page.clock.runFor(9_000);
    expect(await page.getAttribute("html", "data-np-state")).toBe("playing");
    expect(await opacityOfCard(page)).toBe(1);
    await page.clock.runFor(1_000);
    expect(await page.getAttribute("html", "data-np-state")).toBe("offline");
    await page.waitForFunction(
      () => getComputedStyle(document.querySelector(".np-card") as Element).opacity === "0",
    );

    start();
    await stage.plays(titled("Back again"));
    await until(async () => {
      // The longest wait between two attempts.
      await page.clock.runFor(15_000);
      return (await page.textContent(".np-title")) === "Back again" || undefined;
    });
    await stateIs(page, "playing");
    await restsNow(page);
    expect(await opacityOfCard(page)).toBe(1);
    expect(await isMarked(page)).toBe(true);
  });

  test("counts on while the server is away", async () => {
    await stage.plays({ state: "paused", positionMs: 20_000 });
    const { page } = await stage.open("", { frozen: true });
    await stage.plays({ positionMs: 20_000 });
    await stateIs(page, "playing");
    await stage.stopServer();
    await page.clock.runFor(5_100);
    expect(["0:25", "0:26"]).toContain((await page.textContent(".np-elapsed")) ?? "");
  });

  test("notices a line that died in silence, and opens another", async () => {
    await stage.plays();
    const { page } = await stage.open("", { frozen: true });
    const again = page.waitForEvent("websocket");
    // Two and a half of the server's beats without a word, and the wait before the next attempt.
    await page.clock.runFor(37_600);
    await page.clock.runFor(600);
    await again;
    await stage.plays(titled("On the new line"));
    await titleIs(page, "On the new line");
  });

  test("gives up a line that does not open, and opens another", async () => {
    await stage.plays();
    const { page } = await stage.open("", { frozen: true });
    const start = await stage.stopServer();
    const { port } = new URL(stage.server.url);
    let lines = 0;
    const silent = Bun.listen({
      ...{ hostname: "127.0.0.1", port: Number(port) },
      socket: { open: () => void (lines += 1), data() {} },
    });
    await until(async () => {
      await page.clock.runFor(600);
      return lines > 0 || undefined;
    });
    // Those that are open stay so.
    silent.stop();
    start();
    await page.clock.runFor(37_600);
    await page.clock.runFor(15_000);
    await stage.plays(titled("On the new line"));
    await titleIs(page, "On the new line");
    silent.stop(true);
  });

  test("goes dark within a second when the address was replaced, and stays dark", async () => {
    await stage.plays();
    const { page } = await stage.open("?idle=text", { frozen: true });
    let sockets = 0;
    page.on("websocket", () => (sockets += 1));
    await stage.server.accounts.widgets.rotate(stage.ada.user, 1);
    await stage.server.app.followChange(ANY_CHANGE);
    await hiddenIs(page, true);
    await page.waitForFunction(
      () => getComputedStyle(document.querySelector(".np-card") as Element).opacity === "0",
    );
    await stage.plays(titled("Not for this page"));
    await page.clock.runFor(120_000);
    await setSourceVisible(page, false);
    await setSourceVisible(page, true);
    await page.clock.runFor(60_000);
    expect(sockets).toBe(0);
    expect(stage.server.app.gauges.overlays?.()).toBe(0);
    expect(await isHidden(page)).toBe(true);
    expect(await page.textContent(".np-title")).not.toBe("Not for this page");
    expect(await opacityOfCard(page)).toBe(0);
  });

  test("stays open under another version of the server while the card is seen, and reloads in an idle moment", async () => {
    await stage.plays();
    const page = await openOutdated(stage, "?hideDelay=600000");
    await mark(page);
    await stage.plays(titled("Seen"));
    await titleIs(page, "Seen");
    await stage.plays({ ...titled("Seen"), state: "paused" });
    await stateIs(page, "paused");
    expect(await isMarked(page)).toBe(true);
    await stage.hearsNothing();
    await page.waitForFunction(() => !("mark" in window));
    await until(() => stage.server.app.gauges.overlays?.() === 1 || undefined);
    await stage.plays(titled("Drawn anew"));
    await titleIs(page, "Drawn anew");
  });

  test("reloads under another version of the server once its source is hidden, and not again", async () => {
    await stage.plays();
    const page = await openOutdated(stage);
    await mark(page);
    await setSourceVisible(page, false);
    await page.waitForFunction(() => !("mark" in window));
    await mark(page);
    await until(() => stage.server.app.gauges.overlays?.() === 1 || undefined);
    await setSourceVisible(page, false);
    await stage.plays(titled("Later"));
    await titleIs(page, "Later");
    expect(await isMarked(page)).toBe(true);
  });

  test("survives being refreshed again and again", async () => {
    await stage.plays();
    const { page } = await stage.open();
    for (let time = 1; time <= 3; time++) {
      await page.reload();
      await stage.plays(titled(`Refreshed ${time}`));
      await titleIs(page, `Refreshed ${time}`);
    }
  });

  test("reaches twelve overlays beside a page of the same browser", async () => {
    await stage.plays();
    const context = await stage.browser.newContext();
    context.setDefaultTimeout(GIVE_UP_MS);
    const overlays = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const page = await context.newPage();
        await page.goto(stage.address());
        return page;
      }),
    );
    await until(() => stage.server.app.gauges.overlays?.() === 12 || undefined);
    const plain = await context.newPage();
    await plain.goto(`${stage.server.url}/en`);
    expect(await plain.textContent("h1")).not.toBe("");
    await stage.plays(titled("For all of you"));
    await Promise.all(overlays.map((page) => titleIs(page, "For all of you")));
    await context.close();
  });
});

/** Opens the overlay as another version of the server would have drawn it; the next time it is right. */
async function openOutdated(stage: Stage, query = ""): Promise<Page> {
  const { page } = await stage.open(query, {
    prepare: (blank) =>
      blank.addInitScript(() => {
        if (sessionStorage.getItem("opened")) return;
        sessionStorage.setItem("opened", "once");
        const { parse } = JSON;
        JSON.parse = (text) => {
          const value = parse(text);
          return "options" in value ? { ...value, version: "older" } : value;
        };
      }),
  });
  return page;
}

/** Marks the document: a reload loses it. */
const mark = (page: Page): Promise<unknown> =>
  page.evaluate(() => Object.assign(window, { mark: "the same page" }) && undefined);

const isMarked = (page: Page): Promise<boolean> => page.evaluate(() => "mark" in window);
