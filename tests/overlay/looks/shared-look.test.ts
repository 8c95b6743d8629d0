import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createWidgetToken } from "../../../src/accounts/credential.ts";
import { LONGEST_CSS } from "../../../src/looks/look.ts";
import {
  LONGEST_SHARED_LOOK,
  readSharedLook,
  type SharedLook,
  sharedLookJson,
  sharedLookLink,
} from "../../../src/overlay/looks/shared-look.ts";

const PAGE = "https://music.example/en/dashboard/widget";

const ARENA: SharedLook = {
  name: "Aréna ⚔️",
  options: { theme: "bar", bg: "101010", idleText: "später </script>" },
  css: '.np-title::after { content: "→ \\201C" }\n',
  size: { width: 640, height: 96 },
};

const given = (changes: object) =>
  JSON.stringify({ marquee: 1, name: "Arena", options: {}, css: "", size: [500, 120], ...changes });
const mistakeIn = (text: string) => {
  const read = readSharedLook(text);
  return "mistake" in read ? read.mistake.kind : "none";
};

describe("a shared look", () => {
  test("is a small document that anybody can read", () => {
    expect(JSON.parse(sharedLookJson(ARENA))).toEqual({
      marquee: 1,
      name: ARENA.name,
      options: ARENA.options,
      css: ARENA.css,
      size: [640, 96],
    });
  });

  test("says the size that fits its options where none was chosen, and is read as such", () => {
    const bar = { ...ARENA, size: null };
    expect(JSON.parse(sharedLookJson(bar)).size).toEqual([1000, 120]);
    expect(readSharedLook(sharedLookJson(bar))).toEqual({ look: bar, unknown: [] });
  });

  test("comes back from its JSON and from its link, whatever it is", () => {
    const names = fc.constantFrom("Main", "القائمة", "夜", "a".repeat(60), "🎧 2");
    const options = fc.record(
      {
        theme: fc.constantFrom("bar", "art"),
        idleText: fc.string({ maxLength: 80 }),
        new: fc.string(),
      },
      { requiredKeys: [] },
    );
    const size = fc.record({
      width: fc.integer({ min: 1_001, max: 8_192 }),
      height: fc.integer({ min: 16, max: 8_192 }),
    });
    fc.assert(
      fc.property(
        names,
        options,
        fc.string({ unit: "grapheme" }),
        size,
        (name, chosen, css, side) => {
          fc.pre(!/mq[a-z]?_/.test(JSON.stringify([chosen, css])));
          const look = { name, options: chosen, css, size: side };
          const unknown = "new" in chosen ? ["new"] : [];
          expect(readSharedLook(sharedLookJson(look))).toEqual({ look, unknown });
          expect(readSharedLook(` ${sharedLookLink(PAGE, look)}\n`)).toEqual({ look, unknown });
        },
      ),
    );
  });

  test("has no token in it, wherever somebody has put one", () => {
    const token = fc.constant(null).map(() => createWidgetToken());
    const around = fc.string({ maxLength: 6 });
    fc.assert(
      fc.property(token, around, around, fc.boolean(), (secret, before, after, isNested) => {
        // Taking one out must not put another together.
        const hidden = isNested ? `mqw${secret}_${secret.slice(4)}` : secret;
        const text = before + hidden + after;
        const look = {
          name: text,
          options: { idleText: text, [text]: text },
          css: text,
          size: null,
        };
        const link = sharedLookLink(PAGE, look);
        const [, encoded = ""] = link.split("#look=");
        for (const shared of [sharedLookJson(look), Buffer.from(encoded, "base64url").toString()]) {
          expect(shared).not.toContain(secret);
          expect(shared).not.toMatch(/mq[wlsi]?_[0-9A-Za-z]/);
        }
        expect(mistakeIn(link)).not.toBe("name");
      }),
    );
  });

  test("is kept out of what a browser sends, as a fragment", () => {
    const link = new URL(sharedLookLink(PAGE, ARENA));
    expect(link.origin + link.pathname + link.search).toBe(PAGE);
    expect(link.hash).toMatch(/^#look=[\w-]+$/);
  });
});

describe("a text that somebody pastes", () => {
  test.each([
    ["", "empty"],
    ["  \n ", "empty"],
    ["hello", "noLook"],
    ["[1]", "noLook"],
    ["{", "noLook"],
    ["{}", "noLook"],
    ['"#look="', "noLook"],
    [`${PAGE}#look=`, "noLook"],
    [`${PAGE}#look=%%%`, "noLook"],
    ["x".repeat(LONGEST_SHARED_LOOK + 1), "tooLong"],
    [given({ marquee: 2 }), "version"],
    [given({ marquee: "1" }), "version"],
    [given({ name: "" }), "name"],
    [given({ name: 7 }), "name"],
    [given({ name: "a".repeat(61) }), "name"],
    [given({ name: "Ma\u202Ein" }), "name"],
    [given({ options: [] }), "options"],
    [given({ options: { theme: 1 } }), "options"],
    [given({ options: { idleText: "x".repeat(301) } }), "options"],
    [given({ options: { ["x".repeat(41)]: "1" } }), "options"],
    [
      given({
        options: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`o${at}`, "1"])),
      }),
      "options",
    ],
    [given({ options: { theme: "neon" } }), "value"],
    [given({ options: { bg: "</style>" } }), "value"],
    [given({ css: 1 }), "css"],
    [given({ css: "é".repeat(LONGEST_CSS / 2 + 1) }), "css"],
    [given({ size: [500] }), "size"],
    [given({ size: [500, 0] }), "size"],
    [given({ size: ["500", 120] }), "size"],
    [given({ size: [500.5, 120] }), "size"],
    [given({ size: [9_000, 120] }), "size"],
  ])("is refused with its reason (%#)", (text, reason) => {
    expect(mistakeIn(text)).toBe(reason);
  });

  test("is refused with the option and the value that are wrong", () => {
    expect(readSharedLook(given({ options: { theme: "neon" } }))).toEqual({
      mistake: { kind: "value", option: "theme", value: "neon" },
    });
  });

  test("may lack everything but its version and its name", () => {
    expect(readSharedLook('{"marquee":1,"name":"Plain"}')).toEqual({
      look: { name: "Plain", options: {}, css: "", size: null },
      unknown: [],
    });
  });

  test("keeps options that are not known here, and says which", () => {
    const options = { theme: "bar", glow: "9", demo: "1" };
    expect(readSharedLook(given({ options }))).toMatchObject({
      look: { options },
      unknown: ["glow", "demo"],
    });
  });
});
