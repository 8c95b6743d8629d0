import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { connectPurpose, SIGN_IN_PURPOSE } from "../../src/accounts/magic-links.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import type { Language } from "../../src/languages.ts";
import { SECTION_NAMES, sectionPath } from "../../src/html/section-paths.ts";
import { type WatchedPage, watchPage } from "../fixtures/browser/chromium.ts";
import { type DashboardStage, onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { titled } from "../fixtures/browser/overlay-page.ts";
import { aKeptSong } from "../fixtures/data/kept-song.ts";
import { addWidget } from "../fixtures/data/widgets.ts";
import { wideFont } from "../fixtures/fonts/fonts.ts";
import {
  AXE_LANGUAGES,
  axeViolations,
  cutCopiesOf,
  overflowOf,
  rulesIn,
  unfold,
  weightOf,
} from "../fixtures/browser/page-checks.ts";
import { groupsOf } from "../fixtures/thorough.ts";

const DESKTOP = { width: 1280, height: 800 };
/** A small phone. */
const PHONE = { width: 360, height: 740 };
const MOST_BYTES = 60 * 1024;
/** Rules of axe whose outcome depends on colours and widths. */
const OUTWARD_RULES = [
  "color-contrast",
  "link-in-text-block",
  "scrollable-region-focusable",
  "target-size",
];

/** A page that people come to, and what stands in its path after the language. */
interface Visited {
  readonly name: string;
  readonly path: string;
  /** Whether it is visited by somebody who is not signed in. */
  readonly asStranger?: true;
}

const sections: readonly Visited[] = SECTION_NAMES.map((name) => ({
  name,
  path: sectionPath(name),
}));

/** As many as a test has the time for. */
const sectionGroups = groupsOf(4, sections);
const namesOf = (some: readonly Visited[]) => some.map(({ name }) => name).join(", ");

/** The pages around the dashboard, with links that work. */
async function pagesOutside({ server, ada }: DashboardStage): Promise<Visited[]> {
  const { magicLinks } = server.accounts;
  const signInSecret = magicLinks.issue(ada.user, SIGN_IN_PURPOSE);
  const connectSecret = magicLinks.issue(ada.user, connectPurpose("spotify"));
  const paths = {
    "sign-in": "sign-in",
    confirm: `sign-in/${signInSecret}`,
    message: "dashboard/settings/programs",
    connect: `connect/spotify/${connectSecret}`,
  };
  return Object.entries(paths).map(([name, path]) => ({ name, path, asStranger: true }));
}

/** Lets every page have as much to show as there may be. */
async function liveIn(stage: DashboardStage): Promise<AddedUser> {
  const { server, ada } = stage;
  const { connections, fonts, history, keys, privacy, sessions, widgets } = server.accounts;
  await stage.plays({ ...titled("Pneumonoultramicroscopicsilicovolcanoconiosis".repeat(2)) });
  const { id } = await keys.add(ada.user, "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk");
  await keys.rotate(ada.user, id, 3_600_000);
  await keys.revoke(ada.user, (await keys.add(ada.user, "an old bot")).id);
  await privacy.change(ada.user, {
    pausedUntil: server.clock.wallMs() + 3_600_000,
    hiddenTitles: ["a guilty pleasure"],
    hiddenArtists: [],
  });
  await connections.connect(ada.user, "audioscrobbler", null, "Donau".repeat(12));
  await connections.connect(ada.user, "json", null);
  await fonts.add(ada.user, "Donaudampfschifffahrtselektrizitaetenhau", wideFont());
  const look = { options: { theme: "vinyl" }, css: ".np-title{color:red}".repeat(20), size: null };
  await widgets.save(ada.user, 1, look, { basedOn: 1 });
  await widgets.save(ada.user, 1, { ...look, options: {} }, { basedOn: 2 });
  await history.change(ada.user, { keeps: "always", followsStreams: true });
  await history.streamStarted(ada.user.id);
  for (let index = 0; index < 60; index++) {
    const startedAt = server.clock.wallMs() + index * 60_000;
    await history.note(ada.user.id, aKeptSong({ startedAt }, "Donaudampfschifffahrt".repeat(4)));
  }
  sessions.open(ada.user, "Mozilla/5.0 (iPhone) Version/18.0 Safari/605.1");
  return server.addUser("a-rather-long-name-of-32-letters", false);
}

onTheDashboard("the dashboard's pages", (stage) => {
  const { test } = stage;

  /** Two at once: browsers draw pages in processes of their own. */
  const inspectAll = async (visited: readonly Visited[], language: Language) => {
    const inspectEach = async (some: readonly Visited[], user?: AddedUser) => {
      const context = await stage.context({ viewport: DESKTOP }, user);
      const watched = watchPage(await context.newPage());
      const faults: string[] = [];
      for (const one of some) faults.push(...(await inspect(stage, watched, one, language)));
      return faults;
    };
    const asStranger = visited.filter((one) => one.asStranger);
    const asMember = visited.filter((one) => !one.asStranger);
    const faults = await Promise.all([inspectEach(asStranger), inspectEach(asMember, stage.ada)]);
    return faults.flat();
  };

  for (const language of AXE_LANGUAGES) {
    const areFine = `are accessible, quiet and narrow enough in ${language}, light and dark`;
    for (const some of groupsOf(2, sections)) {
      test(`${areFine}: ${namesOf(some)}`, async () => {
        await liveIn(stage);
        expect(await inspectAll(some, language)).toEqual([]);
      });
    }
    test(`${areFine}: the pages outside`, async () => {
      expect(await inspectAll(await pagesOutside(stage), language)).toEqual([]);
    });
  }

  const pagesAt = (paths: readonly string[]): Visited[] =>
    paths.map((path) => ({ name: path, path: `dashboard/${path}` }));

  test("are so, too, with what is opened on demand", async () => {
    await liveIn(stage);
    await addWidget(stage.server, stage.ada, "text");
    const chosen = [
      "chat?with=bot",
      "chat?with=bot&bot=nightbot",
      "history?as",
      "history?settings",
    ];
    const opened = ["music?add=spotify", "widget?id=1&tab=obs"];
    expect(await inspectAll(pagesAt([...chosen, ...opened]), "en")).toEqual([]);
  });

  test.each(AXE_LANGUAGES)(
    "are so, too, as editors of texts and cards, in %s",
    async (language) => {
      await stage.plays();
      const kinds = ["text", "card"] as const;
      const added = [];
      for (const kind of kinds) added.push(await addWidget(stage.server, stage.ada, kind));
      const paths = added.map(({ widget }) => `widget?id=${widget.id}`);
      expect(await inspectAll(pagesAt(paths), language)).toEqual([]);
    },
  );

  test("leave the buttons of a row where they are when one of them unfolds something", async () => {
    await liveIn(stage);
    const { page } = await stage.open("programs");
    const moved: string[] = [];
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      for (const section of ["music", "programs", "server"] as const) {
        await page.goto(`${stage.address(section)}?row=1`);
        const buttons = await page.locator(".row-actions > .unfolds > summary:visible").all();
        expect(buttons).not.toEqual([]);
        for (const button of buttons) {
          await button.focus();
          const before = await button.boundingBox();
          await button.press("Enter");
          const after = await button.boundingBox();
          if (!Bun.deepEquals(after, before)) moved.push(`${section}: ${await button.innerText()}`);
          await button.press("Enter");
        }
      }
    }
    expect(moved).toEqual([]);
  });

  test("are so, too, when linking has been set up", async () => {
    await stage.server.accounts.upstreams.enterApp("spotify", {
      clientId: "0123456789abcdef",
      clientSecret: null,
    });
    const changed = ["music", "sign-in", "connect"];
    const visited = [...sections, ...(await pagesOutside(stage))];
    const linking = visited.filter(({ name }) => changed.includes(name));
    expect(await inspectAll(linking, "de")).toEqual([]);
  });

  test("are so, too, when something was typed wrongly, and with a new key", async () => {
    const { dashboard } = languages.de;
    const watched = await stage.open("server", { language: "de", viewport: DESKTOP });
    const { page } = watched;
    await unfold(page);
    await page.getByLabel(dashboard.server.name).fill("<b>Not & a name");
    await page.locator("form button[type=submit]", { hasText: dashboard.server.add }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel(dashboard.server.name).inputValue()).toBe("<b>Not & a name");
    expect(await look(watched)).toEqual([]);
    await page.goto(stage.address("programs", "de"));
    await unfold(page);
    await page.getByLabel(dashboard.keys.name).fill("Bot");
    await page.getByRole("button", { name: dashboard.keys.add, exact: true }).click();
    await page.getByText(dashboard.keys.newKey, { exact: true }).waitFor();
    expect(await look(watched)).toEqual([]);
  });

  /** All at once, for each waits until its page asks for nothing more. */
  const weightsOf = (visited: readonly Visited[]) =>
    Promise.all(
      visited.map(async ({ name, path, asStranger }) => {
        // A context each: what is in its cache would weigh nothing.
        const context = await stage.context({}, asStranger ? undefined : stage.ada);
        const address = `${stage.server.url}/en/${path}`;
        return [name, await weightOf(await context.newPage(), address)] as const;
      }),
    );
  const expectLight = (weights: readonly (readonly [string, number])[]) =>
    expect(weights.filter(([, bytes]) => bytes > MOST_BYTES)).toEqual([]);

  for (const some of sectionGroups) {
    test(`weigh no more than 60 KB without their pictures: ${namesOf(some)}`, async () => {
      await liveIn(stage);
      expectLight(await weightsOf(some));
    });
  }
  test("weigh no more than 60 KB without their pictures: the pages outside", async () => {
    expectLight(await weightsOf(await pagesOutside(stage)));
  });

  for (const some of sectionGroups) {
    test(`lead through every control with the keyboard, in their order, and show where it is: ${namesOf(some)}`, async () => {
      await liveIn(stage);
      const { page } = await stage.open("overlay", { viewport: DESKTOP });
      for (const { name, path } of some) {
        await page.goto(`${stage.server.url}/en/${path}`);
        // The players that were found come after the page.
        await page.locator("[data-found]").waitFor({ state: "detached" });
        await unfold(page);
        const controls = await noteFocus(page);
        for (let tabs = 0; tabs < controls.length; tabs++) await page.keyboard.press("Tab");
        const { visited, unmarked } = await focusNoted(page);
        expect([name, visited, unmarked]).toEqual([name, controls, []]);
      }
    });
  }

  test("let the keyboard skip their navigation", async () => {
    const { page } = await stage.open("music", { viewport: DESKTOP });
    await page.keyboard.press("Tab");
    const skip = page.locator("a.skip");
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true);
    expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const isInside = () => document.activeElement?.closest("#content") !== null;
    expect(await page.evaluate(isInside)).toBe(true);
  });
});

onTheDashboard(
  "the dashboard without script",
  (stage) => {
    const { test } = stage;
    const { keys, music, privacy } = languages.en.dashboard;

    test("makes a key, connects the demo and pauses sharing", async () => {
      const { page, complaints } = await stage.open("programs", { javaScriptEnabled: false });
      await page.locator("summary", { hasText: keys.addTitle }).click();
      await page.getByLabel(keys.name).fill("chat bot");
      await page.getByRole("button", { name: keys.add, exact: true }).click();
      const key = (await page.locator(".once code").first().textContent()) ?? "";
      const received = async () => {
        const answer = await fetch(`${stage.server.url}/api/v1/now-playing`, {
          headers: { "x-api-key": key },
        });
        return (await answer.json()).data;
      };
      expect(await received()).toBeNull();

      await page.goto(stage.address("music"));
      await page.getByRole("link", { name: music.tiles.other }).click();
      await page.getByRole("link", { name: "Demo", exact: true }).click();
      await page.getByRole("button", { name: music.connect, exact: true }).click();
      await page.getByText(fill(music.added, { source: "Demo" }), { exact: true }).waitFor();
      expect(await received()).toMatchObject({ is_playing: true });
      await page.goto(stage.address("overlay"));
      await page.frameLocator(".scene iframe").locator(".np-title:not(:empty)").waitFor();

      await page.goto(stage.address("privacy"));
      await page.getByRole("button", { name: privacy.pauseHour }).click();
      await page.getByText(privacy.nowPaused, { exact: true }).waitFor();
      expect(await received()).toBeNull();
      await page.getByRole("button", { name: privacy.resume }).click();
      await page.getByText(privacy.nowSharing, { exact: true }).waitFor();
      expect(await received()).toMatchObject({ is_playing: true });
      expect(complaints).toEqual([]);
    });
  },
  { realSources: true, connected: false, settings: { rateLimitSeconds: "0" } },
);

/** All that is wrong with a page in a language. */
async function inspect(
  { server }: DashboardStage,
  { page, complaints, hosts }: WatchedPage,
  { name, path }: Visited,
  language: Language,
): Promise<string[]> {
  complaints.length = 0;
  hosts.clear();
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`${server.url}/${language}/${path}`);
  const elsewhere = [...hosts].filter((host) => host !== new URL(server.url).host);
  const faults = [
    ...(await look({ page }, language)),
    ...complaints.filter((text) => !isRefusal(text)),
    ...elsewhere.map((host) => `asks ${host}`),
  ];
  return faults.map((fault) => `${name}: ${fault}`);
}

/** All that can be seen to be wrong with a page, on a desk and on a phone. */
async function look(
  { page }: Pick<WatchedPage, "page">,
  language: Language = "en",
): Promise<string[]> {
  await unfold(page);
  const rules = rulesIn(language);
  const light = await axeViolations(page, rules);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize(PHONE);
  const dark = await axeViolations(page, rules ?? OUTWARD_RULES);
  const overflow = [...(await overflowOf(page)), ...(await cutCopiesOf(page))];
  return [
    ...light.map((fault) => `light: ${fault}`),
    ...dark.map((fault) => `dark, on a phone: ${fault}`),
    ...overflow.map((fault) => `at 360 px: ${fault}`),
  ];
}

/** Browsers note in the console that a page came with a status such as 401. */
const isRefusal = (text: string): boolean =>
  text.startsWith("Failed to load resource: the server responded with a status of 401");

interface NotedFocus {
  readonly visited: string[];
  /** What had the focus, and showed nothing of it. */
  readonly unmarked: string[];
}

/** Notes where the focus goes from here on; answers the controls that there are, in their order. */
function noteFocus(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const noted: NotedFocus = { visited: [], unmarked: [] };
    Object.assign(window, { noted });
    const isChosen = (control: Element) =>
      !(control instanceof HTMLInputElement && control.type === "radio") || control.checked;
    const controls = [
      ...document.querySelectorAll(
        "a[href], button, input, select, textarea, summary, [tabindex='0']",
      ),
    ].filter(
      (control) =>
        // A picture that leads where the control beside it leads is for the mouse alone.
        !control.matches("[tabindex='-1'][aria-hidden='true']") &&
        control.checkVisibility() &&
        isChosen(control),
    );
    const nameOf = (control: Element) =>
      `${controls.indexOf(control)} ${control.outerHTML.slice(0, 100)}`;
    document.addEventListener("focusin", ({ target }) => {
      if (!(target instanceof Element)) return;
      noted.visited.push(nameOf(target));
      // Some controls are drawn by what stands beside them.
      const isMarked = [target, target.nextElementSibling].some((element) => {
        if (!element) return false;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
      });
      if (!isMarked) noted.unmarked.push(nameOf(target));
    });
    return controls.map(nameOf);
  });
}

const focusNoted = (page: Page): Promise<NotedFocus> =>
  page.evaluate(() => (window as unknown as { noted: NotedFocus }).noted);
