import { afterEach, beforeEach, describe, expect } from "bun:test";
import { en } from "../../src/i18n/en.ts";
import { currentChromium } from "../fixtures/browser/chromium.ts";
import { onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { sharedPages } from "../fixtures/browser/shared-pages.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { silentFlac } from "../fixtures/mpd/flac.ts";
import { sharedMpd } from "../fixtures/mpd/shared-mpd.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { type MarqueeProcess, startMarquee } from "../fixtures/servers/marquee-process.ts";
import { mpdIsInstalled } from "../fixtures/mpd/mpd-daemon.ts";
import { emptyMachine } from "../fixtures/sources/empty-machine.ts";

const test = testWith(currentChromium.name, currentChromium.isInstalled);
const { home, music } = en.dashboard;

describe("somebody who starts Marquee for the first time", () => {
  const pages = sharedPages(currentChromium);
  let marquee: MarqueeProcess;
  let folder: ReturnType<typeof createDataFolder>;

  beforeEach(async () => {
    folder = createDataFolder();
    marquee = await startMarquee({ folder: folder.path });
  });
  afterEach(async () => {
    await pages.closeAll();
    await marquee.stop();
    folder.remove();
  });

  test("sees the overlay play after one click, and has the handle that brings it into OBS", async () => {
    const { page, complaints, hosts } = await pages.open();
    await page.goto(marquee.ready["login_url"] ?? "");
    await page.getByRole("button", { name: en.signIn.confirm }).click();
    await page.getByRole("heading", { name: home.title }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/en/dashboard");
    const overlay = page.frameLocator(".scene iframe");
    await overlay.locator(".np-title:not(:empty)").waitFor();
    const handle = page.locator("[data-drag]");
    await handle.waitFor();
    expect(await handle.getAttribute("data-address")).toBe(marquee.ready["widget_url"] ?? "");
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(marquee.url).host]);
  });
});

describe("with an MPD on this computer", () => {
  const mpd = sharedMpd(
    () => ({
      "a.flac": silentFlac({
        seconds: 600,
        tags: [
          ["TITLE", "Paper Lanterns"],
          ["ARTIST", "Juniper Vale"],
        ],
      }),
    }),
    ["add a.flac", "play"],
  );
  onTheDashboard(
    "somebody new",
    (stage) => {
      const testWithMpd = mpdIsInstalled ? stage.test : testWith("mpd", false);

      testWithMpd("has the own song on the overlay after one more click", async () => {
        const { page, complaints } = await stage.open("overlay");
        const offer = page.locator(".players li").filter({ hasText: "MPD" });
        await offer.getByText("Paper Lanterns – Juniper Vale").waitFor();
        await offer.getByRole("button", { name: music.found.listen }).click();
        const overlay = page.frameLocator(".scene iframe");
        await overlay.locator(".np-title", { hasText: "Paper Lanterns" }).waitFor();
        await page.getByRole("heading", { name: home.putOnStream }).waitFor();
        expect(await page.getByText(home.question).count()).toBe(0);

        await page.evaluate(() => Object.assign(window, { isMarked: true }));
        const obs = await stage.openInObs(stage.overlay());
        await page.getByRole("heading", { name: home.isOnStream }).waitFor();
        expect(await page.getByText(home.putOnStream).isVisible()).toBe(false);
        expect(await page.evaluate(() => "isMarked" in window)).toBe(true);
        // It shows the own song, so that no other is put in its place.
        expect(await obs.page.textContent(".np-title")).toBe("Paper Lanterns");

        await page.getByRole("button", { name: home.done }).click();
        await page.getByRole("button", { name: home.hide }).waitFor();
        expect(complaints).toEqual([]);
      });
    },
    {
      realSources: true,
      connected: false,
      machine: {
        ...emptyMachine,
        at: (usual) => (usual.endsWith(":6600") ? mpd().address : "127.0.0.1:1"),
      },
    },
  );
});

onTheDashboard("somebody new whose player is silent", (stage) => {
  stage.test("sees a test track in OBS as soon as OBS shows the overlay", async () => {
    await stage.server.sourceOf(stage.ada).says(null);
    const { page } = await stage.open("overlay");
    await page.getByRole("heading", { name: home.putOnStream }).waitFor();
    const obs = await stage.openInObs(stage.overlay());
    const { title } = en.dashboard.widget.testTrack;
    await obs.page.locator(".np-title", { hasText: title }).waitFor();
    await page.frameLocator(".scene iframe").locator(".np-title", { hasText: title }).waitFor();
  });
});
