import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { retryAfterMsOf } from "../../src/upstream/retry-after.ts";

const NOW = Date.UTC(2026, 9, 21, 7, 28);
const pauseOf = (text: string | null) => retryAfterMsOf(text, NOW);

describe("Retry-After", () => {
  test("is read as seconds", () => {
    expect(pauseOf("7")).toBe(7_000);
    expect(pauseOf(" 48925 ")).toBe(48_925_000);
    expect(pauseOf("1.2")).toBe(2_000);
  });

  test.each([
    "Wed, 21 Oct 2026 07:30:00 GMT",
    "Wednesday, 21-Oct-26 07:30:00 GMT",
    "Wed Oct 21 07:30:00 2026",
  ])("is read as the date %s, whatever the time zone here", (date) => {
    expect(pauseOf(date)).toBe(120_000);
  });

  test("of nothing at all, or of a date that has passed, is a second", () => {
    expect(pauseOf("0")).toBe(1_000);
    expect(pauseOf("Wed, 21 Oct 2026 07:27:59 GMT")).toBe(1_000);
  });

  test("that is missing or garbled is half a minute", () => {
    const garbled = ["", "  ", "soon", "-5", "NaN", "Infinity", "1e999", "7 seconds", "Oct 1"];
    for (const text of [
      null,
      ...garbled,
      "Wed, 99 Nov 2026 25:00:00 GMT",
      "2026-10-21T07:30:00Z",
    ]) {
      expect([text, pauseOf(text)]).toEqual([text, 30_000]);
    }
  });

  test("of any text is a time that can be waited", () => {
    const texts = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(fc.option(texts), (text) => {
        const pauseMs = pauseOf(text);
        expect(pauseMs).toBeGreaterThanOrEqual(1_000);
        expect(pauseMs).toBeLessThanOrEqual(7 * 86_400_000);
      }),
      { examples: [["1e306"]] },
    );
  });
});
