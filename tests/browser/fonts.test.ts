import { expect } from "bun:test";
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
    await widgets.save(stage.ada.user, 1, { options: {}, css, size: null }, { basedOn: 1 });
    expect(await widthOfLetter("?size=16")).toBeCloseTo(2, 1);
  });

  test("is fetched from this server, and no other font or host is", async () => {
    await stage.server.accounts.fonts.add(stage.ada.user, "Wide", wideFont());
    const css = `@import url("http://127.0.0.2:1/a.css");
      @font-face { font-family: "Far"; src: url("http://127.0.0.2:1/far.woff2") }
      .np-title { font-family: Far, Wide; background: url("http://127.0.0.2:1/a.png") }`;
    const { widgets } = stage.server.accounts;
    await widgets.save(stage.ada.user, 1, { options: {}, css, size: null }, { basedOn: 1 });
    await stage.plays(titled("Mo"));
    const answered: string[] = [];
    const { page } = await stage.open("", {
      async prepare(prepared) {
        prepared.on("response", (response) => answered.push(response.url()));
      },
    });
    await page.evaluate(() => document.fonts.ready);
    const hosts = new Set(answered.map((address) => new URL(address).host));
    expect([...hosts]).toEqual([new URL(stage.server.url).host]);
    expect(answered.filter((address) => address.endsWith(".woff2"))).toHaveLength(1);
  });
});
