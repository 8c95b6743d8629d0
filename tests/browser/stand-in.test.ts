import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { drawUpload } from "../../src/artwork/uploaded-picture.ts";
import {
  coverOf,
  inEveryEngine,
  titled,
  titleIs,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { patternPicture, solidPicture } from "../fixtures/sources/pictures.ts";

/** The picture that the page shows as a cover, once it is there. */
const shownCover = (page: Page): Promise<string | null> =>
  page.evaluate(async () => {
    const image = document.querySelector<HTMLImageElement>(".np-art-img");
    await image?.decode().catch(() => {});
    const isShown = !document.documentElement.hasAttribute("data-np-face");
    return isShown && image && image.naturalWidth > 0 ? image.getAttribute("src") : null;
  });

inEveryEngine("a stand-in cover", (stage) => {
  const { test } = stage;
  const setPicture = async (sidePx: number) => {
    const { server, ada } = stage;
    const picture = await patternPicture("png", sidePx);
    const id = await server.accounts.standInCovers.set(ada.user, () => drawUpload(picture));
    return `/covers/${id}.webp`;
  };
  const coverBecomes = (page: Page, path: string | null) =>
    page.waitForFunction((wanted) => {
      const image = document.querySelector<HTMLImageElement>(".np-art-img");
      const isShown = !document.documentElement.hasAttribute("data-np-face");
      return (isShown ? image?.getAttribute("src") : null) === wanted;
    }, path);

  test("comes and goes with covers, and with the user's choice, on an open page", async () => {
    await stage.plays(titled("First"));
    const { page, complaints } = await stage.open();
    expect(await shownCover(page)).toBeNull();
    await coverBecomes(page, await setPicture(300));
    const red = coverOf("red", solidPicture("#c02050"));
    await stage.plays({ ...titled("Second"), ...withCover(red) });
    await titleIs(page, "Second");
    expect(await shownCover(page)).toStartWith("/art/");
    await stage.plays(titled("Third"));
    await titleIs(page, "Third");
    await coverBecomes(page, await setPicture(200));
    await stage.server.accounts.standInCovers.remove(stage.ada.user);
    await coverBecomes(page, null);
    expect(complaints).toEqual([]);
  });
});
