import { beforeEach, describe, expect, test } from "bun:test";
import { parseApiKey } from "../../src/accounts/credential.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

const { marquee, documentsOf } = useCommandLine();

beforeEach(async () => {
  await marquee("user", "add", "ada");
});

const keys = () => documentsOf("key", "list", "ada");
const statuses = async () => (await keys()).map(({ status }) => status);

describe("marquee key add", () => {
  test("prints exactly the id and the key", async () => {
    const [issued, ...others] = await documentsOf("key", "add", "ada");
    expect(others).toEqual([]);
    expect(Object.keys(issued ?? {})).toEqual(["id", "api_key"]);
    expect(parseApiKey(String(issued?.["api_key"]))).toBeDefined();
    expect((await keys()).map(({ id }) => id)).toContain(issued?.["id"]);
  });

  test("shows people how to try it", async () => {
    const { out } = await marquee("key", "add", "ada");
    expect(out).toMatch(/^Try it in a terminal:\n {2}curl -H 'X-Api-Key: mq_\w+' http/m);
  });

  test.each(["x", "x".repeat(60), "🎵".repeat(60), "e\u0301".repeat(60), "Clé d’été", "<b>&amp;"])(
    "takes %p as a name",
    async (name) => {
      await marquee("key", "add", "ada", "--name", name);
      expect((await keys()).at(-1)?.["name"]).toBe(name);
    },
  );

  test.each([
    ...["", " ", "two\nlines", "a\u2028b", "x".repeat(61), "🎵".repeat(61)],
    ...[`e${"\u0301".repeat(300)}`, "a\u001b[31mb", "a\u202eb"],
  ])("refuses %p as a name", async (name) => {
    const { code, errors } = await marquee("key", "add", "ada", "--name", name);
    expect(code).toBe(2);
    expect(errors).toContain("--name must be 1 to 60 visible characters.");
    expect(await keys()).toHaveLength(1);
  });
});

describe("marquee key list", () => {
  test("shows ids, names and times, never a key", async () => {
    const { out } = await marquee("key", "list", "ada");
    expect(out).toMatch(/^[0-9A-Za-z]{8} +first key +works +20\d\d-.+ +never$/m);
    expect(out).not.toContain("mq_");
    expect(JSON.stringify(await keys())).not.toContain("mq_");
  });
});

describe("marquee key rotate", () => {
  test("prints exactly the id and the key, and ends the old one", async () => {
    const [issued] = await documentsOf("key", "rotate", "ada");
    expect(Object.keys(issued ?? {})).toEqual(["id", "api_key"]);
    expect(await statuses()).toEqual(["revoked", "works"]);
  });

  test.each([
    ["60s", 60_000],
    ["90m", 5_400_000],
    ["24h", 86_400_000],
    ["1440m", 86_400_000],
    ["86400s", 86_400_000],
  ])("lets the old one work for %s", async (grace, graceMs) => {
    const earliestMs = Date.now();
    expect((await marquee("key", "rotate", "ada", "--grace", grace)).code).toBe(0);
    const latestMs = Date.now();
    expect(await statuses()).toEqual(["ends", "works"]);
    const endMs = Date.parse(String((await keys())[0]?.["revoked_at"]));
    expect(endMs).toBeGreaterThanOrEqual(earliestMs + graceMs);
    expect(endMs).toBeLessThanOrEqual(latestMs + graceMs);
  });

  test("ends the old one at once with a grace of 0s", async () => {
    await marquee("key", "rotate", "ada", "--grace", "0s");
    expect(await statuses()).toEqual(["revoked", "works"]);
  });

  test.each(["25h", "1441m", "86401s", "-1h", "1", "1d", "1.5h", "", "1h30m", "Infinityh", "01h "])(
    "refuses a grace of %p and says what is allowed",
    async (grace) => {
      const { code, errors } = await marquee("key", "rotate", "ada", `--grace=${grace}`);
      expect(code).toBe(2);
      expect(errors).toContain("0s to 24h");
      expect(await statuses()).toEqual(["works"]);
    },
  );
});
