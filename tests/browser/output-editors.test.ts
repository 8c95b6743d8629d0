import { expect } from "bun:test";
import { en } from "../../src/i18n/en.ts";
import { onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { addWidget } from "../fixtures/data/widgets.ts";

onTheDashboard("the editors of texts and cards", (stage) => {
  const { test } = stage;

  test("show what is typed at once, and insert a placeholder where one types", async () => {
    await stage.plays();
    const { widget } = await addWidget(stage.server, stage.ada, "text");
    const { page } = await stage.open("widget", { query: `?id=${widget.id}` });
    const first = page.locator("[data-lines] dd").first();
    expect(await first.textContent()).toBe("♪ Juniper Vale – Paper Lanterns");
    await page.locator("#template").fill("Now: ");
    await page.locator(".placeholders button").first().click();
    expect(await page.locator("#template").inputValue()).toBe("Now: {title}");
    await page.getByText("Now: Paper Lanterns", { exact: true }).waitFor();
    await page.locator("#template").fill("{titel}");
    await page.locator("#template-mistake").getByText("There is no placeholder {titel}.").waitFor();
    await page.locator('#template[aria-invalid="true"]').waitFor();
    await page.locator("#template").fill("{title}");
    await page.locator("#template-mistake").waitFor({ state: "hidden" });
    await page.locator("#template:not([aria-invalid])").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(en.dashboard.widget.editor.saved, { exact: true }).waitFor();
    const { options } = stage.server.accounts.widgets.byId(stage.ada.user, widget.id);
    expect(options).toEqual({ template: "{title}" });
  });

  test("choose in each row what holds without a change, and save nothing of it", async () => {
    for (const kind of ["card", "overlay"] as const) {
      const { widget } = await addWidget(stage.server, stage.ada, kind);
      const { page } = await stage.open("widget", { query: `?id=${widget.id}` });
      await page.locator("[data-pills] :checked").first().waitFor({ state: "attached" });
      const rows = page.locator("[data-pills]");
      expect(await rows.count()).toBeGreaterThan(0);
      expect(await rows.locator(":checked").count()).toBe(await rows.count());
      expect(await page.locator("[data-save]").isVisible()).toBe(false);
      await page.close();
    }
  });

  test("draw the card in the look that is chosen, before it is saved", async () => {
    await stage.plays();
    const { widget } = await addWidget(stage.server, stage.ada, "card");
    const { page } = await stage.open("widget", { query: `?id=${widget.id}` });
    await page.locator("input[name=mode][value=light]").check({ force: true });
    await page.locator('[data-card][src*="mode=light"]').waitFor();
    const width = () =>
      page.locator("[data-card]").evaluate((image) => (image as HTMLImageElement).naturalWidth);
    await page.waitForFunction(
      () => document.querySelector<HTMLImageElement>("[data-card]")?.complete,
    );
    expect(await width()).toBe(400);
    const { options } = stage.server.accounts.widgets.byId(stage.ada.user, widget.id);
    expect(options).toEqual({});
  });
});
