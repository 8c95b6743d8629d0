import { onTheDashboard } from "../fixtures/dashboard-page.ts";
import { axeViolations, overflowOf, unfold } from "../fixtures/page-checks.ts";
import { watchPage } from "../fixtures/chromium.ts";
onTheDashboard("p", (stage) => {
  stage.test("x", async () => {
    await stage.hears();
    const c = await stage.context({}, stage.ada);
    for (const s of ["music", "widget", "keys", "server", "widget"] as const) {
      const t: number[] = [performance.now()]; const lap = () => t.push(performance.now());
      const { page } = watchPage(await c.newPage()); lap();
      await page.goto(stage.address(s)); lap();
      await unfold(page); lap();
      await axeViolations(page); lap();
      await page.emulateMedia({ colorScheme: "dark" }); lap();
      await axeViolations(page, ["color-contrast"]); lap();
      await page.setViewportSize({ width: 360, height: 740 }); lap();
      await overflowOf(page); lap();
      await page.close(); lap();
      console.log(s, t.slice(1).map((x, i) => Math.round(x - t[i]!)).join(" "));
    }
  }, 60000);
});
