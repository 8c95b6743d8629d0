import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { fill, languages } from "../../src/i18n/index.ts";
import type { Fetch } from "../../src/upstream/index.ts";
import { type DashboardStage, onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { axeViolations, overflowOf } from "../fixtures/browser/page-checks.ts";
import { emptyMachine } from "../fixtures/sources/empty-machine.ts";

const { music: words } = languages.en.dashboard;
const CIDER = "http://127.0.0.1:10767";

/** On this machine, Cider plays and VLC wants its password. */
const machine: Fetch = async (url) => {
  if (url.startsWith(CIDER)) {
    return Response.json({ info: { name: "Paper Lanterns", artistName: "Juniper Vale" } });
  }
  if (!url.includes(":8080")) throw new Error("nobody is there");
  const headers = { "WWW-Authenticate": 'Basic realm="VLC stream"' };
  return new Response("", { status: 401, headers });
};

const cardOf = (page: Page, label: string): Locator =>
  page.locator("section.connected").filter({ has: page.getByRole("heading", { name: label }) });
const open = (row: Locator) => row.locator("summary").first().press("Enter");
const labelsOn = (page: Page) => page.locator("section.connected h2").allTextContents();

async function connectJson({ server, ada }: DashboardStage, ...names: readonly string[]) {
  const { connections } = server.accounts;
  for (const name of names) await connections.connect(ada.user, "json", null, name);
  const all = connections.allOf(ada.user.id);
  const secrets = await Promise.all(all.map(({ id }) => connections.secretOf(id)));
  /** Pushes to the connection at this place. */
  return (at: number, body: unknown) =>
    fetch(`${server.url}/in/${secrets[at]}/json`, { method: "POST", body: JSON.stringify(body) });
}

onTheDashboard(
  "the page of connections",
  (stage) => {
    const { test } = stage;

    test("leaves the buttons of a secret where they are when it is shown", async () => {
      await connectJson(stage, "Deck");
      const { page } = await stage.open("music", { query: "?row=1" });
      const secret = page.locator(".copyable.secret").first();
      const buttons = [secret.locator("[data-copy]"), secret.locator("summary")];
      const places = () => Promise.all(buttons.map((button) => button.boundingBox()));
      const before = await places();
      await secret.locator("summary").click();
      await secret.locator("code").waitFor();
      expect(await places()).toEqual(before);
    });

    test("keeps the focus on looking for players when the list of them arrives", async () => {
      const { page } = await stage.open("music");
      const focused = Promise.withResolvers<void>();
      await page.route("**/music?look=list", async (route) => {
        await focused.promise;
        await route.continue();
      });
      await page.reload();
      await page.getByRole("link", { name: words.found.look }).focus();
      focused.resolve();
      await page.locator("#found").getByText("Paper Lanterns – Juniper Vale").waitFor();
      const text = await page.evaluate(() => document.activeElement?.textContent);
      expect(text).toBe(words.found.again);
    });

    test("tells without a reload what came, what is followed and which one is shown", async () => {
      const push = await connectJson(stage, "Desk", "Kitchen");
      const { page, complaints } = await stage.open("music");
      const [desk, kitchen] = [cardOf(page, "JSON · Desk"), cardOf(page, "JSON · Kitchen")];
      await open(desk);
      await open(kitchen);
      await desk.getByText(words.inbox.nothing).waitFor();
      await page.evaluate(() => Object.assign(window, { isMarked: true }));

      await push(1, { title: "Glass <b>Harbour" });
      await kitchen.getByText("Glass <b>Harbour", { exact: true }).waitFor();
      await kitchen.getByText(words.shown, { exact: true }).waitFor();
      await push(0, { title: "Paper Lanterns" });
      await desk.getByText(words.why.firstPlaying).waitFor();
      await kitchen.getByText(fill(words.why.comesLater, { source: "JSON · Desk" })).waitFor();
      await push(0, { title: {} });
      await desk.locator("q").waitFor();
      await push(0, { title: "Another" });
      await desk.locator("q").waitFor({ state: "detached" });
      expect(await page.evaluate(() => "isMarked" in window)).toBe(true);
      expect(complaints).toEqual([]);
    });

    test("folds what sets a connection up once its first song has come, and only then", async () => {
      const push = await connectJson(stage, "Desk");
      const { page } = await stage.open("music");
      const desk = cardOf(page, "JSON · Desk");
      const address = desk.locator("details", { hasText: words.inbox.address }).last();
      const guide = desk.getByText(words.guide, { exact: true });
      await guide.waitFor();
      await push(0, { title: "Paper Lanterns" });
      await guide.waitFor({ state: "hidden" });
      await desk.getByText(words.inbox.show, { exact: true }).click();
      await push(0, { title: "Glass Gardens" });
      await desk.getByText("Glass Gardens", { exact: true }).waitFor();
      expect(await guide.isVisible()).toBe(true);
      expect(await address.isVisible()).toBe(true);
    });

    test("folds no row that is dragged by its grip", async () => {
      await connectJson(stage, "First", "Second");
      const { page } = await stage.open("music");
      await cardOf(page, "JSON · First").locator("[data-grip]").click();
      expect(await page.locator("section.connected > details[open]").count()).toBe(0);
    });

    test("takes a card where it is dragged, stores its place and says so", async () => {
      await connectJson(stage, "First", "Second", "Third");
      const { page, complaints } = await stage.open("music", {
        viewport: { width: 1280, height: 1400 },
      });
      const grip = await cardOf(page, "JSON · First").locator("[data-grip]").boundingBox();
      const last = await cardOf(page, "JSON · Third").boundingBox();
      if (!grip || !last) throw new Error("the cards are not there");
      const [x, y] = [grip.x + grip.width / 2, grip.y + grip.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x, last.y + last.height, { steps: 8 });
      const order = ["JSON · Second", "JSON · Third", "JSON · First"];
      expect(await labelsOn(page)).toEqual(order);
      await page.mouse.up();
      const moved = fill(words.moved, { source: "JSON · First", position: "3" });
      await page.getByRole("status").getByText(moved).waitFor();
      expect(await labelsOn(page)).toEqual(order);
      expect(complaints).toEqual([]);
    });

    test("puts a card back with Escape, and stores nothing", async () => {
      await connectJson(stage, "First", "Second");
      const { page } = await stage.open("music", { viewport: { width: 1280, height: 1400 } });
      const grip = await cardOf(page, "JSON · Second").locator("[data-grip]").boundingBox();
      if (!grip) throw new Error("the grip is not there");
      await page.mouse.move(grip.x + 5, grip.y + 5);
      await page.mouse.down();
      await page.mouse.move(grip.x + 5, 0, { steps: 4 });
      expect(await labelsOn(page)).toEqual(["JSON · Second", "JSON · First"]);
      await page.keyboard.press("Escape");
      await page.mouse.up();
      expect(await labelsOn(page)).toEqual(["JSON · First", "JSON · Second"]);
      await page.reload();
      expect(await labelsOn(page)).toEqual(["JSON · First", "JSON · Second"]);
    });

    test("is accessible and narrow enough with what is on this machine", async () => {
      const { page, complaints } = await stage.open("music");
      await page.locator("#found").getByText("Paper Lanterns – Juniper Vale").waitFor();
      await page.locator("#found").getByText(words.found.needs.password).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await overflowOf(page)).toEqual([]);
      expect(complaints).toEqual([]);
    });
  },
  {
    realSources: true,
    connected: false,
    fetch: machine,
    machine: {
      ...emptyMachine,
      at: (usual) => (usual.startsWith("http") ? usual : "127.0.0.1:1"),
    },
  },
);
