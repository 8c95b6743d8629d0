import { expect } from "bun:test";
import type { Page } from "playwright-core";
import {
  boxOf,
  coverOf,
  inOldestEngine,
  styleOf,
  titled,
  titleIs,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { addWidget } from "../fixtures/data/widgets.ts";
import { wideFont } from "../fixtures/fonts/fonts.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";

const red = coverOf("red", solidPicture("#c02050"));

/** What a new browser source has in its field for custom CSS. */
const OBS_DEFAULT =
  "body { background-color: rgba(0, 0, 0, 0); margin: 0px auto; overflow: hidden; }";

inOldestEngine("the streamer's own CSS", (stage) => {
  const { test } = stage;

  for (const fill of ["text node", "innerHTML"] as const) {
    test(`wins as OBS injects it, plain and !important, by ${fill}`, async () => {
      await stage.plays();
      const { page, complaints } = await stage.open("?color=ff0000&bg=222222&size=20");
      await inject(
        page,
        fill,
        `.np-title { color: rgb(0, 128, 0); font-size: 17px }
         .np-backdrop { background: rgb(4, 5, 6) !important }
         .np-label::before { content: "a > b" }
         body { background-color: rgb(1, 2, 3) !important }`,
      );
      expect(await styleOf(page, ".np-title", "color")).toBe("rgb(0, 128, 0)");
      expect(await styleOf(page, ".np-title", "font-size")).toBe("17px");
      expect(await styleOf(page, ".np-backdrop", "background-color")).toBe("rgb(4, 5, 6)");
      expect(await styleOf(page, "body", "background-color")).toBe("rgb(1, 2, 3)");
      expect(complaints).toEqual([]);
    });
  }

  test("wins with custom properties over theme, mode, options and cover, and keeps winning", async () => {
    await stage.plays(withCover(red));
    const { page } = await stage.open("?theme=glass&mode=light&radius=9&size=15");
    await inject(
      page,
      "text node",
      `:root { --np-accent: #123456; --np-radius: 3px; --np-font-size: 11px; --np-fg: #010203;
               --np-fg-muted: #040506; --np-bg: #070809; --np-padding: 5px; --np-bar-height: 7px }`,
    );
    const look = async () => ({
      accent: await styleOf(page, ".np-progress-fill", "background-color"),
      radius: await styleOf(page, ".np-card", "border-radius"),
      size: await styleOf(page, ".np", "font-size"),
      text: await styleOf(page, ".np-title", "color"),
      muted: await styleOf(page, ".np-artist", "color"),
      panel: await styleOf(page, ".np-backdrop", "background-color"),
      padding: await styleOf(page, ".np-card", "padding"),
      bar: await styleOf(page, ".np-progress", "height"),
    });
    const wanted = {
      accent: "rgb(18, 52, 86)",
      radius: "3px",
      size: "11px",
      text: "rgb(1, 2, 3)",
      muted: "rgb(4, 5, 6)",
      panel: "rgb(7, 8, 9)",
      padding: "5px",
      bar: "7px",
    };
    expect(await look()).toEqual(wanted);
    await stage.plays({
      ...titled("Next"),
      ...withCover(coverOf("blue", solidPicture("#2050c0"))),
    });
    await titleIs(page, "Next");
    expect(await look()).toEqual(wanted);
  });

  test("draws an outline where there is none of its own accord", async () => {
    await stage.plays();
    const { page } = await stage.open("?theme=card");
    expect(await styleOf(page, ".np-artist", "text-shadow")).toBe("none");
    await inject(page, "text node", ":root { --np-outline-width: 1px }");
    expect(await styleOf(page, ".np-artist", "text-shadow")).toContain(" 1px 0px 0px, ");
  });

  test("moves the card to its place at once", async () => {
    await stage.plays();
    const { page } = await stage.open("?exit=slide&motion=full");
    await page.waitForFunction(() => "npReady" in document.documentElement.dataset);
    await inject(page, "text node", ".np-card { transform: scale(0.8) }");
    expect(await styleOf(page, ".np-card", "transform")).toBe("matrix(0.8, 0, 0, 0.8, 0, 0)");
  });

  test("meets no rule of ours outside a layer, and none that is !important", async () => {
    await stage.plays(withCover(red));
    const { page } = await stage.open("?theme=glass&bg=222222&radius=4");
    const rules = await page.evaluate(() =>
      [...document.styleSheets].flatMap((sheet) =>
        [...sheet.cssRules].map((rule) => ({ kind: rule.constructor.name, text: rule.cssText })),
      ),
    );
    expect(new Set(rules.map(({ kind }) => kind))).toEqual(new Set(["CSSLayerBlockRule"]));
    expect(rules.filter(({ text }) => text.includes("!important"))).toEqual([]);
  });

  test("may hide and show parts by their public names and states", async () => {
    await stage.plays({ state: "paused" });
    const { page } = await stage.open();
    await inject(
      page,
      "text node",
      `.np-artist { display: none }
       [data-np-state="paused"] .np-title { letter-spacing: 4px }
       [data-np-theme="card"] .np-time { opacity: 0.5 }`,
    );
    expect((await boxOf(page, ".np-artist")).height).toBe(0);
    expect(await styleOf(page, ".np-title", "letter-spacing")).toBe("4px");
    expect(await styleOf(page, ".np-time", "opacity")).toBe("0.5");
  });

  test("makes the browser ask this server for nothing but covers, fonts and our own files", async () => {
    await stage.plays(withCover(red));
    const { page, complaints } = await stage.open("", {
      prepare: (prepared) => prepared.addInitScript(noteRefusals),
    });
    const { server, ada } = stage;
    const { id } = await server.accounts.connections.connect(ada.user, "json", null);
    const push = `/in/${await server.accounts.connections.secretOf(id)}/json?title`;
    const card = await addWidget(server, ada, "card");
    const asked = {
      import: `${push}=import`,
      font: `${push}=font`,
      background: `${push}=background`,
      border: `/api/v1/now-playing?api_key=${ada.key}`,
      cursor: `/en/card/${card.token}.svg`,
      bullet: `/assets/../en/text/${card.token}`,
      mask: "/art/%2e%2e/livez",
    };
    await inject(
      page,
      "text node",
      `@import url("${asked.import}");
       @font-face { font-family: spy; src: url("${asked.font}") }
       .np-title { font-family: spy; background: url("${asked.background}") }
       .np-artist { border: 1px solid; border-image-source: url("${asked.border}") }
       html { cursor: url("${asked.cursor}"), auto }
       .np { display: list-item; list-style-image: url("${asked.bullet}") }
       .np-time { -webkit-mask-image: url("${asked.mask}") }`,
    );
    await page.mouse.move(10, 10);
    const refused = () =>
      page.evaluate(() => (document.documentElement.dataset["refused"] ?? "").split(" "));
    await until(async () => (new Set(await refused()).size > 7 ? true : undefined));
    const paths = new Set((await refused()).filter((one) => one !== "").map(pathOf));
    expect(paths).toEqual(new Set(Object.values(asked).map((one) => pathOf(server.url + one))));
    const requests = server.logged.filter((line) => line.includes("url="));
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter((line) => /\/(?:in|api|card|text|livez)\b/.test(line))).toEqual([]);
    expect(complaints.filter((one) => !one.includes("Content Security Policy"))).toEqual([]);
    expect(await page.evaluate(() => document.querySelector("img")?.naturalWidth)).toBeGreaterThan(
      0,
    );
  });

  for (const where of ["the widget", "OBS"] as const) {
    test(`shows pictures and fonts that the CSS of ${where} contains`, async () => {
      const picture = dataAddress("image/png", solidPicture("#0c2250", 8));
      const css = `@font-face { font-family: own; src: url("${dataAddress("font/woff2", wideFont())}") }
        .np-card { background: url("${picture}") }
        .np-title { font-family: own }`;
      const { server, ada } = stage;
      await stage.plays();
      if (where === "the widget") {
        const { widgets } = server.accounts;
        const { id, revision } = await widgets.first(ada.user);
        await widgets.save(ada.user, id, { options: {}, css, size: null }, { basedOn: revision });
      }
      const { page, complaints } = await stage.open();
      if (where === "OBS") await inject(page, "text node", css);
      const loaded = await page.evaluate(async (source) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const [font] = await document.fonts.load("16px own");
        return { width: image.naturalWidth, font: font?.status };
      }, picture);
      expect(loaded).toEqual({ width: 8, font: "loaded" });
      expect(await styleOf(page, ".np-card", "background-image")).toContain("data:image/png");
      expect(complaints).toEqual([]);
    });
  }

  test("calls nobody from within what it contains, and contains no styles", async () => {
    await stage.plays();
    const { page } = await stage.open();
    const { server } = stage;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">
      <style>@import url("${server.url}/from-style");</style>
      <image href="${server.url}/from-image" width="9" height="9"/>
      <script href="${server.url}/from-script"/></svg>`;
    const picture = dataAddress("image/svg+xml", Buffer.from(svg));
    const styles = dataAddress("text/css", Buffer.from(".np-title { color: rgb(1, 2, 3) }"));
    await inject(
      page,
      "text node",
      `@import url("${styles}"); .np-card { background: url("${picture}") }`,
    );
    const width = await page.evaluate(async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      return image.naturalWidth;
    }, picture);
    expect(width).toBe(9);
    expect(await styleOf(page, ".np-title", "color")).not.toBe("rgb(1, 2, 3)");
    // What is asked for is noted.
    await fetch(`${server.url}/from-here`);
    const asked = server.logged.flatMap((line) => /from-\w+/.exec(line) ?? []);
    expect(asked).toEqual(["from-here"]);
  });

  test("changes nothing as OBS brings it along by default", async () => {
    await stage.plays({ state: "paused" });
    const { page } = await stage.open();
    const before = await page.screenshot({ omitBackground: true });
    await inject(page, "text node", OBS_DEFAULT);
    expect((await page.screenshot({ omitBackground: true })).equals(before)).toBe(true);
  });
});

/** Notes in the page what its policy has refused. */
function noteRefusals(): void {
  document.addEventListener("securitypolicyviolation", ({ blockedURI }) => {
    const noted = document.documentElement.dataset["refused"] ?? "";
    document.documentElement.dataset["refused"] = `${noted} ${blockedURI}`;
  });
}

const dataAddress = (type: string, bytes: Uint8Array): string =>
  `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;

const pathOf = (address: string): string => new URL(address).pathname;

/**
 * Appends a style element to the head once the page has loaded, as obs-browser does: recent versions
 * with a text node, older ones with innerHTML.
 */
async function inject(page: Page, fill: "text node" | "innerHTML", css: string): Promise<void> {
  await page.evaluate(
    ([way, encoded]) => {
      const style = document.createElement("style");
      const text = decodeURIComponent(encoded);
      if (way === "innerHTML") style.innerHTML = text;
      else style.append(document.createTextNode(text));
      document.querySelector("head")?.append(style);
    },
    [fill, encodeURIComponent(css)] as const,
  );
}
