import { describe, expect, test } from "bun:test";
import { Glob } from "bun";
import { join } from "node:path";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { sourceName } from "../../src/sources/connected-music.ts";
import {
  markdownOf,
  PAGES,
  REFERENCE,
  sourcePageOf,
  SYSTEM_PAGES,
} from "../../src/docs/documents.ts";
import { DOCUMENTS, readDocument } from "../fixtures/docs/documents.ts";
import { allSources } from "../fixtures/sources/all-sources.ts";

/** They are read in about eight minutes. */
const MOST_WORDS = 1_800;
/** They are read while something is installed. */
const MOST_WORDS_TO_START = 250;
/** Where people look something up, and do not read from beginning to end. */
const REFERENCES: readonly string[] = ["settings", "commands", "options", "api"];

/** What is read: no examples, and no words for the search. */
const wordsIn = (markdown: string): number =>
  markdown.replace(/^ *```.*?^ *```$|^<!--.*-->$/gms, "").match(/\p{L}[\p{L}\p{N}’'-]*/gu)
    ?.length ?? 0;

describe.each(LANGUAGES)("the pages in %s", (language) => {
  test("are those of the lists of pages and of sources, and no others", () => {
    const folder = join(import.meta.dir, "../../src/docs", language);
    const files = [...new Glob("**/*.md").scanSync(folder)].map((file) =>
      file.replaceAll("\\", "/").replace(/\.md$/, ""),
    );
    const pages = PAGES.filter((page) => page !== REFERENCE);
    const wanted = [...pages, ...allSources().map(sourcePageOf)];
    expect(files.toSorted()).toEqual(wanted.toSorted());
  });

  test.each(DOCUMENTS.filter((name) => !REFERENCES.includes(name)))(
    "are short enough to be read: %s",
    (name) => {
      expect(wordsIn(markdownOf(language, name))).toBeLessThanOrEqual(MOST_WORDS);
    },
  );

  test("say overlay, and widget only where paths and commands do", () => {
    const stray = DOCUMENTS.flatMap((name) => {
      const { texts, images } = readDocument(language, name);
      return [...texts, ...images.map(({ alternative }) => alternative)]
        .filter((text) => /widget/i.test(text.replace(/`[^`]*`/g, "")))
        .map((text) => [name, text]);
    });
    expect(stray).toEqual([]);
  });

  test.each(SYSTEM_PAGES)("are as short as a start on one system is quick: %s", (name) => {
    expect(wordsIn(markdownOf(language, name))).toBeLessThanOrEqual(MOST_WORDS_TO_START);
  });

  test.each(DOCUMENTS)("begin with a title and a sentence: %s", (name) => {
    const [first, ...others] = readDocument(language, name).headings.map(({ level }) => level);
    expect(first).toBe(1);
    expect(others).not.toContain(1);
    const [, beginning = ""] = markdownOf(language, name).split(/^# .+$/m);
    expect(beginning.trim()).toMatch(/^[^#{|]/);
  });
});

/** The parts of every source's page, in English: steps first, facts last. Others may stand between the first two. */
const PARTS = [
  "Set it up",
  "When nothing appears",
  "What leaves your machine",
  "Good to know",
] as const;

describe.each(allSources().map(sourcePageOf))("the page %s", (name) => {
  test("has the parts of all sources in their order", () => {
    // The outlines are the same in every language.
    const parts = readDocument("en", name)
      .headings.filter(({ level }) => level === 2)
      .map(({ text }) => text);
    expect([parts[0], ...parts.slice(-3)]).toEqual([...PARTS]);
  });

  test.each(LANGUAGES)("has whom Marquee contacts and the facts, in %s", (language) => {
    const parts = markdownOf(language, name).split(/^## .+$/m);
    expect(parts.at(-2)).toContain("\n{{leaves}}\n");
    expect(parts.at(-1)).toEndWith("\n{{facts}}\n");
  });

  test.each(LANGUAGES)("calls its parts as the other pages do, in %s", (language) => {
    const partsOf = (page: typeof name) => {
      const parts = readDocument(language, page).headings.filter(({ level }) => level === 2);
      return [parts[0], ...parts.slice(-3)].map((part) => part?.text);
    };
    expect(partsOf(name)).toEqual(partsOf("sources/vlc"));
  });
});

test("steps show their examples where they are needed", () => {
  // An example after the last step belongs to none.
  const late = DOCUMENTS.filter((name) =>
    /^\d+\. [^\n]*:\n(?=\d+\. )/m.test(markdownOf("en", name)),
  );
  expect(late).toEqual([]);
});

test.each(LANGUAGES)("the pages of sources that have a name in %s are called by it", (language) => {
  const words = languages[language];
  const named = allSources().filter(({ id }) => Object.hasOwn(words.dashboard.music.names, id));
  expect(named).toHaveLength(Object.keys(words.dashboard.music.names).length);
  for (const source of named) {
    const [title] = readDocument(language, sourcePageOf(source)).headings;
    expect(title?.text).toBe(sourceName(source, words));
  }
});

test("a source has its own name in English", () => {
  const names = allSources().map((source) => [sourceName(source, languages.en), source.name]);
  expect(names.filter(([inEnglish, own]) => inEnglish !== own)).toEqual([]);
});

test("the titles of the groups differ", () => {
  for (const language of LANGUAGES) {
    const titles = Object.values(languages[language].docs.groups);
    expect(new Set(titles).size).toBe(titles.length);
  }
});
