import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { type WidgetOption, widgetOptions } from "../../widget/options.ts";
import { choicesOf } from "../fixtures/browser/overlay-gallery.ts";
import {
  animationsOf,
  boxOf,
  coverOf,
  hiddenIs,
  inOldestEngine,
  isHidden,
  LONG_TITLE,
  opacityOfCard,
  openDelayed,
  restsNow,
  type Stage,
  stateIs,
  styleOf,
  titled,
  titleIs,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";

type OptionName = keyof typeof widgetOptions;

const names = Object.keys(widgetOptions) as OptionName[];
const red = coverOf("red", solidPicture("#c02050"));

/** What each option visibly does. The type refuses an option that is missing here. */
const effects: { readonly [Name in OptionName]: (stage: Stage) => Promise<void> } = {
  async theme(stage) {
    await stage.plays({ ...withCover(red), state: "paused" });
    const { page } = await stage.open("?motion=none");
    const looks = new Set<string>();
    for (const theme of choicesOf("theme")) {
      await go(stage, page, `?theme=${theme}&motion=none`);
      looks.add((await page.screenshot({ omitBackground: true })).toString("base64"));
    }
    expect(looks.size).toBe(choicesOf("theme").length);
  },

  async mode(stage) {
    await stage.plays();
    const { page } = await stage.open("?mode=dark", { colorScheme: "light" });
    const look = async () =>
      Promise.all([
        styleOf(page, ".np-backdrop", "background-color"),
        styleOf(page, ".np", "color"),
      ]);
    const dark = await look();
    await go(stage, page, "?mode=light");
    const light = await look();
    expect(dark).toEqual(["rgba(17, 19, 26, 0.94)", "rgb(255, 255, 255)"]);
    expect(light).toEqual(["rgba(252, 252, 254, 0.94)", "rgb(20, 22, 28)"]);
    await go(stage, page, "?mode=auto");
    expect(await look()).toEqual(light);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await look()).toEqual(dark);
  },

  async bg(stage) {
    await stage.plays();
    const { page } = await stage.open("?bg=204060");
    expect(await styleOf(page, ".np-backdrop", "background-color")).toBe("rgba(32, 64, 96, 0.94)");
    expect(await styleOf(page, ".np-title", "color")).toBe("rgb(255, 255, 255)");
    await go(stage, page, "?bg=fff");
    expect(await styleOf(page, ".np-title", "color")).toBe("rgb(20, 22, 28)");
    // A theme's own opacity stays.
    await go(stage, page, "?theme=glass&bg=204060");
    expect(await styleOf(page, ".np-backdrop", "background-color")).toBe("rgba(32, 64, 96, 0.97)");
  },

  async opacity(stage) {
    await stage.plays();
    const { page } = await stage.open("?mode=dark&opacity=50");
    expect(await styleOf(page, ".np-backdrop", "background-color")).toBe("rgba(17, 19, 26, 0.5)");
    await page.emulateMedia({ colorScheme: "light" });
    await go(stage, page, "?mode=auto&opacity=50");
    expect(await styleOf(page, ".np-backdrop", "background-color")).toBe(
      "rgba(252, 252, 254, 0.5)",
    );
    await go(stage, page, "?bg=fff&opacity=0");
    expect(await styleOf(page, ".np-backdrop", "background-color")).toBe("rgba(255, 255, 255, 0)");
  },

  async color(stage) {
    await stage.plays();
    const { page } = await stage.open("?color=0f0");
    for (const part of ["title", "artist", "time"]) {
      expect(await styleOf(page, `.np-${part}`, "color")).toBe("rgb(0, 255, 0)");
    }
  },

  async accent(stage) {
    await stage.plays(withCover(red));
    const { page } = await stage.open("?accent=00ff00");
    expect(await styleOf(page, ".np-progress-fill", "background-color")).toBe("rgb(0, 255, 0)");
    expect(await styleOf(page, ".np-label", "color")).toBe("rgb(0, 255, 0)");
    await go(stage, page, "?accent=auto&mode=light");
    const [accent] = [await styleOf(page, ".np-progress-fill", "background-color")];
    expect(accent).toBe("rgb(192, 32, 80)");
  },

  async font(stage) {
    await stage.plays();
    const { page } = await stage.open("?font=Fira Sans, Ubuntu 字");
    expect(await styleOf(page, ".np-title", "font-family")).toBe(
      '"Fira Sans", "Ubuntu 字", system-ui, sans-serif',
    );
  },

  async size(stage) {
    await stage.plays();
    const { page } = await stage.open("?size=12");
    expect(await styleOf(page, ".np", "font-size")).toBe("12px");
    expect((await boxOf(page, ".np-card")).width).toBe(12 * 31.25);
  },

  async radius(stage) {
    await stage.plays();
    const { page } = await stage.open("?radius=3");
    expect(await styleOf(page, ".np-card", "border-radius")).toBe("3px");
    expect(await styleOf(page, ".np-backdrop", "border-radius")).toBe("3px");
    // No corner is so round that it cuts words off.
    for (const query of ["", "&theme=glass", "&theme=bar"]) {
      await go(stage, page, `?radius=64${query}`);
      const card = await boxOf(page, ".np-card");
      const radius = card.height / 2;
      for (const part of ["label", "time"]) {
        const { left, top, right, bottom } = await boxOf(page, `.np-${part}`);
        const across = radius - Math.min(left - card.left, card.right - right);
        const down = radius - Math.min(top - card.top, card.bottom - bottom);
        expect(Math.hypot(Math.max(0, across), Math.max(0, down))).toBeLessThan(radius + 2);
      }
    }
    await go(stage, page, "?theme=text&radius=64");
    expect(await styleOf(page, ".np-card", "border-radius")).toBe("0px");
  },

  async width(stage) {
    await stage.plays();
    const { page } = await stage.open("?width=300");
    expect((await boxOf(page, ".np-card")).width).toBe(300);
  },

  async position(stage) {
    await stage.plays();
    const { page } = await stage.open("", { viewport: { width: 600, height: 300 } });
    for (const position of choicesOf("position")) {
      await go(stage, page, `?width=200&size=12&position=${position}`);
      const { left, right, top, bottom } = await boxOf(page, ".np-card");
      const row = top === 0 ? "t" : bottom === 300 ? "b" : "m";
      const column = left === 0 ? "l" : right === 600 ? "r" : "c";
      expect(row + column).toBe(position);
      if (row === "m") expect(top).toBeCloseTo(300 - bottom, 0);
      if (column === "c") expect(left).toBeCloseTo(600 - right, 0);
    }
  },

  async align(stage) {
    await stage.plays();
    const { page } = await stage.open();
    for (const align of choicesOf("align")) {
      await go(stage, page, `?align=${align}`);
      const { left, right } = await gapsOf(page, ".np-title");
      if (align === "start") expect(left).toBeLessThan(2);
      if (align === "end") expect(right).toBeLessThan(2);
      if (align === "center") expect(left).toBeCloseTo(right, 0);
      expect(left + right).toBeGreaterThan(50);
    }
  },

  async art(stage) {
    await stage.plays(withCover(red));
    const { page } = await stage.open("?art=1");
    expect((await boxOf(page, ".np-art")).width).toBeGreaterThan(50);
    const withArt = await boxOf(page, ".np-info");
    await go(stage, page, "?art=0");
    expect((await boxOf(page, ".np-art")).width).toBe(0);
    expect((await boxOf(page, ".np-info")).width).toBeGreaterThan(withArt.width);
    await stage.plays({ ...titled("Next"), ...withCover(red) });
    await titleIs(page, "Next");
    expect((await boxOf(page, ".np-art")).width).toBe(0);
  },

  async progress(stage) {
    await expectsSwitch(stage, "progress", ".np-progress");
  },
  async time(stage) {
    await expectsSwitch(stage, "time", ".np-time");
  },

  async album(stage) {
    await stage.plays();
    const { page } = await stage.open("?album=0");
    expect(await page.textContent(".np-album")).toBe("");
    await go(stage, page, "?album=1");
    expect(await page.textContent(".np-album")).toBe("Slow Weather");
    expect((await boxOf(page, ".np-album")).height).toBeGreaterThan(5);
  },

  async label(stage) {
    await stage.plays();
    const { page } = await stage.open("?label=1");
    expect(await page.textContent(".np-label")).toBe("Now playing");
    await go(stage, page, "?label=0");
    expect((await boxOf(page, ".np-label")).height).toBe(0);
  },

  async source(stage) {
    await stage.plays({ source: "Spotify" });
    const { page } = await stage.open("?source=1");
    expect(await page.textContent(".np-label")).toBe("Now playing · Spotify");
    await go(stage, page, "?source=0");
    expect(await page.textContent(".np-label")).toBe("Now playing");
  },

  async swap(stage) {
    await stage.plays(withCover(red));
    const { page } = await stage.open("?swap=0");
    expect((await boxOf(page, ".np-art")).right).toBeLessThan((await boxOf(page, ".np-info")).left);
    await go(stage, page, "?swap=1");
    expect((await boxOf(page, ".np-art")).left).toBeGreaterThan(
      (await boxOf(page, ".np-info")).right,
    );
  },

  async marquee(stage) {
    await stage.plays(titled(LONG_TITLE));
    const { page } = await stage.open("?marquee=off&hold=0&motion=full");
    expect(await animationsOf(page)).toBe(0);
    expect(await page.getAttribute(".np-title", "data-np-overflow")).toBeNull();
    for (const marquee of ["pages", "once", "auto"]) {
      await go(stage, page, `?marquee=${marquee}&hold=0&motion=full`);
      await page.waitForFunction(() => document.getAnimations().length === 1);
    }

    await stage.plays();
    for (const [marquee, moves] of [
      ["auto", false],
      ["always", true],
    ] as const) {
      await go(stage, page, `?marquee=${marquee}&hold=0&motion=full`);
      await titleIs(page, "Paper Lanterns");
      // A place two pixels narrower than the text.
      await page.evaluate(() => {
        const title = document.querySelector<HTMLElement>(".np-title") as HTMLElement;
        title.style.width = "min-content";
        title.style.width = `${title.firstElementChild?.scrollWidth ?? 0}px`;
        const style = document.createElement("style");
        style.textContent = `.np-title{max-width:${title.clientWidth - 2}px}`;
        document.head.append(style);
      });
      await page.waitForFunction(
        (wanted) =>
          document.querySelector(".np-title")?.hasAttribute("data-np-overflow") === wanted,
        moves,
      );
    }
  },

  async speed(stage) {
    await stage.plays(titled(LONG_TITLE));
    const { page } = await stage.open();
    for (const speed of [40, 300]) {
      await go(stage, page, `?marquee=auto&hold=0&motion=full&speed=${speed}`);
      await page.waitForFunction(() => document.getAnimations().length === 1);
      const travelled = await page.evaluate(() => {
        const effect = document.getAnimations()[0]?.effect as KeyframeEffect;
        const [from = 0, to = 0] = effect
          .getKeyframes()
          .map(({ transform }) => Number.parseFloat(String(transform).slice("translateX(".length)));
        return (Math.abs(to - from) / Number(effect.getTiming().duration)) * 1000;
      });
      expect(travelled).toBeCloseTo(speed, 3);
    }
  },

  async hold(stage) {
    await stage.plays(titled(LONG_TITLE));
    const { page } = await stage.open("?hold=7&motion=full&progress=0", { frozen: true });
    await page.clock.runFor(6_900);
    expect(await animationsOf(page)).toBe(0);
    await page.clock.runFor(200);
    expect(await animationsOf(page)).toBe(1);
  },

  async delay(stage) {
    await stage.plays();
    const { page, plays } = await openDelayed(stage, "?delay=5");
    await plays(titled("Later"));
    await page.clock.runFor(4_900);
    expect(await page.textContent(".np-title")).toBe("Paper Lanterns");
    await page.clock.runFor(200);
    await titleIs(page, "Later");
  },

  async enter(stage) {
    for (const [enter, expected] of [
      ["fade", ["transition opacity"]],
      ["slide", ["animation np-slide-in", "transition opacity"]],
      ["none", []],
    ] as const) {
      await stage.hearsNothing();
      const { page } = await stage.open(`?enter=${enter}&motion=full`);
      await recordMotion(page);
      await stage.plays();
      await hiddenIs(page, false);
      await seesMotion(page, expected.length);
      expect(await opacityOfCard(page)).toBe(1);
      expect(await motionOf(page)).toEqual(expected);
    }
  },

  async exit(stage) {
    for (const [exit, expected] of [
      ["fade", ["transition opacity"]],
      ["slide", ["transition opacity", "transition transform"]],
      ["none", []],
    ] as const) {
      await stage.plays();
      const { page } = await stage.open(`?exit=${exit}&motion=full&hideDelay=0`);
      await recordMotion(page);
      await stage.hearsNothing();
      await hiddenIs(page, true);
      await seesMotion(page, expected.length);
      expect(await opacityOfCard(page)).toBe(0);
      expect(await motionOf(page)).toEqual(expected);
    }
  },

  async paused(stage) {
    await stage.plays({ state: "paused" });
    const { page } = await stage.open("?paused=show");
    expect(await opacityOfCard(page)).toBe(1);
    await go(stage, page, "?paused=dim");
    expect(await opacityOfCard(page)).toBe(0.55);
    await go(stage, page, "?paused=hide");
    expect(await opacityOfCard(page)).toBe(0);
  },

  async idle(stage) {
    await stage.hearsNothing();
    // A page that is drawn before its source has said anything hides the card then.
    const { page } = await stage.open("?idle=hide&hideDelay=0");
    await stateIs(page, "idle");
    await restsNow(page);
    expect(await opacityOfCard(page)).toBe(0);
    await go(stage, page, "?idle=text");
    expect(await opacityOfCard(page)).toBe(1);
    expect(await page.textContent(".np-title")).toBe("Nothing playing");
    expect(await styleOf(page, ".np-progress", "visibility")).toBe("hidden");
    expect(await styleOf(page, ".np-time", "visibility")).toBe("hidden");
  },

  async idleText(stage) {
    await stage.hearsNothing();
    const { page } = await stage.open("?idle=text&idleText=Back%20soon%20%26%20%3Cb%3E%E2%9C%A8");
    expect(await page.textContent(".np-title")).toBe("Back soon & <b>✨");
    await stage.plays();
    await titleIs(page, "Paper Lanterns");
    await stage.hearsNothing();
    await titleIs(page, "Back soon & <b>✨");
    const long = "Taking a break from the music until the second half of the stream begins";
    await go(stage, page, `?idle=text&motion=full&hold=0&idleText=${encodeURIComponent(long)}`);
    await page.waitForFunction(() => document.getAnimations().length > 0);
  },

  async hideDelay(stage) {
    await stage.plays();
    const { page } = await stage.open("?hideDelay=20000", { frozen: true });
    await stage.hearsNothing();
    await stateIs(page, "idle");
    await page.clock.runFor(19_900);
    expect(await isHidden(page)).toBe(false);
    expect(await page.textContent(".np-title")).toBe("Paper Lanterns");
    await page.clock.runFor(200);
    expect(await isHidden(page)).toBe(true);
  },

  async shown(stage) {
    const { widgets } = stage.server.accounts;
    const token = await widgets.showTokenOf(stage.ada.user, 1);
    await stage.plays();
    const { page } = await stage.open("?shown=asked", { frozen: true });
    expect(await isHidden(page)).toBe(true);
    await stage.server.get(`/show/${token}?for=8`);
    await hiddenIs(page, false);
    await page.clock.runFor(8_100);
    expect(await isHidden(page)).toBe(true);
    await stage.server.get(`/show/${token}`);
    await hiddenIs(page, false);
    await stage.server.get(`/hide/${token}`);
    await hiddenIs(page, true);
    // At a change it comes by itself only where that is wanted.
    await go(stage, page, "?shown=changes");
    await stage.plays(titled("Next"));
    await hiddenIs(page, false);
    await page.clock.runFor(15_100);
    expect(await isHidden(page)).toBe(true);
  },

  async show(stage) {
    await stage.plays();
    const { page } = await stage.open("?show=8", { frozen: true });
    await page.clock.runFor(7_900);
    expect(await isHidden(page)).toBe(false);
    await page.clock.runFor(200);
    expect(await isHidden(page)).toBe(true);
    await stage.plays(titled("Next"));
    await hiddenIs(page, false);
    await page.clock.runFor(8_100);
    expect(await isHidden(page)).toBe(true);
  },

  async outline(stage) {
    await stage.plays();
    const { page } = await stage.open("?theme=text&outline=0");
    expect(await styleOf(page, ".np-title", "text-shadow")).toBe("none");
    await go(stage, page, "?outline=2");
    expect(await styleOf(page, ".np-title", "text-shadow")).toContain(" 2px 0px 0px, ");
    // Never so wide that its shadows would be copies of the text.
    await go(stage, page, "?outline=8");
    const widest = /\) ([\d.]+)px/.exec(await styleOf(page, ".np-time", "text-shadow"))?.[1];
    expect(Number(widest)).toBeCloseTo(0.12 * 12, 2);
  },

  async motion(stage) {
    await stage.plays(titled(LONG_TITLE));
    const { page } = await stage.open("", { reducedMotion: "reduce" });
    for (const [motion, moves] of [
      ["full", true],
      ["none", false],
    ] as const) {
      await go(stage, page, `?hold=0&motion=${motion}`);
      expect(await page.getAttribute("html", "data-np-motion")).toBe(motion);
      await page.waitForFunction(
        (wanted) =>
          document.querySelector(".np-title")?.hasAttribute("data-np-overflow") === wanted,
        moves,
      );
    }
  },

  async demo(stage) {
    await stage.plays();
    const own = "Something of the user's own";
    const { page } = await stage.open("?demo=1");
    await stage.plays(titled(own));
    expect(await page.textContent(".np-title")).not.toBe(own);
    await go(stage, page, "?demo=0");
    expect(await page.textContent(".np-title")).toBe(own);
  },
};

inOldestEngine("the overlay's options", (stage) => {
  const { test } = stage;

  for (const name of names) {
    test(`${name} has its effect`, async () => {
      const effect = effects[name];
      if (!effect) throw new Error(`nothing tests the option ${name}`);
      await effect(stage);
    });
  }

  test("fall back one by one with exactly one warning each when every value is wrong", async () => {
    await stage.plays({ ...withCover(red), state: "paused" });
    const usual = await stage.open();
    const look = await usual.page.screenshot();
    const wrong = new URLSearchParams(names.map((name) => [name, "<".repeat(130)]));
    const { page, complaints } = await stage.open(`?${wrong}`);
    expect(complaints).toEqual(names.map((name) => warningOf(name)));
    expect((await page.screenshot()).equals(look)).toBe(true);
    expect(usual.complaints).toEqual([]);
  });

  test("leave a title, an artist and an album that look like code as the text that they are", async () => {
    const attacks = [
      `<script>window.ran=1</script>`,
      `"><svg onload=window.ran=1>`,
      `</bdi></style><img src=x onerror="window.ran=1">`,
    ];
    await stage.plays();
    const { page, complaints } = await stage.open("?album=1");
    for (const attack of attacks) {
      const said = { artists: [attack], album: { name: attack, artworks: [] } };
      await stage.plays({ ...titled(attack), ...said });
      await titleIs(page, attack);
      await go(stage, page, "?album=1");
      for (const part of ["title", "artist", "album"]) {
        expect(await page.textContent(`.np-${part}`)).toBe(attack);
      }
      expect(await page.evaluate(() => "ran" in window)).toBe(false);
    }
    expect(complaints).toEqual([]);
  });
});

function warningOf(name: OptionName): string {
  const { allowed }: WidgetOption<unknown> = widgetOptions[name];
  return `Widget option "${name}" must be ${allowed}; it is ignored.`;
}

/** Goes to the overlay with another query, until its script has drawn it. */
async function go(stage: Stage, page: Page, query: string): Promise<void> {
  const drawn = page
    .waitForEvent("websocket")
    .then((socket) => socket.waitForEvent("framereceived"));
  await page.goto(stage.address(query));
  await drawn;
}

async function expectsSwitch(stage: Stage, name: OptionName, selector: string): Promise<void> {
  await stage.plays();
  const { page } = await stage.open(`?${name}=1`);
  expect((await boxOf(page, selector)).height).toBeGreaterThan(2);
  await go(stage, page, `?${name}=0`);
  expect((await boxOf(page, selector)).height).toBe(0);
  await stage.plays(titled("Next"));
  await titleIs(page, "Next");
  expect((await boxOf(page, selector)).height).toBe(0);
}

/** How far a text stands from either side of its place, in pixels. */
function gapsOf(page: Page, selector: string): Promise<{ left: number; right: number }> {
  return page.evaluate((where) => {
    const place = document.querySelector(where) as Element;
    const range = document.createRange();
    range.selectNodeContents(place.firstElementChild as Element);
    const text = range.getBoundingClientRect();
    const box = place.getBoundingClientRect();
    return { left: text.left - box.left, right: box.right - text.right };
  }, selector);
}

/** Notes every animation and transition of the card that begins from here on. */
function recordMotion(page: Page): Promise<void> {
  return page.evaluate(() => {
    const seen = new Set<string>();
    const note = () => Object.assign(window, { seen: [...seen].sort() });
    note();
    const isCard = ({ target }: Event) => (target as Element).className === "np-card";
    document.addEventListener("animationstart", (event) => {
      if (isCard(event)) seen.add(`animation ${event.animationName}`);
      note();
    });
    document.addEventListener("transitionrun", (event) => {
      if (isCard(event)) seen.add(`transition ${event.propertyName}`);
      note();
    });
  });
}

/** Waits for so many kinds of motion, and lets them end without waiting for it. */
async function seesMotion(page: Page, count: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => (window as unknown as { seen: string[] }).seen.length >= wanted,
    count,
  );
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) animation.finish();
  });
  await restsNow(page);
}

const motionOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => (window as unknown as { seen: string[] }).seen);
