import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { dependencies } from "../../package.json";
import { en } from "../../src/i18n/en.ts";
import { LANGUAGES } from "../../src/languages.ts";
import {
  SHIPPED_FONT_FILES,
  SHIPPED_FONTS_LICENCE,
} from "../../src/overlay/fonts/shipped-font-files.ts";
import {
  SHIPPED_FONT_NAMES,
  SUBSETS,
  UNICODE_RANGES,
} from "../../src/overlay/fonts/shipped-fonts.ts";
import { cssWithFonts } from "../../src/overlay/fonts/font-faces.ts";
import { SHIPPED_LOOK_NAMES, shippedLook } from "../../src/overlay/looks/shipped.ts";
import { readDocument } from "../fixtures/docs/documents.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PACKAGES = Object.keys(dependencies).filter((name) => name.startsWith("@fontsource/"));
const inPackage = (name: string, file: string) =>
  Bun.file(join(import.meta.dir, "../../node_modules", name, file));

describe("the fonts that come with Marquee", () => {
  test("have 120 KB together at most", async () => {
    const sizes = [...SHIPPED_FONT_FILES.values()].map((path) => Bun.file(path).size);
    expect(sizes).toHaveLength(SHIPPED_FONT_NAMES.length * SUBSETS.length);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(120_000);
  });

  test("have other addresses when their files change", async () => {
    for (const [id, path] of SHIPPED_FONT_FILES) {
      const sha256 = new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes());
      expect(id).toEndWith(`-${sha256.digest("hex").slice(0, 8)}`);
    }
  });

  test("are said to have the characters that their packages say", async () => {
    expect(PACKAGES).toHaveLength(SHIPPED_FONT_NAMES.length);
    for (const name of PACKAGES) {
      expect(await inPackage(name, "unicode.json").json()).toMatchObject(UNICODE_RANGES);
    }
  });

  test("come with their owners and the licence of each", async () => {
    const licence = await Bun.file(SHIPPED_FONTS_LICENCE).text();
    for (const name of PACKAGES) {
      const [, owner = "?", terms = "?"] =
        /^(Copyright .*? Authors \(\S+\)).*\n\n([^]+)$/.exec(
          await inPackage(name, "LICENSE").text(),
        ) ?? [];
      expect(licence).toContain(`\n${owner}`);
      expect(licence).toEndWith(`\n\n${terms}`);
    }
    for (const name of SHIPPED_FONT_NAMES) expect(licence).toContain(`\n${name}\nCopyright `);
  });

  test.each(LANGUAGES)("are named in the documentation: %s", (language) => {
    const text = readDocument(language, "looks").texts.join("\n");
    for (const name of SHIPPED_FONT_NAMES) expect(text).toContain(name);
  });
});

describe("the CSS of a look", () => {
  const familiesIn = (css: string) => [
    ...new Set([...css.matchAll(/@font-face\{font-family:"([^"]+)"/g)].map(([, name]) => name)),
  ];
  const familiesFor = (font: string | null, css = "", own: readonly string[] = []) => {
    const uploaded = own.map((name) => ({ id: `id${name.length}`, name }));
    return familiesIn(cssWithFonts({ own: uploaded, basePath: "/music" }, { font, css }));
  };

  test("makes known the fonts that its option or its CSS name, in any case, and no others", () => {
    expect(familiesFor(null)).toEqual([]);
    expect(familiesFor("Georgia, Verdana", ".np-title{font-weight:800}")).toEqual([]);
    expect(familiesFor("jersey 15, Monaco")).toEqual(["Jersey 15"]);
    expect(familiesFor("Lora", ".np{font-family:'SOFIA Sans Condensed'}")).toEqual([
      "Lora",
      "Sofia Sans Condensed",
    ]);
  });

  test("says what each file has, below the server's path", () => {
    const css = cssWithFonts({ own: [], basePath: "/music" }, { font: "Lora", css: ".np{}" });
    const [latin, extended, last] = css.split("\n");
    expect(latin).toMatch(
      /^@font-face\{.*src:url\("\/music\/fonts\/lora-latin-\w+\.woff2"\).*font-display:swap;unicode-range:U\+0000-00FF,/,
    );
    expect(extended).toMatch(/lora-latin-ext-\w+\.woff2.*unicode-range:U\+0100-/);
    expect(last).toBe(".np{}");
  });

  test("prefers a font of the same name that the user has uploaded", () => {
    const own = [{ id: "mine", name: "LORA" }];
    const css = cssWithFonts({ own, basePath: "" }, { font: "Lora", css: "" });
    expect(css).toContain("/fonts/mine.woff2");
    expect(css).not.toContain("/fonts/lora-");
  });

  test("is that of a page with a shipped look, which knows only what it uses", async () => {
    const server = await createTestServer();
    for (const name of SHIPPED_LOOK_NAMES) {
      const named = shippedLook(name, en)
        .options["font"]?.split(",")
        .map((font) => font.trim());
      const page = await (await server.get(`/en/demo?look=${name}`)).text();
      const expected = SHIPPED_FONT_NAMES.filter((font) => named?.includes(font));
      expect([name, familiesIn(page.replaceAll("&#34;", '"'))]).toEqual([name, expected]);
    }
    server.close();
  });
});

describe("the address of a shipped font", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await createTestServer();
  });
  afterEach(() => server.close());

  test("is its file for good", async () => {
    for (const [id, path] of SHIPPED_FONT_FILES) {
      const answer = await server.get(`/fonts/${id}.woff2`);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": "font/woff2",
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
      });
      expect(await answer.bytes()).toEqual(await Bun.file(path).bytes());
    }
  });

  test("has the licence beside it, and nothing else", async () => {
    const licence = await server.get("/fonts/OFL.txt");
    expect(licence.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await licence.text()).toBe(await Bun.file(SHIPPED_FONTS_LICENCE).text());
    for (const file of ["lora-latin-00000000.woff2", "constructor.woff2", "ofl.txt", "lora"]) {
      expect([file, (await server.get(`/fonts/${file}`)).status]).toEqual([file, 404]);
    }
  });
});
