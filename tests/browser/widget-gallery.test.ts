import { expect } from "bun:test";
import { MOST_WIDGETS } from "../../src/looks/new-widget.ts";
import { en } from "../../src/i18n/en.ts";
import { fill } from "../../src/i18n/index.ts";
import { sharedLookLink } from "../../src/overlay/looks/shared-look.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { axeViolations, overflowOf, unfold } from "../fixtures/browser/page-checks.ts";

const t = en.dashboard.gallery;
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

/** CSS that tries to leave its style element, to load from elsewhere, and to run something. */
const hostileCss = (elsewhere: string) => `
  @import url(http://${elsewhere}/all.css);
  @import "//${elsewhere}/more.css";
  @font-face { font-family: spy; src: url(http://${elsewhere}/spy.woff2); }
  .np-title { font-family: spy; color: rgb(1, 2, 3); }
  .np-card { background: url(http://${elsewhere}/seen.png), url("javascript:parent.ran=1"); }
  .np-art::after { content: url(http://${elsewhere}/art.svg); }
  .np { cursor: url(http://${elsewhere}/cursor.cur), auto;
        background-image: image-set("http://${elsewhere}/set.png" 1x); }
  .np-card::before { content: url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='parent.ran=1'/>"); }
  </style><script>parent.ran = 1; window.ran = 1</script><img src=x onerror="parent.ran=1">
  <link rel="stylesheet" href="http://${elsewhere}/link.css"><style>
  .np-artist { color: rgb(4, 5, 6); }`;

onTheDashboard(
  "the gallery of widgets",
  (stage) => {
    const { test } = stage;
    const page = () => stage.address("widget");
    const widgets = () => stage.server.accounts.widgets.allOf(stage.ada.user);

    test("opens a link with a look: shown first with its CSS, then saved, by keyboard alone", async () => {
      const look = {
        name: "Ember",
        options: { theme: "bar", bg: "331100" },
        css: ".np-title { color: rgb(9, 8, 7) }",
        size: { width: 700, height: 90 },
      };
      const before = widgets();
      const { page: opened, complaints, hosts } = await stage.open("widget");
      await opened.goto(sharedLookLink(page(), look));
      await opened
        .getByRole("heading", { name: fill(t.import.viewTitle, { name: "Ember" }) })
        .waitFor();
      expect(new URL(opened.url()).hash).toBe("");
      const title = opened.frameLocator("iframe").locator(".np-title");
      await opened.waitForFunction(() => {
        const shown = document.querySelector("iframe")?.contentDocument?.querySelector(".np-title");
        return shown && getComputedStyle(shown).color === "rgb(9, 8, 7)";
      });
      expect(await title.textContent()).not.toBe("");
      expect(widgets()).toEqual(before);
      expect(await axeViolations(opened)).toEqual([]);

      await opened.getByLabel(t.name, { exact: true }).focus();
      await opened.keyboard.press("Tab");
      await opened.keyboard.press("Enter");
      await opened.getByText(fill(t.done.added, { name: "Ember" })).waitFor();
      expect(widgets()[1]).toMatchObject(look);
      expect(complaints).toEqual([]);
      expect([...hosts]).toEqual([new URL(stage.server.url).host]);
    });

    test("lets a hostile look that is shown load nothing from elsewhere and run nothing", async () => {
      const asked: string[] = [];
      using elsewhere = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch({ url }) {
          asked.push(url);
          if (!url.endsWith("/unguarded")) return new Response("");
          const html = `<style>${hostileCss(new URL(url).host)}</style>`;
          return new Response(html, { headers: { "Content-Type": "text/html" } });
        },
      });
      const css = hostileCss(`127.0.0.1:${elsewhere.port}`);
      const look = { name: "Trap", options: {}, css, size: null };
      const { page: opened } = await stage.open("widget");
      let dialogs = 0;
      opened.on("dialog", () => dialogs++);
      await opened.goto(sharedLookLink(page(), look));
      await opened.waitForFunction(() => {
        const shown = document.querySelector("iframe")?.contentDocument?.querySelector(".np-title");
        return shown && getComputedStyle(shown).color === "rgb(1, 2, 3)";
      });
      expect(await opened.locator("pre").textContent()).toContain("</style><script>");
      const hasNothingRun = await opened.evaluate(() =>
        [window, ...[...document.querySelectorAll("iframe")].map((one) => one.contentWindow)].every(
          (one) => one !== null && !("ran" in one),
        ),
      );
      expect(hasNothingRun).toBe(true);
      expect(dialogs).toBe(0);
      expect(asked).toEqual([]);
      // The same CSS does ask where our policy is missing.
      await opened.goto(`http://127.0.0.1:${elsewhere.port}/unguarded`);
      await until(() => asked.some((url) => url.endsWith("/all.css")) || undefined);
    });

    test("has room for twenty widgets with names of every kind, on a phone too", async () => {
      const { widgets: saved } = stage.server.accounts;
      const kinds = [
        "Donau".repeat(12),
        "ألعاب ومحادثة مع الأصدقاء",
        "夜の庭".repeat(12),
        "👩‍🚀 <b>&amp;",
      ];
      for (let at = 1; at < MOST_WIDGETS; at++) {
        const base = kinds[at % kinds.length] ?? "";
        const name = [...base].slice(0, 50).join("") + at;
        await saved.add(stage.ada.user, { name, kind: "overlay" });
      }
      await saved.rename(stage.ada.user, widgets()[0]?.id ?? 0, "\u05d0".repeat(60));
      const { page: opened } = await stage.open("widget", { viewport: PHONE });
      expect(await opened.locator(".overlays > li").count()).toBe(MOST_WIDGETS);
      await unfold(opened);
      expect(await overflowOf(opened)).toEqual([]);
    });

    test("leaves an overlay's buttons where they are when more of them are unfolded", async () => {
      const { page: opened } = await stage.open("widget");
      const row = opened.locator(".overlays > li").first();
      const buttons = [".obs-chip", ".row-actions > a", ".more > summary"];
      const places = () => Promise.all(buttons.map((one) => row.locator(one).boundingBox()));
      const unfoldMore = async () => {
        const before = await places();
        await row.locator(".more > summary").click();
        await row.getByText(t.rename, { exact: true }).waitFor();
        expect(await places()).toEqual(before);
      };
      await unfoldMore();
      await stage.server.accounts.widgets.add(stage.ada.user, { name: "Break", kind: "overlay" });
      for (const viewport of [DESKTOP, PHONE]) {
        await opened.setViewportSize(viewport);
        await opened.reload();
        await unfoldMore();
      }
    });

    test("opens the editor of the chosen overlay with a look that is not saved", async () => {
      const { widgets: saved } = stage.server.accounts;
      const second = await saved.add(stage.ada.user, { name: "Break", kind: "overlay" });
      const { page: opened, complaints } = await stage.open("widget");
      await opened.getByLabel(t.looks.forOverlay).selectOption("Break");
      const crt = opened.getByRole("group", { name: en.looks.crt.name });
      await crt.getByRole("button", { name: t.looks.use }).click();
      await opened.getByRole("heading", { name: "Break", level: 1 }).waitFor();
      await opened.getByText(en.dashboard.widget.editor.unsaved, { exact: true }).waitFor();
      expect(await opened.locator("[name=look]:checked").inputValue()).toBe("crt");
      expect(new URL(opened.url()).searchParams.get("look")).toBeNull();
      expect(widgets()).toMatchObject([{ css: "" }, { css: "", revision: 1 }]);
      await opened.getByRole("button", { name: en.dashboard.widget.editor.undo }).click();
      await opened.getByText(en.dashboard.widget.editor.saved, { exact: true }).waitFor();
      await opened.getByRole("button", { name: en.dashboard.widget.editor.redo }).click();
      await opened.keyboard.press("Control+s");
      await opened.getByText(en.dashboard.widget.editor.saved, { exact: true }).waitFor();
      expect((await saved.byId(stage.ada.user, second.id)).css).toContain(".np-card");
      expect(complaints).toEqual([]);
    });
  },
  { realSources: true, connected: false },
);
