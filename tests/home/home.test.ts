import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LANGUAGES, languageTag, negotiateLanguage } from "../../src/languages.ts";
import { addressesIn } from "../fixtures/http/html.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const FIVE = ["en", "fr", "es", "pt", "de"] as const;

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer();
});
afterEach(() => server.close());

describe("GET /", () => {
  const redirectFor = (acceptLanguage?: string) =>
    server.get("/", acceptLanguage ? { headers: { "accept-language": acceptLanguage } } : {});

  test.each([
    [undefined, "en"],
    ["fr", "fr"],
    ["pt", "pt"],
    ["pt-BR", "pt"],
    ["pt-PT,pt;q=0.9,en;q=0.8", "pt"],
    ["DE-at", "de"],
    ["es-419,es;q=0.9,en;q=0.8", "es"],
    ["en;q=0.5, de;q=0.9, fr;q=0.7", "de"],
    ["ja, zh;q=0.9", "en"],
    ["ja, fr;q=0.1", "fr"],
    ["fr;q=0, de;q=0.2", "de"],
    ["*", "en"],
    ["fr;q=0", "en"],
    ["es;q=1.0;level=1, de", "es"],
    ["fr ; q=0.2 , pt ; q=0.3", "pt"],
    [";;;,,,q=", "en"],
  ])("redirects %j to %s", async (acceptLanguage, language) => {
    const response = await redirectFor(acceptLanguage);
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(`/${language}/`);
  });

  test("tells caches what the answer hangs on", async () => {
    const { headers } = await redirectFor("fr");
    expect(headers.get("vary")).toBe("Accept-Language");
    expect(headers.get("cache-control")).toBe("no-store");
  });
});

describe("negotiateLanguage", () => {
  test("reads the first twenty preferences", () => {
    const others = (count: number) => Array.from({ length: count }, () => "it").join();
    expect(negotiateLanguage(`${others(19)},de`)).toBe("de");
    expect(negotiateLanguage(`${others(20)},de`)).toBe("en");
  });

  test("always answers one of the five", () => {
    const pieces = fc.constantFrom(
      ...FIVE,
      "xx",
      "*",
      "-",
      "q=",
      ";",
      ",",
      " ",
      "0.5",
      "1e9",
      "-1",
    );
    const headers = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(pieces, { maxLength: 30 }).map((some) => some.join("")),
    );
    fc.assert(fc.property(headers, (header) => expect(FIVE).toContain(negotiateLanguage(header))));
  });

  test("answers the one with the highest quality, whatever the order", () => {
    const wishes = fc.uniqueArray(fc.constantFrom(...FIVE), { minLength: 1 }).chain((languages) =>
      fc.record({
        languages: fc.constant(languages),
        // Distinct, so that there is one best.
        qualities: fc.uniqueArray(fc.integer({ min: 1, max: 999 }), {
          minLength: languages.length,
          maxLength: languages.length,
        }),
      }),
    );
    fc.assert(
      fc.property(wishes, ({ languages, qualities }) => {
        const header = languages
          .map((language, at) => `${language};q=${((qualities[at] ?? 1) / 1000).toFixed(3)}`)
          .join(", ");
        const best = languages[qualities.indexOf(Math.max(...qualities))];
        expect(negotiateLanguage(header)).toBe(best ?? "en");
      }),
    );
  });
});

test("there are five languages", () => {
  expect([...LANGUAGES].toSorted()).toEqual([...FIVE].toSorted());
});

describe.each(FIVE)("GET /%s/", (language) => {
  const page = () => server.get(`/${language}/`);

  test("is a page in its language", async () => {
    const response = await page();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toContain(`<html lang="${languageTag(language)}">`);
  });

  test("answers without its last slash, too", async () => {
    expect(await (await server.get(`/${language}`)).text()).toBe(await (await page()).text());
  });

  test("links to all five languages, and nothing leads to another server", async () => {
    const addresses = await addressesIn(await page());
    for (const other of FIVE) expect(addresses).toContain(`/${other}/`);
    const own = /^(http:\/\/127\.0\.0\.1:4747)?\/(?!\/)/;
    expect(addresses.filter((one) => !own.test(one))).toEqual([]);
  });

  test("links to nothing that is not there", async () => {
    for (const address of await addressesIn(await page())) {
      const path = address.replace("http://127.0.0.1:4747", "");
      // The dashboard is there, for whoever is signed in.
      expect((await server.get(path)).status).toBe(path.endsWith("/dashboard") ? 401 : 200);
    }
  });

  test("names no other server anywhere", async () => {
    const text = await (await page()).text();
    const others = text
      .match(/(?:https?:)?\/\/[^\s"'<>]+/g)
      ?.filter((one) => !one.includes("//127.0.0.1:4747"));
    expect(others ?? []).toEqual([]);
  });

  test("lets no foreign script or frame in", async () => {
    const { headers } = await page();
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(policy).not.toMatch(/https?:/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("says in its language that an address leads nowhere", async () => {
    const response = await server.get(`/${language}/nothing/here`);
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toContain(`<html lang="${languageTag(language)}">`);
  });
});

test.each(["/xx/", "/EN/", "/constructor", "/__proto__", "/en-US/"])(
  "%s is no language: 404",
  async (path) => {
    const response = await server.get(path);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('<html lang="en">');
  },
);

describe("the pages' assets", () => {
  const assets = async () =>
    (await addressesIn(await server.get("/en/"))).filter((one) => one.startsWith("/assets/"));

  test("may be kept for ever", async () => {
    for (const path of await assets()) {
      const { headers } = await server.get(path);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect(await assets()).not.toEqual([]);
  });

  test.each([
    "/assets/nothing.js",
    "/assets/..%2f..%2fpackage.json",
    "/assets/widget.js",
    "/assets/",
  ])("are the only files there are: %s", async (path) =>
    expect((await server.get(path)).status).toBe(404),
  );
});
