import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  createQuiet,
  createRepeats,
  mayAsk,
  questionIn,
  quietMsOf,
} from "../../src/chat/commands.ts";
import { readChatOptions, wordsIn } from "../../src/chat/options.ts";

const AT_FIRST = readChatOptions({});

const asked = (text: string, isReply = false) => questionIn({ text, isReply }, AT_FIRST);

describe("a command", () => {
  test.each([
    ["!song", "song"],
    ["!SONG", "song"],
    ["  !song  what is it?", "song"],
    ["!song\u{E0000}", "song"],
    ["!song \u{E0000}", "song"],
    ["\u200B!song", "song"],
    ["!lastsong", "last song"],
  ] as const)("is read in %j", (text, question) => {
    expect(asked(text)).toBe(question);
  });

  test.each(["!songs", "! song", "song", "x !song", "", "@ada !song", "!song!"])(
    "is not read in %j",
    (text) => {
      expect(asked(text)).toBeUndefined();
    },
  );

  test("is read after the name of the one replied to, and only after one", () => {
    expect(asked("@bob !song", true)).toBe("song");
    expect(asked("@bob @ada !song", true)).toBeUndefined();
    expect(asked("!song", true)).toBe("song");
  });
});

describe("a user's words", () => {
  const options = readChatOptions({ words: wordsIn("Titel, !músíca"), answersLast: false });

  test("replace the usual one, in any case and with or without the exclamation mark", () => {
    const question = (text: string) => questionIn({ text, isReply: false }, options);
    expect(["!TITEL", "!músíca", "!MÚSÍCA now"].map(question)).toEqual(["song", "song", "song"]);
    expect(["!song", "!lastsong", "Titel"].map(question)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test.each(["", "!", "!a b-c", "!a.b", `!${"a".repeat(25)}`, "a b c d e f"])(
    "are not %j",
    (text) => {
      expect(wordsIn(text)).toBeUndefined();
    },
  );
});

test("only the broadcaster and people with a wanted badge may ask", () => {
  const options = readChatOptions({ badges: ["subscriber", "vip", "admin"] });
  const may = (...badges: string[]) => mayAsk({ badges }, options);
  expect([may("subscriber"), may("founder"), may("vip"), may("broadcaster")]).toEqual(
    Array.from({ length: 4 }, () => true),
  );
  expect([may(), may("moderator"), may("admin")]).toEqual([false, false, false]);
  expect(mayAsk({ badges: [] }, AT_FIRST)).toBe(true);
});

test("options that nobody could have stored are as at first", () => {
  fc.assert(
    fc.property(fc.anything(), (stored) => {
      const options = readChatOptions(stored);
      expect(options.words.length).toBeGreaterThan(0);
      expect(options.quietS).toBeWithin(5, 301);
      expect(options.announceEveryS).toBeWithin(30, 601);
    }),
  );
  expect(readChatOptions({ words: ["song", 1], quietS: 4, announceEveryS: "60" })).toEqual(
    AT_FIRST,
  );
});

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

test("a repeated id is dropped as long as it is remembered", () => {
  const repeats = createRepeats();
  expect([repeats.isFirst("a"), repeats.isFirst("a"), repeats.isFirst("b")]).toEqual([
    true,
    false,
    true,
  ]);
  for (let at = 0; at < 1_000; at++) repeats.isFirst(`more ${at}`);
  expect(repeats.isFirst("a")).toBe(true);
});
