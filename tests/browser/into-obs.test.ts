import { afterEach, expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { fill, languages } from "../../src/i18n/index.ts";
import { type Language, LANGUAGES } from "../../src/languages.ts";
import { freePort } from "../fixtures/clock/waiting.ts";
import type { WatchedPage } from "../fixtures/browser/chromium.ts";
import { type DashboardStage, onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { axeViolations, overflowOf } from "../fixtures/browser/page-checks.ts";
import { obsIsInstalled, startRealObs } from "../fixtures/obs/real-obs.ts";
import { type StandInObsOptions, startStandInObs } from "../fixtures/obs/stand-in-obs.ts";
import { testWith } from "../fixtures/real-parts.ts";

const PASSWORD = "a password for OBS alone";
const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

function standIn(options?: StandInObsOptions) {
  const standing = startStandInObs(options);
  opened.push(standing.stop);
  return standing;
}

interface Card {
  readonly page: Page;
  readonly card: Locator;
  readonly told: Locator;
  readonly words: (typeof languages)[Language]["dashboard"]["intoObs"];
  /** Types the password and the port, and presses Enter. */
  connect(port: number, password?: string): Promise<void>;
  press(label: string): Promise<void>;
  says(sentence: string): Promise<void>;
}

/** The card on a page, with its lower half open. */
async function cardOn({ page }: WatchedPage, language: Language = "en"): Promise<Card> {
  const words = languages[language].dashboard.intoObs;
  const card = page.locator("[data-into-obs]");
  const told = card.locator("[data-told]");
  await card.getByText(words.putTitle).click();
  return {
    page,
    card,
    told,
    words,
    async connect(port, password = PASSWORD) {
      await card.getByLabel(words.port, { exact: true }).fill(String(port));
      await card.getByLabel(words.password).fill(password);
      await page.keyboard.press("Enter");
    },
    press: (label) => card.getByRole("button", { name: label, exact: true }).click(),
    says: (sentence) => told.getByText(sentence.trim(), { exact: true }).waitFor(),
  };
}

onTheDashboard("dragging a widget into OBS", (stage) => {
  const { test } = stage;

  test("hands over a link with name and size, as it is at that moment", async () => {
    const { page } = await stage.open("widget", { query: "?theme=bar" });
    await listenForDrops(page);
    const handle = page.locator("[data-drag]");
    await handle.dragTo(page.locator("[data-into-obs] h2"));
    const layer = (width: number) => `layer-name=Marquee&layer-width=${width}&layer-height=120`;
    const link = stage.overlay(`?theme=bar&${layer(1000)}`);
    expect(await droppedOn(page)).toEqual({ uris: link, text: link });
    expect(await page.locator("[data-dragging]").count()).toBe(0);

    await page.locator("[name=theme][value=card]").check();
    await page.getByText("500 × 120").first().waitFor();
    await handle.dragTo(page.locator("[data-into-obs] h2"));
    expect((await droppedOn(page)).uris).toBe(stage.overlay(`?${layer(500)}`));
  }, 20_000);

  test("does not show the address, but copies it by keyboard", async () => {
    const context = await stage.context(
      { permissions: ["clipboard-read", "clipboard-write"] },
      stage.ada,
    );
    const page = await context.newPage();
    await page.goto(stage.address("widget"));
    const card = page.locator("[data-into-obs]");
    expect(await card.innerText()).not.toContain("mqw_");
    expect(await card.locator("a").count()).toBe(0);
    await card.locator("[data-copy]").focus();
    await page.keyboard.press("Enter");
    await card.getByText(languages.en.parts.copied, { exact: true }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(stage.overlay());
  }, 20_000);

  test("is not offered where no script runs", async () => {
    const { page } = await stage.open("widget", { javaScriptEnabled: false });
    expect(await page.locator("[data-into-obs]").isVisible()).toBe(false);
  }, 20_000);
});

onTheDashboard("putting a widget into OBS", (stage) => {
  const { test } = stage;

  test("connects, lists the scenes, makes the source, updates it and loads it again", async () => {
    const obs = standIn({ password: PASSWORD });
    obs.inputs.set("Marquee", {});
    const card = await cardOn(await stage.open("widget"));
    const { words } = card;
    await card.connect(obs.port);
    await card.says(words.sentences.connected);
    const scene = card.card.getByLabel(words.scene, { exact: true });
    const shown = await scene.locator("option").allTextContents();
    expect(shown).toEqual([fill(words.sentences.current, { scene: "Game" }), "Break"]);
    expect(await scene.inputValue()).toBe("Game");
    expect(await scene.evaluate((select) => select === document.activeElement)).toBe(true);

    await scene.selectOption("Break");
    await card.press(words.sentences.put);
    const name = "Marquee 2";
    await card.says(fill(words.sentences.outcomes.created, { name, scene: "Break" }));
    expect(obs.inputs.get(name)).toMatchObject({ url: stage.overlay(), width: 500, height: 120 });
    expect(await scene.inputValue()).toBe("Break");

    await card.page.locator("[name=theme][value=bar]").check();
    await card.page.getByText("1000 × 120").first().waitFor();
    await card.press(words.sentences.update);
    await card.says(fill(words.sentences.outcomes.updated, { name }));
    expect(obs.inputs.get(name)).toMatchObject({
      url: stage.overlay("?theme=bar"),
      width: 1000,
    });
    await card.press(words.refresh);
    await card.says(fill(words.sentences.refreshed, { name }));
    expect(obs.changes.at(-1)?.type).toBe("PressInputPropertiesButton");

    await scene.selectOption("Game");
    await card.press(words.sentences.put);
    await card.says(fill(words.sentences.outcomes.added, { name, scene: "Game" }));
    expect(obs.scenes["Game"]).toEqual([name]);
    await card.press(words.leave);
    await card.card.getByLabel(words.password).waitFor();
  }, 20_000);

  test("sends the password to OBS alone, and keeps it nowhere", async () => {
    const obs = standIn({ password: PASSWORD });
    const watched = await stage.open("widget");
    const sent: string[] = [];
    watched.page.on("request", (request) =>
      sent.push(request.url(), request.postData() ?? "", JSON.stringify(request.headers())),
    );
    const card = await cardOn(watched);
    await card.connect(obs.port);
    await card.says(card.words.sentences.connected);
    await card.press(card.words.leave);
    const password = card.card.getByLabel(card.words.password);
    expect(await password.inputValue()).toBe("");
    expect(await password.getAttribute("autocomplete")).toBe("off");
    const kept = await card.page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
    );
    expect([...sent, kept].filter((text) => text.includes(PASSWORD))).toEqual([]);
    expect(watched.complaints).toEqual([]);
  }, 20_000);

  for (const language of LANGUAGES) {
    test(`says in ${language} why it did not work`, async () => {
      const { troubles } = languages[language].dashboard.intoObs.sentences;
      const card = await cardOn(await stage.open("widget", { language }), language);
      const nobody = freePort();
      await card.connect(nobody);
      await card.says(fill(troubles.off, { port: String(nobody) }));
      const before: readonly (readonly [StandInObsOptions, string])[] = [
        [{ password: "another" }, troubles.wrongPassword],
        [{ closesWith: 4010 }, troubles.oldVersion],
        [{ greeting: "220 mail.example" }, troubles.notObs],
        [{ closesWith: 1000 }, troubles.closed],
        [{ refuses: { GetSceneList: 207 } }, troubles.busy],
      ];
      for (const [options, sentence] of before) {
        const { port } = standIn(options);
        await card.connect(port);
        await card.says(fill(sentence, { port: String(port) }));
        expect(await card.told.getAttribute("class")).toBe("status bad");
      }

      const { put, connected } = languages[language].dashboard.intoObs.sentences;
      const later: readonly (readonly [number, string])[] = [
        [605, troubles.noBrowserSource],
        [600, troubles.gone],
        [702, fill(troubles.refused, { detail: "The reason for 702." })],
      ];
      for (const [code, sentence] of later) {
        await card.connect(standIn({ refuses: { CreateInput: code } }).port);
        await card.says(connected);
        await card.press(put);
        await card.says(sentence);
        await card.press(card.words.leave);
      }
      const leaving = standIn();
      await card.connect(leaving.port);
      await card.says(connected);
      leaving.hangUp();
      await card.says(troubles.closed);
    }, 20_000);
  }

  test("gives up when nothing is said for five seconds", async () => {
    const watched = await stage.open("widget");
    await watched.page.clock.install();
    await watched.page.reload();
    const card = await cardOn(watched);
    await card.connect(standIn({ greeting: null }).port);
    await card.says(card.words.sentences.connecting);
    await card.page.clock.fastForward(5_000);
    await card.says(card.words.sentences.troubles.timeout);
  }, 20_000);

  test("is accessible and narrow enough in each of its states", async () => {
    const obs = standIn({ password: PASSWORD });
    const watched = await stage.open("widget", { viewport: { width: 360, height: 740 } });
    const card = await cardOn(watched);
    const { sentences, refresh } = card.words;
    const faults: string[] = [];
    const look = async () => {
      for (const colorScheme of ["light", "dark"] as const) {
        await card.page.emulateMedia({ colorScheme });
        faults.push(...(await axeViolations(card.page)), ...(await overflowOf(card.page)));
      }
    };
    await card.connect(obs.port, "wrong");
    await card.says(sentences.troubles.wrongPassword);
    await look();
    await card.connect(obs.port);
    await card.says(sentences.connected);
    await card.press(sentences.put);
    await card.card.getByRole("button", { name: refresh }).waitFor();
    await look();
    expect(faults).toEqual([]);
  }, 30_000);

  testWith("OBS with Xvfb", obsIsInstalled)(
    "works with a real OBS",
    async () => {
      const real = await startRealObs({ hasBrowserSource: true });
      try {
        await putIntoRealObs(stage, real);
      } finally {
        await real.stop();
      }
    },
    40_000,
  );
});

async function putIntoRealObs(
  stage: DashboardStage,
  real: Awaited<ReturnType<typeof startRealObs>>,
): Promise<void> {
  const card = await cardOn(await stage.open("widget"));
  const { sentences, refresh } = card.words;
  await card.connect(real.port, "wrong");
  await card.says(sentences.troubles.wrongPassword);
  await card.connect(real.port, real.password);
  await card.says(sentences.connected);
  await card.press(sentences.put);
  const name = "Marquee";
  await card.says(fill(sentences.outcomes.created, { name, scene: "Game" }));
  await card.press(sentences.update);
  await card.says(fill(sentences.outcomes.updated, { name }));
  await card.press(refresh);
  await card.says(fill(sentences.refreshed, { name }));
  expect(real.presses()).toBe(1);
}

interface Dropped {
  readonly uris: string;
  readonly text: string;
}

/** Lets the page itself take drops, as OBS would. */
function listenForDrops(page: Page): Promise<void> {
  return page.evaluate(() => {
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    });
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      const read = (type: string) => event.dataTransfer?.getData(type) ?? "";
      Object.assign(window, { dropped: { uris: read("text/uri-list"), text: read("text/plain") } });
    });
  });
}

const droppedOn = (page: Page): Promise<Dropped> =>
  page.evaluate(() => (window as unknown as { dropped: Dropped }).dropped);
