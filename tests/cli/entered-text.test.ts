import { beforeEach, describe, expect, test } from "bun:test";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf } = useCommandLine();
const TEXTS = ["Q".repeat(60_000), "Q\u0007Q", "Q\u009bQ", "Q\nQ"];
/** Each kind of option; a form with each option of each source is in `dashboard/entered-text.test.ts`. */
const WORDS: readonly [string, (text: string) => string[]][] = [
  ["connect … vlc --password", (text) => ["connect", "ada", "vlc", "--password", text]],
  ["connect … --name", (text) => ["connect", "ada", "json", "--name", text]],
  ["user add", (text) => ["user", "add", text]],
  ["key add … --name", (text) => ["key", "add", "ada", "--name", text]],
  ["widget add … --name", (text) => ["widget", "add", "ada", "--name", text]],
  ["widget set … idleText", (text) => ["widget", "set", "ada", "1", `idleText=${text}`]],
  ["widget set … font", (text) => ["widget", "set", "ada", "1", `font=${text}`]],
  ["widget set … an option", (text) => ["widget", "set", "ada", "1", `${text}=1`]],
  ["hook add … URL", (text) => ["hook", "add", "ada", `https://example.org/${text}`]],
  ["hook add … --action", (text) => ["hook", "add", "ada", "https://a.example", "--action", text]],
  ["hook add … --events", (text) => ["hook", "add", "ada", "https://a.example", "--events", text]],
];

describe("a command", () => {
  beforeEach(async () => {
    await marquee("user", "add", "ada");
  });

  const stored = async () =>
    JSON.stringify([
      await documentsOf("user", "list"),
      await documentsOf("connection", "list", "ada"),
      await documentsOf("key", "list", "ada"),
      await documentsOf("widget", "list", "ada"),
      await documentsOf("hook", "list", "ada"),
    ]);

  test.each(WORDS)(
    "stores no text that is too long or has control characters: %s",
    async (_, wordsWith) => {
      const before = await stored();
      for (const text of TEXTS) {
        const { code, errors } = await marquee(...wordsWith(text));
        expect([text.slice(0, 5), code === 0]).toEqual([text.slice(0, 5), false]);
        expect(errors).not.toBe("");
      }
      expect(await stored()).toBe(before);
    },
  );

  test("names the option that is refused, and what it must be", async () => {
    const [long = "", bell = ""] = TEXTS;
    const refused = async (password: string) =>
      (await marquee("connect", "ada", "vlc", "--password", password)).errors;
    expect(await refused(long)).toContain(
      "--password was refused. Shorten this: it may have at most 300 characters.",
    );
    expect(await refused(bell)).toContain(
      "--password was refused. Type this again: it has line breaks",
    );
  });
});
