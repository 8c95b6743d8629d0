import { describe, expect, test } from "bun:test";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { describedSources } from "../../src/sources/index.ts";
import { markdownOf } from "../../src/docs/documents.ts";

const sources = describedSources();
const KNOWN = {
  spotify: "Spotify",
  pear: "YouTube Music",
  cider: "Apple Music",
  lastfm: "Last.fm",
};

describe("the names that viewers know", () => {
  test("are those of services, and no program, protocol or server has one", () => {
    const known = sources.all.flatMap(({ id, name }) => {
      const shown = sources.knownNameOf({ source: name });
      return shown === "" ? [] : [[id, shown]];
    });
    expect(Object.fromEntries(known)).toEqual(KNOWN);
  });

  test("are none of what a program says of itself", () => {
    expect(sources.knownNameOf({ source: "toString" })).toBe("");
  });

  test.each(LANGUAGES)("stand beside the option and in its documentation in %s", (language) => {
    const hint = languages[language].dashboard.widget.hints.source;
    const page = markdownOf(language, "options");
    for (const name of Object.values(KNOWN)) {
      expect(hint).toContain(name);
      expect(page).toContain(name);
    }
  });
});
