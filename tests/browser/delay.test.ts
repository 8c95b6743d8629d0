import { expect } from "bun:test";
import { NOTHING_HIDDEN, UNTIL_RESUMED } from "../../src/accounts/privacy.ts";
import {
  hiddenIs,
  inOldestEngine,
  isHidden,
  openDelayed,
  setSourceVisible,
  stateIs,
  titled,
  titleIs,
} from "../fixtures/browser/overlay-page.ts";

inOldestEngine("an overlay for a delayed video", (stage) => {
  const { test } = stage;
  const elapsed = () => document.querySelector(".np-elapsed")?.textContent;
  /** The seconds of a text such as `1:05`. */
  const secondsOf = (text = "") =>
    text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

  test("draws the current track at once, with its position as it was that long ago", async () => {
    const { clock } = stage.server;
    const beganAtMs = clock.monotonicMs();
    await stage.plays({ ...titled("Now"), positionMs: 75_000 });
    const drawn = await (await fetch(stage.address("?delay=10"))).text();
    expect(drawn).toMatch(/np-elapsed">\s*1:05/);
    const { page } = await openDelayed(stage, "?delay=10");
    // The server's clock has gone on while the page opened: for how long depends on the machine.
    const openedForMs = clock.monotonicMs() - beganAtMs;
    expect(await page.textContent(".np-title")).toBe("Now");
    const atFirst = secondsOf(await page.evaluate(elapsed));
    expect(atFirst).toBeGreaterThanOrEqual(65);
    expect(atFirst).toBeLessThanOrEqual(65 + openedForMs / 1000);
    await page.clock.runFor(5_050);
    expect(secondsOf(await page.evaluate(elapsed)) - atFirst).toBeWithin(5, 7);
  });

  test("waits at the beginning of a track that began during the delay", async () => {
    // The server's clock goes on while the page opens, which takes seconds on a busy machine.
    await stage.plays({ ...titled("Just begun"), positionMs: 0 });
    const { page } = await openDelayed(stage, "?delay=30");
    await page.clock.runFor(10_000);
    expect(await page.evaluate(elapsed)).toBe("0:00");
    await page.clock.runFor(25_000);
    expect(await page.evaluate(elapsed)).toMatch(/^0:(0[5-9]|[1-5]\d)$/);
  });

  test("shows tracks, pauses, seeks and silence each as much later, in their order", async () => {
    await stage.plays({ ...titled("First"), positionMs: 50_000 });
    const { page, plays, hearsNothing } = await openDelayed(stage, "?delay=10&hideDelay=0");
    await plays({ ...titled("Second"), positionMs: 0 });
    await page.clock.runFor(2_000);
    await plays({ ...titled("Second"), positionMs: 90_000 });
    await page.clock.runFor(2_000);
    await plays({ ...titled("Second"), positionMs: 92_000, state: "paused" });
    await page.clock.runFor(2_000);
    await hearsNothing();

    await page.clock.runFor(3_900);
    expect(await page.textContent(".np-title")).toBe("First");
    await page.clock.runFor(200);
    await titleIs(page, "Second");
    expect(await page.evaluate(elapsed)).toBe("0:00");
    await page.clock.runFor(2_000);
    await page.waitForFunction(() => document.querySelector(".np-elapsed")?.textContent === "1:30");
    expect(await page.getAttribute("html", "data-np-state")).toBe("playing");
    await page.clock.runFor(2_000);
    await stateIs(page, "paused");
    expect(await page.evaluate(elapsed)).toBe("1:32");
    expect(await isHidden(page)).toBe(false);
    await page.clock.runFor(2_000);
    await hiddenIs(page, true);
  });

  test("ends a storm of skips with the newest, whatever it has dropped", async () => {
    await stage.plays(titled("First"));
    const { page, plays } = await openDelayed(stage, "?delay=30");
    for (let skip = 1; skip <= 130; skip++) await plays(titled(`Track ${skip}`));
    await page.clock.runFor(29_000);
    expect(await page.textContent(".np-title")).toBe("First");
    await page.clock.runFor(1_100);
    await titleIs(page, "Track 130");
  });

  test("is empty at once when sharing is paused, whatever its delays", async () => {
    await stage.plays(titled("First"));
    const { page, plays, received } = await openDelayed(stage, "?delay=30&hideDelay=600000");
    await plays(titled("Second"));
    const { accounts } = stage.server;
    const paused = { ...NOTHING_HIDDEN, pausedUntil: UNTIL_RESUMED };
    await received(() => accounts.privacy.change(stage.ada.user, paused));
    await hiddenIs(page, true);
    await page.clock.runFor(31_000);
    expect(await isHidden(page)).toBe(true);
    expect(await page.textContent(".np-title")).toBe("First");
    await received(() => accounts.privacy.change(stage.ada.user, NOTHING_HIDDEN));
    await page.clock.runFor(30_100);
    await titleIs(page, "Second");
    await hiddenIs(page, false);
  });

  test("is right at once when the source is shown again or the computer wakes up", async () => {
    await stage.plays({ ...titled("First"), positionMs: 10_000 });
    const { page, plays } = await openDelayed(stage, "?delay=5");
    await plays({ ...titled("Second"), positionMs: 0 });
    await setSourceVisible(page, false);
    await page.clock.fastForward(25_000);
    await setSourceVisible(page, true);
    await titleIs(page, "Second");
    expect(["0:20", "0:21"]).toContain((await page.evaluate(elapsed)) ?? "");
  });

  test("keeps its order over a restart of the server", async () => {
    await stage.plays(titled("First"));
    const { page, plays } = await openDelayed(stage, "?delay=5");
    await plays(titled("Second"));
    const start = await stage.stopServer();
    await page.clock.runFor(4_900);
    expect(await page.textContent(".np-title")).toBe("First");
    start();
    await page.clock.runFor(200);
    await titleIs(page, "Second");
    expect(await page.getAttribute("html", "data-np-state")).toBe("playing");
  });
});
