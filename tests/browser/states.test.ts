import { expect } from "bun:test";
import {
  animationsOf,
  coverOf,
  hiddenIs,
  inOldestEngine,
  isHidden,
  LONG_TITLE,
  measurementsOf,
  opacityOfCard,
  restsNow,
  setSourceVisible,
  setTabVisible,
  stateIs,
  styleOf,
  titled,
  titleIs,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";

inOldestEngine("what the overlay shows", (stage) => {
  const { test } = stage;

  test("counts the seconds while playing and stands still while paused", async () => {
    await stage.plays({ state: "paused", positionMs: 59_000 });
    const { page } = await stage.open("", { frozen: true });
    await stage.plays({ positionMs: 59_000 });
    await stateIs(page, "playing");
    await page.clock.runFor(4_100);
    expect(["1:03", "1:04"]).toContain((await page.textContent(".np-elapsed")) ?? "");
    await stage.plays({ state: "paused", positionMs: 70_000 });
    await stateIs(page, "paused");
    expect(await page.textContent(".np-label")).toBe("Paused");
    await page.clock.runFor(30_000);
    expect(await page.textContent(".np-elapsed")).toBe("1:10");
  });

  test("counts as fast as the player plays", async () => {
    await stage.plays({ state: "paused", positionMs: 59_000 });
    const { page } = await stage.open("", { frozen: true });
    await stage.plays({ positionMs: 60_000, rate: 1.5 });
    await stateIs(page, "playing");
    await page.clock.runFor(20_100);
    expect(["1:30", "1:31"]).toContain((await page.textContent(".np-elapsed")) ?? "");
  });

  test("follows a seek at once", async () => {
    await stage.plays({ positionMs: 10_000 });
    const { page } = await stage.open("", { frozen: true });
    await stage.plays({ positionMs: 150_000 });
    await page.waitForFunction(() => document.querySelector(".np-elapsed")?.textContent === "2:30");
    expect(await styleOf(page, ".np-progress-fill", "transform")).toMatch(/^matrix\(0\.75/);
    await stage.plays({ positionMs: 1_000 });
    await page.waitForFunction(() => document.querySelector(".np-elapsed")?.textContent === "0:01");
  });

  test("is right again as soon as the computer wakes up", async () => {
    await stage.plays({ state: "paused", positionMs: 10_000 });
    const { page } = await stage.open("", { frozen: true });
    await stage.plays({ positionMs: 20_000 });
    await stateIs(page, "playing");
    await page.clock.fastForward(30_000);
    expect(["0:50", "0:51"]).toContain((await page.textContent(".np-elapsed")) ?? "");
  });

  test("stops at the end of a track that goes on for longer than it said", async () => {
    await stage.plays({ positionMs: 195_000 });
    const { page } = await stage.open("", { frozen: true });
    await page.clock.runFor(20_000);
    expect(await page.textContent(".np-time")).toBe("3:203:20");
    expect(await styleOf(page, ".np-progress-fill", "transform")).toBe("matrix(1, 0, 0, 1, 0, 0)");
  });

  test("hides the bar and the end of a live stream that has none", async () => {
    await stage.plays(titled("Radio", null));
    const { page } = await stage.open();
    expect(await styleOf(page, ".np-progress", "visibility")).toBe("hidden");
    expect(await page.textContent(".np-time")).toMatch(/^0:1\d$/);
    await stage.plays(titled("A song"));
    await titleIs(page, "A song");
    expect(await styleOf(page, ".np-progress", "visibility")).toBe("visible");
    expect(await page.textContent(".np-duration")).toBe("3:20");
    await stage.plays(titled("Radio", null));
    await titleIs(page, "Radio");
    expect(await styleOf(page, ".np-progress", "visibility")).toBe("hidden");
    expect(await page.textContent(".np-duration")).toBe("");
  });

  test("shows clock and bar only when the position is known", async () => {
    await stage.plays({ ...titled("Somewhere"), positionUnknown: true });
    const { page } = await stage.open();
    const visibilities = () =>
      Promise.all([".np-time", ".np-progress"].map((part) => styleOf(page, part, "visibility")));
    expect(await visibilities()).toEqual(["hidden", "hidden"]);
    await stage.plays({ ...titled("Begun"), positionMs: 0, positionUnknown: true });
    await titleIs(page, "Begun");
    expect(await visibilities()).toEqual(["visible", "visible"]);
    await page.waitForFunction(() => document.querySelector(".np-elapsed")?.textContent !== "");
  });

  test("counts the hours of a ten-hour track", async () => {
    await stage.plays({
      ...titled("Rain", 36_000_000),
      positionMs: 35_999_000,
      state: "paused",
    });
    const { page } = await stage.open();
    expect(await page.textContent(".np-elapsed")).toBe("9:59:59");
    expect(await page.textContent(".np-duration")).toBe("10:00:00");
  });

  test("keeps what the card said while it fades out, and says nothing of it to screen readers", async () => {
    await stage.plays();
    const { page } = await stage.open("?hideDelay=0");
    await stage.hearsNothing();
    await hiddenIs(page, true);
    expect(await page.textContent(".np-title")).toBe("Paper Lanterns");
  });

  test("hides at once when paused with paused=hide and hideDelay=0, and comes back with the music", async () => {
    await stage.plays();
    const { page } = await stage.open("?paused=hide&hideDelay=0");
    await stage.plays({ state: "paused" });
    await hiddenIs(page, true);
    await stage.plays();
    await hiddenIs(page, false);
    await restsNow(page);
    expect(await opacityOfCard(page)).toBe(1);
  });

  test("shows no empty card when the first thing it learns is that nothing plays", async () => {
    const { page } = await stage.openBlank();
    await page.goto(stage.address());
    await stateIs(page, "loading");
    await stage.hearsNothing();
    await stateIs(page, "idle");
    expect(await isHidden(page)).toBe(true);
    await stage.plays();
    await stateIs(page, "playing");
    expect(await isHidden(page)).toBe(false);
  });

  test("does not hide in a pause shorter than hideDelay", async () => {
    await stage.plays();
    const { page } = await stage.open("?paused=hide", { frozen: true });
    await stage.plays({ state: "paused" });
    await stateIs(page, "paused");
    await page.clock.runFor(4_900);
    expect(await isHidden(page)).toBe(false);
    await stage.plays();
    await stateIs(page, "playing");
    await page.clock.runFor(10_000);
    expect(await isHidden(page)).toBe(false);
  });

  test("stays away with show=N when the same track seeks", async () => {
    await stage.plays();
    const { page } = await stage.open("?show=3", { frozen: true });
    await page.clock.runFor(3_100);
    expect(await isHidden(page)).toBe(true);
    await stage.plays({ positionMs: 150_000 });
    await page.waitForFunction(() => document.querySelector(".np-elapsed")?.textContent === "2:30");
    expect(await isHidden(page)).toBe(true);
  });

  test("comes back with show=N when the same track begins again after its end", async () => {
    await stage.plays({ positionMs: 195_000 });
    const { page } = await stage.open("?show=5", { frozen: true });
    await page.clock.runFor(5_100);
    expect(await isHidden(page)).toBe(true);
    await stage.plays({ positionMs: 0 });
    await page.waitForFunction(() => document.querySelector(".np-elapsed")?.textContent === "0:00");
    await page.clock.runFor(100);
    expect(await isHidden(page)).toBe(false);
    await page.clock.runFor(5_100);
    expect(await isHidden(page)).toBe(true);
  });

  for (const [means, setVisible] of [
    ["a hidden tab", setTabVisible],
    ["a hidden OBS source", setSourceVisible],
  ] as const) {
    test(`writes and animates nothing in ${means}, and is right at once on return`, async () => {
      await stage.plays({ state: "paused", ...titled(LONG_TITLE) });
      const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
      await stage.plays({ ...titled(LONG_TITLE), positionMs: 20_000 });
      await stateIs(page, "playing");
      await page.clock.runFor(100);
      expect(await animationsOf(page)).toBeGreaterThan(0);

      await setVisible(page, false);
      expect(await animationsOf(page)).toBe(0);
      await page.evaluate(() => {
        const observer = new MutationObserver((records) =>
          Object.assign(window, { writes: records.length }),
        );
        const everything = {
          subtree: true,
          childList: true,
          attributes: true,
          characterData: true,
        };
        observer.observe(document, everything);
      });
      const measure = await measurementsOf(page);
      await page.evaluate(() => document.body.offsetWidth);
      const layouts = await measure("LayoutCount");
      await page.clock.runFor(30_000);
      expect(await animationsOf(page)).toBe(0);
      expect(await page.evaluate(() => "writes" in window)).toBe(false);
      expect(await measure("LayoutCount")).toBe(layouts);

      await setVisible(page, true);
      expect(["0:50", "0:51"]).toContain((await page.textContent(".np-elapsed")) ?? "");
      await page.clock.runFor(1);
      expect(await animationsOf(page)).toBe(1);
    });

    test(`takes in what changes in ${means} without a move, and shows it on return`, async () => {
      await stage.plays();
      const { page } = await stage.open("?motion=full", { frozen: true });
      await setVisible(page, false);
      await stage.plays({
        ...titled("Meanwhile"),
        ...withCover(coverOf("red", solidPicture("#c02050"))),
      });
      await titleIs(page, "Meanwhile");
      expect(await animationsOf(page)).toBe(0);
      await setVisible(page, true);
      expect(await page.textContent(".np-title")).toBe("Meanwhile");
      expect(await page.getAttribute("html", "data-np-face")).toBeNull();
    });
  }
});
