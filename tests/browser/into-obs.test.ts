import { afterEach, expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { SIGN_IN_PURPOSE } from "../../src/accounts/magic-links.ts";
import { fill, languages } from "../../src/i18n/index.ts";
import type { Language } from "../../src/languages.ts";
import { connectToObs } from "../../src/looks/page/editor/browser/obs/connection.ts";
import { freePort, GIVE_UP_MS, until } from "../fixtures/clock/waiting.ts";
import { launchOnScreen, launchWith, type WatchedPage } from "../fixtures/browser/chromium.ts";
import { type DashboardStage, onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { axeViolations, overflowOf } from "../fixtures/browser/page-checks.ts";
import { obsIsInstalled, type RealObs, startRealObs } from "../fixtures/obs/real-obs.ts";
import {
  type StandInObs,
  type StandInObsOptions,
  startStandInObs,
} from "../fixtures/obs/stand-in-obs.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
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
  readonly outcome: Locator;
  readonly words: (typeof languages)[Language]["dashboard"]["intoObs"];
  /** Types the password and the port, and presses Enter. */
  connect(port: number, password?: string): Promise<void>;
  press(label: string): Promise<void>;
  says(sentence: string): Promise<void>;
}

/** The card on a page, with its lower half open. */
async function cardOn(
  { page }: Pick<WatchedPage, "page">,
  language: Language = "en",
): Promise<Card> {
  const words = languages[language].dashboard.intoObs;
  const card = page.locator("[data-into-obs]");
  const outcome = card.locator("[data-outcome]");
  await card.getByText(words.putTitle).click();
  return {
    page,
    card,
    outcome,
    words,
    async connect(port, password = PASSWORD) {
      await card.getByLabel(words.port, { exact: true }).fill(String(port));
      await card.getByLabel(words.password).fill(password);
      await page.keyboard.press("Enter");
    },
    press: (label) => card.getByRole("button", { name: label, exact: true }).click(),
    says: (sentence) => outcome.getByText(sentence.trim(), { exact: true }).waitFor(),
  };
}

/** Chooses a look on the other tab, and comes back. */
async function choose(page: Page, look: string): Promise<void> {
  const { tabs } = languages.en.dashboard.widget;
  await page.getByRole("tab", { name: tabs.design }).click();
  const radio = page.locator(`[name=look][value=${look}]`);
  if (!(await radio.isVisible())) await page.locator("[data-all-looks]").click();
  await radio.check();
  await page.getByRole("tab", { name: tabs.obs }).click();
}

onTheDashboard("dragging a widget into OBS", (stage) => {
  const { test } = stage;

  test("hands over a link with name and size, as it is at that moment", async () => {
    const { page } = await stage.open("widget", { query: "?id=1&tab=obs" });
    await choose(page, "bar");
    await listenForDrops(page);
    const handle = page.locator(".obs-chip");
    await handle.dragTo(page.locator("[data-into-obs] h2"));
    const layer = (width: number) => `layer-name=Marquee&layer-width=${width}&layer-height=120`;
    const link = stage.overlay(`?${layer(1000)}`);
    expect(await droppedOn(page)).toEqual({ uris: link, text: link });
    expect(await page.locator("[data-dragging]").count()).toBe(0);

    await choose(page, "card");
    await page.getByText("500 × 120").first().waitFor();
    await handle.dragTo(page.locator("[data-into-obs] h2"));
    expect((await droppedOn(page)).uris).toBe(stage.overlay(`?${layer(500)}`));
  });

  test("takes three clicks and one drag from the first sign-in to a styled overlay", async () => {
    const secret = stage.server.accounts.magicLinks.issue(stage.ada.user, SIGN_IN_PURPOSE);
    const context = await stage.context();
    const page = await context.newPage();
    await page.goto(`${stage.server.url}/en/sign-in/${secret}`);
    const { signIn, looks } = languages.en;
    await page.getByRole("button", { name: signIn.confirm }).click();
    const lounge = page.getByRole("button", { name: looks.lounge.name });
    await lounge.click();
    await lounge.and(page.locator("[aria-pressed=true]")).waitFor();
    await listenForDrops(page);
    await page.locator(".obs-chip").dragTo(page.locator("h1"));
    // The third click is OBS's own question.
    const { uris } = await droppedOn(page);
    expect(new URL(uris).searchParams.get("layer-name")).toBe("Marquee");
    await page.goto(uris);
    expect(await page.getAttribute("html", "data-np-theme")).toBe("vinyl");
  });

  testWith("OBS with Xvfb and xdotool", obsIsInstalled && Bun.which("xdotool") !== null)(
    "is a source in a real OBS, with its name and size",
    async () => {
      const real = await startRealObs({ hasBrowserSource: true });
      try {
        await dragIntoRealObs(stage, real);
      } finally {
        await real.stop();
      }
    },
  );
});

onTheDashboard("putting a widget into OBS", (stage) => {
  const { test } = stage;

  test("connects, lists the scenes, makes the source, updates it and loads it again", async () => {
    const obs = standIn({ password: PASSWORD });
    obs.inputs.set("Marquee", {});
    const card = await cardOn(await stage.open("widget", { query: "?id=1&tab=obs" }));
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

    await choose(card.page, "bar");
    await card.page.getByText("1000 × 120").first().waitFor();
    await card.press(words.sentences.update);
    await card.says(fill(words.sentences.outcomes.updated, { name }));
    expect(obs.inputs.get(name)).toMatchObject({ url: stage.overlay(), width: 1000 });
    await card.press(words.refresh);
    await card.says(fill(words.sentences.refreshed, { name }));
    expect(obs.changes.at(-1)?.type).toBe("PressInputPropertiesButton");

    await scene.selectOption("Game");
    await card.press(words.sentences.put);
    await card.says(fill(words.sentences.outcomes.added, { name, scene: "Game" }));
    expect(obs.scenes["Game"]).toEqual([name]);
    const putButton = card.card.getByRole("button", { name: words.sentences.update });
    expect(await putButton.evaluate((button) => button === document.activeElement)).toBe(true);
    await card.press(words.leave);
    const password = card.card.getByLabel(words.password);
    expect(await password.evaluate((field) => field === document.activeElement)).toBe(true);
  });

  test("sends the password to OBS alone, and keeps it nowhere", async () => {
    const obs = standIn({ password: PASSWORD });
    const watched = await stage.open("widget", { query: "?id=1&tab=obs" });
    const sent: string[] = [];
    watched.page.on("request", (request) =>
      sent.push(request.url(), request.postData() ?? "", JSON.stringify(request.headers())),
    );
    watched.page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => sent.push(String(payload))),
    );
    const card = await cardOn(watched);
    await card.connect(obs.port);
    await card.says(card.words.sentences.connected);
    expect(sent.some((text) => text.includes("authentication"))).toBe(true);
    await card.press(card.words.leave);
    const password = card.card.getByLabel(card.words.password);
    expect(await password.inputValue()).toBe("");
    expect(await password.getAttribute("autocomplete")).toBe("off");
    const kept = await card.page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
    );
    expect([...sent, kept].filter((text) => text.includes(PASSWORD))).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });

  test("says why it did not work, in the language of the page", async () => {
    const { failures, put, connected } = languages.de.dashboard.intoObs.sentences;
    const card = await cardOn(
      await stage.open("widget", { language: "de", query: "?id=1&tab=obs" }),
      "de",
    );
    const nobody = freePort();
    await card.connect(nobody);
    await card.says(fill(failures.off, { port: String(nobody) }));
    const before: readonly (readonly [StandInObsOptions, string])[] = [
      [{ password: "another" }, failures.wrongPassword],
      [{ closesWith: 4010 }, failures.oldVersion],
    ];
    for (const [options, sentence] of before) {
      const { port } = standIn(options);
      await card.connect(port);
      await card.says(fill(sentence, { port: String(port) }));
      expect(await card.outcome.getAttribute("class")).toBe("status bad");
    }

    await card.connect(standIn({ refuses: { CreateInput: 702 } }).port);
    await card.says(connected);
    await card.press(put);
    await card.says(fill(failures.refused, { detail: "The reason for 702." }));
    await card.press(card.words.leave);
    const leaving = standIn();
    await card.connect(leaving.port);
    await card.says(connected);
    const elsewhere = card.page.getByRole("link", {
      name: languages.de.dashboard.settings,
    });
    await elsewhere.focus();
    leaving.hangUp();
    await card.says(failures.closed);
    expect(await elsewhere.evaluate((link) => link === document.activeElement)).toBe(true);
  });

  test("gives up when nothing is said for five seconds", async () => {
    const watched = await stage.open("widget", { query: "?id=1&tab=obs" });
    await watched.page.clock.install();
    await watched.page.reload();
    const card = await cardOn(watched);
    await card.connect(standIn({ greeting: null }).port);
    await card.says(card.words.sentences.connecting);
    await card.page.clock.fastForward(5_000);
    await card.says(card.words.sentences.failures.timeout);
  });

  test("works over http at home, and says that browsers block public pages over http", async () => {
    const { cookie } = await signIn(stage.server, stage.ada, stage.server.url);
    // The server under a name that is not this computer's own.
    const elsewhere = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch({ url }) {
        const { pathname, search } = new URL(url);
        return fetch(stage.server.url + pathname + search, { headers: { cookie } });
      },
    });
    opened.push(() => void elsewhere.stop(true));
    const obs = standIn({ password: PASSWORD });
    const connectFrom = async (network: "local" | "public", says: (card: Card) => string) => {
      const browser = await launchWith(
        "--host-resolver-rules=MAP marquee.example 127.0.0.1",
        `--ip-address-space-overrides=127.0.0.1:${elsewhere.port}=${network}`,
      );
      opened.push(() => void browser.close());
      const page = await browser.newPage();
      page.setDefaultTimeout(GIVE_UP_MS);
      await page.goto(`http://marquee.example:${elsewhere.port}/en/dashboard/widget?id=1&tab=obs`);
      expect(await page.evaluate(() => "subtle" in crypto)).toBe(false);
      const card = await cardOn({ page });
      await card.connect(obs.port);
      await card.says(fill(says(card), { port: String(obs.port) }));
    };
    await connectFrom("local", ({ words }) => words.sentences.connected);
    await connectFrom("public", ({ words }) => words.sentences.failures.blockedHttp);
  });

  const refused = async (card: Card, { port }: StandInObs) => {
    await card.connect(port, "wrong");
    await card.says(card.words.sentences.failures.wrongPassword);
  };
  const put = async (card: Card, { port }: StandInObs) => {
    await card.connect(port);
    await card.says(card.words.sentences.connected);
    await card.press(card.words.sentences.put);
    await card.card.getByRole("button", { name: card.words.refresh }).waitFor();
  };
  test.each([
    ["it was refused", refused],
    ["the widget is in OBS", put],
  ])("is accessible and narrow enough when %s", async (_, reach) => {
    const obs = standIn({ password: PASSWORD });
    const watched = await stage.open("widget", {
      query: "?id=1&tab=obs",
      viewport: { width: 360, height: 740 },
    });
    const card = await cardOn(watched);
    await reach(card, obs);
    const faults: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await card.page.emulateMedia({ colorScheme });
      faults.push(...(await axeViolations(card.page)), ...(await overflowOf(card.page)));
    }
    expect(faults).toEqual([]);
  });

  testWith("OBS with Xvfb", obsIsInstalled)("works with a real OBS", async () => {
    const real = await startRealObs({ hasBrowserSource: true });
    try {
      await putIntoRealObs(stage, real);
    } finally {
      await real.stop();
    }
  });
});

async function putIntoRealObs(stage: DashboardStage, real: RealObs): Promise<void> {
  const card = await cardOn(await stage.open("widget", { query: "?id=1&tab=obs" }));
  const { sentences, refresh } = card.words;
  await card.connect(real.port, "wrong");
  await card.says(sentences.failures.wrongPassword);
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

/** Drags with a real mouse from a real browser to a real OBS, and says yes to it. */
async function dragIntoRealObs(stage: DashboardStage, real: RealObs): Promise<void> {
  const browser = await launchOnScreen(real.display, 800, 900);
  try {
    const context = await browser.newContext({ viewport: null });
    const page = await context.newPage();
    await stage.enter(context);
    await page.goto(`${stage.address("widget")}?id=1&tab=obs`);
    await choose(page, "bar");
    await page.locator("[data-into-obs] h2").evaluate((title) => title.scrollIntoView());
    const from = await page.locator(".obs-chip").evaluate((chip) => {
      const { x, y, width, height } = chip.getBoundingClientRect();
      const top = window.screenY + window.outerHeight - window.innerHeight;
      return { x: window.screenX + x + width / 2, y: top + y + height / 2 };
    });
    const windowOf = (name: string) =>
      until(() => mouse(real, `search --onlyvisible --name ${name}`).split("\n")[0] || undefined);
    const obsWindow = await windowOf("^OBS");
    mouse(real, `windowsize --sync ${obsWindow} 780 860 windowmove --sync ${obsWindow} 810 20`);
    const steps = Array.from({ length: 20 }, (_, step) => {
      const part = (step + 1) / 20;
      const x = Math.round(from.x + (1150 - from.x) * part);
      const y = Math.round(from.y + (250 - from.y) * part);
      // A hand takes its time, and programs that agree on a drop need some.
      return `mousemove ${x} ${y} sleep 0.03`;
    });
    const start = `mousemove ${Math.round(from.x)} ${Math.round(from.y)} mousedown 1`;
    mouse(real, `${start} ${steps.join(" ")} sleep 0.3 mouseup 1`);
    const question = await windowOf("^Add");
    mouse(real, `windowfocus --sync ${question} key Return`);

    const obs = await connectToObs({ ...real, patienceMs: 5_000 });
    const source = await until(async () => {
      const asked = { inputName: "Marquee" };
      const answer = await obs.ask("GetInputSettings", asked).catch(() => undefined);
      return answer?.["inputSettings"];
    });
    expect(source).toMatchObject({ url: stage.overlay(), width: 1000, height: 120 });
    obs.close();
  } finally {
    await browser.close();
  }
}

/** Runs commands of xdotool; answers what they print. */
function mouse({ display }: RealObs, commands: string): string {
  const env = { ...process.env, DISPLAY: display };
  return Bun.spawnSync(["xdotool", ...commands.split(" ")], { env })
    .stdout.toString()
    .trim();
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
