import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mayAsk, questionIn } from "../../src/chat/commands.ts";
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
