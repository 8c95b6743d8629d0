import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { Look } from "../../src/looks/look.ts";
import type { Language } from "../../src/languages.ts";
import {
  coverOf,
  hiddenIs,
  inOldestEngine,
  isHidden,
  LONG_TITLE,
  type Stage,
  styleOf,
  titled,
  titleIs,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";

const red = coverOf("red", solidPicture("#c02050"));

/** Saves a look for the user's first widget. */
async function save({ server, ada }: Stage, look: Partial<Look>): Promise<void> {
  const { widgets } = server.accounts;
  const { id, options, css, size, revision } = await widgets.first(ada.user);
  await widgets.save(ada.user, id, { options, css, size, ...look }, { basedOn: revision });
}

async function speak({ server, ada }: Stage, language: Language): Promise<void> {
  const { widgets } = server.accounts;
  const first = await widgets.first(ada.user);
  await widgets.save(ada.user, first.id, first, { basedOn: first.revision, language });
}

const themeIs = (page: Page, theme: string) =>
  page.waitForFunction((wanted) => document.documentElement.dataset["npTheme"] === wanted, theme);

/** Remembers the card, and counts the frames in which it or its cover is not seen. */
const watchFrames = (page: Page) =>
  page.evaluate(() => {
    const card = document.querySelector<HTMLElement>(".np-card");
    const hasCover = !document.documentElement.hasAttribute("data-np-face");
    const watched = { frames: 0, blank: 0, isSame: () => true };
    Object.assign(window, { watched });
    watched.isSame = () => card === document.querySelector(".np-card");
    const look = () => {
      const box = card?.getBoundingClientRect();
      const isSeen =
        box !== undefined &&
        box.width > 50 &&
        box.height > 20 &&
        card !== null &&
        getComputedStyle(card).opacity === "1" &&
        document.styleSheets.length >= 4 &&
        (!hasCover ||
          Number(document.querySelector<HTMLImageElement>(".np-art-img")?.naturalWidth) > 0);
      watched.frames += 1;
      if (!isSeen) watched.blank += 1;
      requestAnimationFrame(look);
    };
    look();
  });

const watchedFrames = (page: Page) =>
  page.evaluate(async () => {
    const { watched } = window as unknown as {
      watched: { frames: number; blank: number; isSame(): boolean };
    };
    const before = watched.frames;
    while (watched.frames < before + 5) await new Promise(requestAnimationFrame);
    return { blank: watched.blank, isSame: watched.isSame() };
  });

inOldestEngine("a look that is saved while the overlay is open", (stage) => {
  const { test } = stage;

  test("changes colours, sizes and CSS in place, without a reload or a blank frame", async () => {
    await stage.plays(withCover(red));
    const { page, complaints } = await stage.open();
    await watchFrames(page);
    await save(stage, {
      options: { color: "00ff00", size: "22", label: "0", source: "0" },
      css: ".np-artist{letter-spacing:3px}",
    });
    await page.waitForFunction(
      () =>
        getComputedStyle(document.querySelector(".np-title") as Element).color === "rgb(0, 255, 0)",
    );
    expect(await styleOf(page, ".np", "font-size")).toBe("22px");
    expect(await styleOf(page, ".np-artist", "letter-spacing")).toBe("3px");
    expect(await page.textContent(".np-label")).toBe("");
    expect(await watchedFrames(page)).toEqual({ blank: 0, isSame: true });
    expect(complaints).toEqual([]);
  });

  test("changes the theme in place, and the cover stays even where another size is loaded", async () => {
    await stage.plays(withCover(red));
    const { page } = await stage.open();
    await watchFrames(page);
    for (const theme of ["vinyl", "bar", "art", "glass", "card"]) {
      await save(stage, { options: { theme } });
      await themeIs(page, theme);
    }
    expect(await watchedFrames(page)).toEqual({ blank: 0, isSame: true });
  });

  test("speaks another language at once", async () => {
    await stage.plays();
    const { page } = await stage.open();
    await watchFrames(page);
    await speak(stage, "de");
    await page.waitForFunction(() => document.documentElement.lang === "de");
    expect(await page.textContent(".np-label")).toContain("Läuft gerade");
    expect(await watchedFrames(page)).toEqual({ blank: 0, isSame: true });
  });

  test("loses against the address's own options, and against the CSS in OBS", async () => {
    await stage.plays();
    const { page } = await stage.open("?theme=bar&color=ff0000");
    await page.addStyleTag({ content: ".np-artist{color:rgb(1, 2, 3)}" });
    await save(stage, {
      options: { theme: "vinyl", color: "00ff00", radius: "3" },
      css: ".np-artist{color:blue}.np-title{letter-spacing:3px}",
    });
    await page.waitForFunction(
      () =>
        getComputedStyle(document.querySelector(".np-title") as Element).letterSpacing === "3px",
    );
    expect(await page.getAttribute("html", "data-np-theme")).toBe("bar");
    expect(await styleOf(page, ".np-title", "color")).toBe("rgb(255, 0, 0)");
    expect(await styleOf(page, ".np-artist", "color")).toBe("rgb(1, 2, 3)");
  });

  test("leaves a long title where it is if its box stays as wide", async () => {
    await stage.plays(titled(LONG_TITLE));
    const { page } = await stage.open("?marquee=auto&hold=0");
    const travelled = () =>
      page.evaluate(() => {
        const [animation] =
          document.querySelector(".np-title .np-marquee-text")?.getAnimations() ?? [];
        return Number(animation?.currentTime ?? -1);
      });
    await page.waitForFunction(() => {
      const [animation] =
        document.querySelector(".np-title .np-marquee-text")?.getAnimations() ?? [];
      return Number(animation?.currentTime ?? 0) > 150;
    });
    const before = await travelled();
    await save(stage, { options: { color: "00ff00" } });
    await page.waitForFunction(
      () =>
        getComputedStyle(document.querySelector(".np-title") as Element).color === "rgb(0, 255, 0)",
    );
    expect(await travelled()).toBeGreaterThanOrEqual(before);
  });

  test("changes what is shown when nothing plays", async () => {
    await stage.hearsNothing();
    const { page } = await stage.open("?hideDelay=0");
    await hiddenIs(page, true);
    await save(stage, { options: { idle: "text", idleText: "Back soon" } });
    await titleIs(page, "Back soon");
    expect(await isHidden(page)).toBe(false);
  });

  test("shows or removes the cover of the track that plays", async () => {
    await stage.plays(withCover(red));
    const { page } = await stage.open();
    await save(stage, { options: { art: "0" } });
    await page.waitForFunction(() => !document.documentElement.hasAttribute("data-np-has-art"));
    await save(stage, { options: {} });
    await page.waitForFunction(() => document.documentElement.hasAttribute("data-np-has-art"));
  });

  test("is shown by a page that was not connected when it was saved", async () => {
    await stage.plays();
    const { page } = await stage.open();
    const start = await stage.stopServer();
    await save(stage, { options: { theme: "vinyl" } });
    start();
    await themeIs(page, "vinyl");
  });
});
