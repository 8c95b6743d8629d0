import { beforeEach, describe, expect, test } from "bun:test";
import { LANGUAGES } from "../../src/languages.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf, environment } = useCommandLine();

let token: string;
beforeEach(async () => {
  const [ada] = await documentsOf("user", "add", "ada");
  token = String(ada?.["widget_token"]);
});

describe("marquee widget url", () => {
  test("prints exactly the token and the address", async () => {
    expect(await documentsOf("widget", "url", "ada")).toEqual([
      { widget_token: token, widget_url: `http://127.0.0.1:4747/en/widget/${token}` },
    ]);
  });

  test("prints the address alone for people", async () => {
    const { out } = await marquee("widget", "url", "ada");
    expect(out).toBe(`http://127.0.0.1:4747/en/widget/${token}`);
  });

  test.each(LANGUAGES)("prints it in the language %s", async (language) => {
    const { out } = await marquee("widget", "url", "ada", "--lang", language);
    expect(out).toBe(`http://127.0.0.1:4747/${language}/widget/${token}`);
  });

  test.each(["xx", "EN", "", "__proto__", "toString"])(
    "refuses the language %p",
    async (language) => {
      const { code, errors } = await marquee("widget", "url", "ada", "--lang", language);
      expect(code).toBe(2);
      expect(errors).toContain("en, fr, es, pt, de");
    },
  );

  test("prints it below the base URL and on the port that are set", async () => {
    environment["MARQUEE_PORT"] = "8080";
    expect((await marquee("widget", "url", "ada")).out).toStartWith("http://127.0.0.1:8080/en/");
    environment["MARQUEE_BASE_URL"] = "https://example.org/music";
    expect((await marquee("widget", "url", "ada")).out).toStartWith(
      "https://example.org/music/en/",
    );
    const flag = await marquee("widget", "url", "ada", "--base-url", "https://other.example");
    expect(flag.out).toStartWith("https://other.example/en/");
  });

  test("fails for a user who is not there", async () => {
    expect((await marquee("widget", "url", "nobody")).code).toBe(1);
  });
});

describe("marquee widget rotate", () => {
  test("prints exactly another token and its address, which stays", async () => {
    const [rotated] = await documentsOf("widget", "rotate", "ada");
    expect(Object.keys(rotated ?? {})).toEqual(["widget_token", "widget_url"]);
    expect(rotated?.["widget_token"]).not.toBe(token);
    expect(await documentsOf("widget", "url", "ada")).toEqual([rotated ?? {}]);
  });

  test("prints it in the language asked for", async () => {
    const [rotated] = await documentsOf("widget", "rotate", "ada", "--lang", "pt");
    expect(rotated?.["widget_url"]).toContain("/pt/widget/");
  });

  test("changes nothing when it is called wrongly", async () => {
    expect((await marquee("widget", "rotate", "ada", "--lang", "xx")).code).toBe(2);
    expect((await documentsOf("widget", "url", "ada"))[0]?.["widget_token"]).toBe(token);
  });
});
