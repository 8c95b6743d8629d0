import { describe, expect, test } from "bun:test";
import { HOSTILE_RUNS } from "../fixtures/thorough.ts";
import fc from "fast-check";
import { lineOf, type LineWords, lineValuesOf } from "../../src/outputs/line.ts";
import { hostileName } from "../fixtures/sources/hostile-names.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const WORDS: LineWords = {
  paused: "Paused",
  nothingPlaying: "Nothing playing",
  noneBefore: "None",
};
const OPTIONS = { template: "", pausedTemplate: "", idleTemplate: "", url: false };

interface Names {
  readonly title: string;
  readonly artist?: string;
  readonly template?: string;
  readonly most?: number;
}

function lineFor({ title, artist = "Juniper Vale", template = "", most = 380 }: Names): string {
  const track = { id: "1", title, durationMs: 200_000, explicit: false };
  const playback = aPlayback({ track, artists: [artist] });
  const told = lineValuesOf({ kind: "playback", playback, connectionId: 1 }, 1_000);
  return lineOf(told, { options: { ...OPTIONS, template }, words: WORDS, most });
}

/** What no line may have in it, in the syntax of each bot of the documentation. */
const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a line break or a control character", /[\p{Cc}\u2028\u2029]/u],
  ["a mark that turns the direction", /\p{Bidi_Control}/u],
  ["a mention", /@/],
  ["a mention, channel or emoji of Discord", /<[@#:]|<a:|<t:/],
  ["an address with its scheme", /:\/\//],
  ["the name of a host", /[\p{L}\p{N}]\.\p{L}{2,}/u],
  ["an IP address", /\d+\.\d+\.\d+\.\d+/],
  [
    "a variable of Nightbot, StreamElements, Fossabot, WizeBot, Firebot or Mix It Up",
    /\$[\p{L}\p{N}_([{]/u,
  ],
  ["a variable of Streamer.bot", /%[\p{L}_][^%\s]*%|~[\p{L}_][^~\s]*~|\$\p{L}\w*\(.*\)\$/u],
  ["a variable of Cloudbot", /\{\p{L}/u],
  ["a command at its beginning", /^[^\p{L}\p{N}"'“”„‘’‚«»‹›「『♪]/u],
  [
    "a joiner beside anything but the letters that need it or an emoji",
    /(?<![\p{sc=Arab}\p{sc=Deva}\p{sc=Mlym}\p{M}\p{Extended_Pictographic}])[\u200c\u200d]/u,
  ],
  ["half a character", /\p{Cs}/u],
  ["a space at an end, or two of them", /^\s|\s$|\s\s/u],
];

const complaintsAbout = (line: string, most: number): string[] => [
  ...FORBIDDEN.filter(([, pattern]) => pattern.test(line)).map(([what]) => what),
  ...(line === "" ? ["it is empty"] : []),
  ...(line.length > most ? [`it has ${line.length} characters`] : []),
];

describe("a line for chat", () => {
  test("is harmless, and as short as asked, for thousands of hostile titles and artists", () => {
    const templates = fc.constantFrom(
      "",
      "{title}",
      "{artist}.{title}",
      "${title}(x)",
      "{title}{artist}",
    );
    const most = fc.constantFrom(380, 180, 20, 500);
    fc.assert(
      fc.property(hostileName, hostileName, templates, most, (title, artist, template, longest) => {
        const line = lineFor({ title, artist, template, most: longest });
        expect({ line, complaints: complaintsAbout(line, longest) }).toEqual({
          line,
          complaints: [],
        });
      }),
      { numRuns: HOSTILE_RUNS },
    );
  });

  test.each([
    ["@everyone hi", "＠everyone hi"],
    ["Mr.Brightside", "Mr․Brightside"],
    ["see https://evil.com/x", "see evil․com/x"],
    ["hthttps://tps://evil", "evil"],
    ["$(eval 1)", "$\u2060(eval 1)"],
    ["%user%", "%\u2060user%"],
    ["a\u200bb\u202ec", "abc"],
    ["two\r\nlines", "two lines"],
    ["e\u0301", "é"],
    ["👨‍👩‍👧 ❤️", "👨‍👩‍👧 ❤️"],
    // Persian, Urdu, Hindi and Malayalam are spelt with joiners; between other letters they hide.
    ["می\u200cخواهم", "می\u200cخواهم"],
    ["لا\u200cپتہ", "لا\u200cپتہ"],
    ["क्\u200dष क्\u200cष", "क्\u200dष क्\u200cष"],
    ["അവന്\u200d", "അവന്\u200d"],
    ["a\u200cb م\u200c\u200cی \u200cمی\u200c", "ab می می"],
    ["5 $ 100 %", "5 $ 100 %"],
    ["What? No. Yes!", "What? No. Yes!"],
  ])("prints %j as %j", (title, printed) => {
    expect(lineFor({ title, template: "♪ {title}" })).toBe(`♪ ${printed}`);
  });

  test.each(["/ban ada", "!song", ".timeout", "* x", "🎵 x", "¿Y tú?"])(
    "begins with a note where %j would begin it",
    (title) => expect(lineFor({ title, template: "{title}" })).toStartWith("♪ "),
  );

  test.each(["Song", "9 to 5", '"Heroes"', "«Nuit»", "♪ Song", "夜"])(
    "begins with %j as it is",
    (title) => expect(lineFor({ title, template: "{title}" })).toBe(title),
  );

  test.each([
    ["क्\u200d".repeat(7), `${"क्\u200d".repeat(6)}क…`],
    ["क्ष्".repeat(9), `${"क्ष्".repeat(4)}क्ष…`],
    ["\u1100".repeat(30), `${"\u1100".repeat(19)}…`],
    [`🏴󠁧󠁢󠁥󠁮󠁧󠁿${"\u0301".repeat(6)}`, `♪ 🏴󠁧󠁢󠁥󠁮󠁧󠁿${"\u0301".repeat(3)}…`],
  ])("has the beginning of a sign that alone is longer: %j as %j", (title, printed) => {
    expect(lineFor({ title, template: "{title}", most: 20 })).toBe(printed);
    expect(lineFor({ title: "Song", artist: title, template: "{artist}", most: 20 })).toBe(printed);
  });

  test("leaves the streamer's own words alone", () => {
    const template = "@ada plays {title}, see https://ada.example and $(user)";
    expect(lineFor({ title: "Song", template })).toBe(
      "♪ @ada plays Song, see https://ada.example and $(user)",
    );
  });

  test("makes no address of a name and the words beside it", () => {
    expect(lineFor({ title: "evil", template: "Now: {title}.com" })).toBe("Now: evil․com");
  });
});
