import { expect } from "bun:test";
import { SHIPPED_FONT_NAMES } from "../../src/overlay/fonts/shipped-fonts.ts";
import { inEveryEngine, titled } from "../fixtures/browser/overlay-page.ts";
import { wideFont } from "../fixtures/fonts/fonts.ts";

inEveryEngine("a user's own font", (stage) => {
  const { test } = stage;

  /** How wide a letter of the title is, in text sizes: in the wide font it is 2. */
  const widthOfLetter = async (query: string) => {
    await stage.plays(titled("Mo"));
    const { page, complaints } = await stage.open(query);
    await page.evaluate(() => document.fonts.ready);
    const letters = await page.evaluate(() => {
      const title = document.querySelector(".np-title .np-marquee-text") as Element;
      const range = document.createRange();
      range.selectNodeContents(title);
      const sizePx = Number.parseFloat(getComputedStyle(title).fontSize);
      return range.getBoundingClientRect().width / sizePx;
    });
    expect(complaints).toEqual([]);
    return letters / 2;
  };

  test("is what the option and the widget's CSS use by its name", async () => {
    const { fonts, widgets } = stage.server.accounts;
    expect(await widthOfLetter("?font=Wide+One")).toBeLessThan(1.5);
    await fonts.add(stage.ada.user, "Wide One", wideFont());
    expect(await widthOfLetter("?size=16")).toBeLessThan(1.5);
    expect(await widthOfLetter("?font=Wide+One&size=16")).toBeCloseTo(2, 1);
    const css = '.np-title { font-family: "Wide One" }';
    await widgets.save(stage.ada.user, 1, { options: {}, css, size: null }, { basedOn: 2 });
    expect(await widthOfLetter("?size=16")).toBeCloseTo(2, 1);
  });

  test("that comes to an open page has its titles measured again", async () => {
    const { fonts, widgets } = stage.server.accounts;
    await fonts.add(stage.ada.user, "Wide One", wideFont());
    await stage.plays(titled("Moonlight on the water"));
    const { page } = await stage.open();
    expect(await page.getAttribute(".np-title", "data-np-overflow")).toBeNull();
    const look = { options: { font: "Wide One" }, css: "", size: null };
    await widgets.save(stage.ada.user, 1, look, { basedOn: 2 });
    await page.waitForFunction(() => document.querySelector(".np-title[data-np-overflow]"));
  });
});

inEveryEngine("a font that comes with Marquee", (stage) => {
  const { test } = stage;

  /** The shipped fonts' files that a page with a title loads, without what marks their content. */
  const filesLoadedFor = async (query: string, title: string) => {
    await stage.plays(titled(title));
    const loaded: string[] = [];
    const { page, complaints } = await stage.open(query, {
      async prepare(prepared) {
        prepared.on("response", (response) => loaded.push(new URL(response.url()).pathname));
      },
    });
    await page.evaluate(() => document.fonts.ready);
    const drawn = await page.evaluate(() =>
      [...document.fonts].map(({ family, status }) => `${family.replaceAll('"', "")} ${status}`),
    );
    expect(complaints).toEqual([]);
    const fonts = loaded.filter((path) => path.startsWith("/fonts/"));
    return { fonts: fonts.map((path) => path.replace(/-\w+\.woff2$/, "")).toSorted(), drawn };
  };

  test("is drawn where a look names it, with the letters that its words need", async () => {
    for (const name of SHIPPED_FONT_NAMES) {
      const folder = `/fonts/${name.toLowerCase().replaceAll(" ", "-")}`;
      const query = `?font=${encodeURIComponent(name)}`;
      const { fonts, drawn } = await filesLoadedFor(query, "Night Drive");
      expect(fonts).toEqual([`${folder}-latin`]);
      expect(drawn).toEqual([`${name} loaded`, `${name} unloaded`]);
    }
    const { fonts, drawn } = await filesLoadedFor("?font=Lora", "Żółć");
    expect(fonts).toEqual(["/fonts/lora-latin", "/fonts/lora-latin-ext"]);
    expect(drawn).toEqual(["Lora loaded", "Lora loaded"]);
  });

  test("is not loaded by a look that does not name it", async () => {
    const { fonts, drawn } = await filesLoadedFor("?font=Georgia", "Night Drive");
    expect({ fonts, drawn }).toEqual({ fonts: [], drawn: [] });
  });
});
