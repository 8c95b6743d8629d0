import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fillTemplate, isMistake, parseTemplate, type Values } from "../../src/outputs/template.ts";

const SONG: Values = { title: "Paper Lanterns", artist: "Juniper Vale", source: "MPD" };

function filled(text: string, values: Values = SONG): string {
  const template = parseTemplate(text);
  if (isMistake(template)) throw new Error(JSON.stringify(template));
  return fillTemplate(template, values)
    .map((piece) => piece.text)
    .join("");
}

describe("a template", () => {
  test("shows values in the places of their names", () => {
    expect(filled("♪ {artist} – {title} ({source})")).toBe("♪ Juniper Vale – Paper Lanterns (MPD)");
  });

  test("drops a section in which a value is empty, and keeps one in which all are there", () => {
    expect(filled("{title}[ by {artist}][ from {album}]")).toBe("Paper Lanterns by Juniper Vale");
    expect(filled("{title}[ {artist}, {album}]")).toBe("Paper Lanterns");
    expect(filled("{title}[ live]")).toBe("Paper Lanterns live");
  });

  test("writes brackets that are doubled as they are", () => {
    expect(filled("{{title}} [[{title}]]")).toBe("{title} [Paper Lanterns]");
    expect(filled("[{{{artist}}}]")).toBe("{Juniper Vale}");
  });

  test("never reads a value as a template", () => {
    expect(filled("{title}", { title: "{artist} [x]" })).toBe("{artist} [x]");
  });

  test.each([
    ["{titel}", { kind: "unknown", name: "titel" }],
    ["{}", { kind: "unknown", name: "" }],
    ["{title", { kind: "unbalanced", bracket: "{" }],
    ["title}", { kind: "unbalanced", bracket: "}" }],
    ["[{title}", { kind: "unbalanced", bracket: "[" }],
    ["{title}]", { kind: "unbalanced", bracket: "]" }],
    ["[a [b] c]", { kind: "unbalanced", bracket: "[" }],
  ] as const)("says what is wrong with %s", (text, mistake) => {
    expect(parseTemplate(text)).toEqual(mistake);
  });

  test("is read or refused, whatever its text", () => {
    const pieces = fc.constantFrom("{", "}", "[", "]", "{title}", "{{", "]]", "a", " ", "{x}", "♪");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const template = parseTemplate(parts.join(""));
        if (!isMistake(template)) fillTemplate(template, SONG);
      }),
    );
  });
});
