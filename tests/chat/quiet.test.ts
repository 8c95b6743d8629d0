import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readChatOptions } from "../../src/chat/options.ts";
import { createQuiet, quietMsOf } from "../../src/chat/quiet.ts";

const AT_FIRST = readChatOptions({});

describe("the quiet times", () => {
  const viewer = (personId: string) => ({
    personId,
    isPrivileged: false,
    quietMs: quietMsOf(AT_FIRST, true),
  });

  test("are ten seconds for a chat and thirty for a person", () => {
    const quiet = createQuiet();
    expect(quiet.admit(viewer("a"), 0)).toBe(true);
    expect(quiet.admit(viewer("b"), 9_999)).toBe(false);
    expect(quiet.admit(viewer("a"), 10_000)).toBe(false);
    expect(quiet.admit(viewer("b"), 10_000)).toBe(true);
    expect(quiet.admit(viewer("a"), 30_000)).toBe(true);
  });

  test("are thirty seconds where the account is neither broadcaster nor moderator", () => {
    const quiet = createQuiet();
    const ask = (personId: string, atMs: number) =>
      quiet.admit({ personId, isPrivileged: true, quietMs: quietMsOf(AT_FIRST, false) }, atMs);
    expect([ask("a", 0), ask("b", 29_999), ask("b", 30_000)]).toEqual([true, false, true]);
  });

  test("do not apply to a moderator's second question, apart from the chat's", () => {
    const quiet = createQuiet();
    const ask = (atMs: number) =>
      quiet.admit({ personId: "m", isPrivileged: true, quietMs: quietMsOf(AT_FIRST, true) }, atMs);
    expect([ask(0), ask(9_999), ask(10_000)]).toEqual([true, false, true]);
  });

  test("last longer where Twitch asks for it", () => {
    const quiet = createQuiet();
    quiet.pause(20_000);
    expect(quiet.admit(viewer("a"), 19_999)).toBe(false);
    expect(quiet.admitLine(19_999)).toBe(false);
    expect(quiet.admit(viewer("a"), 20_000)).toBe(true);
  });

  test("never allow more than fifteen messages in thirty seconds", () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 12_000 }),
      personId: fc.constantFrom("a", "b", "c", "d"),
      isPrivileged: fc.boolean(),
      quietMs: fc.integer({ min: 5_000, max: 30_000 }),
      isAsked: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const quiet = createQuiet();
        const sentAtMs: number[] = [];
        let nowMs = 0;
        for (const { waitMs, isAsked, ...asking } of steps) {
          nowMs += waitMs;
          const isSent = isAsked ? quiet.admit(asking, nowMs) : quiet.admitLine(nowMs);
          if (isSent) sentAtMs.push(nowMs);
        }
        for (const atMs of sentAtMs) {
          const within = sentAtMs.filter((other) => other >= atMs && other < atMs + 30_000);
          expect(within.length).toBeLessThanOrEqual(15);
        }
      }),
    );
  });
});
