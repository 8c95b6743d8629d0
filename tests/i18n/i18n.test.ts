import { describe, expect, test } from "bun:test";
import { languages } from "../../src/i18n/index.ts";
import { isLanguage, LANGUAGES } from "../../src/languages.ts";
import { textsIn } from "../fixtures/docs/words.ts";

/** Texts that rightly read as in English: a language's place in the words, such as `fr home.title`. */
const SAME_AS_ENGLISH: readonly string[] = [
  "fr dashboard.intoObs.port",
  "fr dashboard.hooks.title",
  "es dashboard.hooks.title",
  "pt dashboard.hooks.title",
  "de dashboard.hooks.title",
  "de dashboard.programs.text",
  "fr dashboard.sections.chat",
  "fr dashboard.sections.widget",
  "es dashboard.sections.chat",
  "es dashboard.sections.widget",
  "pt dashboard.sections.chat",
  "pt dashboard.chat.options.badgeNames.vip",
  "pt dashboard.sections.widget",
  "de dashboard.intoObs.port",
  "de dashboard.music.inbox.host",
  "de dashboard.music.inbox.port",
  "es dashboard.music.inbox.host",
  "fr dashboard.music.inbox.port",
  "pt dashboard.music.inbox.host",
  "de dashboard.sections.chat",
  "de dashboard.chat.options.badgeNames.vip",
  "de dashboard.sections.widget",
  "de dashboard.sections.server",
  "fr dashboard.sections.overlay",
  "es dashboard.sections.overlay",
  "pt dashboard.sections.overlay",
  "de dashboard.sections.overlay",
  "fr dashboard.widget.labels.album",
  "fr outputs.text.meanings.album",
  "fr dashboard.widget.labels.position",
  "fr dashboard.widget.options",
  "de dashboard.widget.groups.text",
  "de dashboard.widget.labels.album",
  "de dashboard.widget.labels.art",
  "de dashboard.widget.labels.position",
  // As OBS itself calls them.
  "fr dashboard.widget.obs.sources",
  "de dashboard.widget.obs.menu.1",
  "fr site.navigation",
  // The word of every Brazilian program.
  "pt dashboard.server.backup",
  "pt site.navigation",
  "fr site.docs",
  "fr docs.title",
  "fr docs.pages",
  "fr docs.option",
  "fr docs.options",
  "fr docs.variable",
  "es docs.variable",
  "de docs.option",
  "de docs.variable",
  "fr docs.compare.pause",
  "fr docs.compare.position",
  "fr docs.compare.volume",
  "pt docs.compare.volume",
  "es docs.compare.reported.no",
  "de docs.compare.cover",
  "de docs.compare.pause",
  "de docs.compare.position",
  "fr reference.type",
  "fr dashboard.gallery.import.css",
  "fr dashboard.gallery.import.options",
  "fr dashboard.gallery.kinds.overlay",
  "fr dashboard.gallery.shareJson",
  "fr dashboard.gallery.size",
  "fr looks.pixel.name",
  "fr docs.code",
  "fr docs.look",
  "es dashboard.gallery.import.css",
  "es dashboard.gallery.kinds.overlay",
  "es dashboard.gallery.shareJson",
  "es dashboard.gallery.size",
  "es looks.arena.name",
  "pt dashboard.gallery.import.css",
  "pt dashboard.gallery.kinds.overlay",
  "pt dashboard.gallery.shareJson",
  "pt dashboard.gallery.shareLink",
  "pt dashboard.gallery.size",
  "pt looks.arena.name",
  "pt looks.pixel.name",
  "de dashboard.gallery.import.css",
  "de dashboard.gallery.kinds.overlay",
  "de dashboard.gallery.name",
  "de dashboard.gallery.shareJson",
  "de dashboard.gallery.shareLink",
  "de dashboard.gallery.size",
  "de looks.arena.name",
  "de looks.pixel.name",
  "fr history.form.csv",
  "es history.form.csv",
  "pt history.form.csv",
  "de history.form.csv",
  "de history.form.text",
  "de connect.optional",
  "de dashboard.gallery.import.viewTitle",
  "de dashboard.music.name",
  "de dashboard.music.names.demo",
  "de dashboard.widget.editor.name",
  "de docs.look",
  "de docs.smartscreen.app",
  "fr dashboard.gallery.looks.title",
  "pt dashboard.widget.labels.theme",
  "fr dashboard.widget.tabs.design",
  "pt dashboard.widget.tabs.design",
  "de dashboard.gallery.looks.title",
  "de dashboard.widget.labels.theme",
  "de dashboard.widget.ownValue",
  "de looks.card.name",
];

const english = new Map(textsIn(languages.en));

describe.each(LANGUAGES)("the words in %s", (language) => {
  const texts = textsIn(languages[language]);

  test("are all there", () => {
    expect(texts.map(([place]) => place).toSorted()).toEqual([...english.keys()].toSorted());
  });

  test("are never empty, and begin and end with no space", () => {
    for (const [, text] of texts) expect(text).toMatch(/^\S(?:.*\S)?$/su);
  });

  test("name the language as its speakers do", () => {
    const names = {
      en: "English",
      fr: "Français",
      es: "Español",
      pt: "Português (Brasil)",
      de: "Deutsch",
    };
    expect(languages[language].endonym).toBe(names[language]);
  });
});

describe.each(LANGUAGES.filter((language) => language !== "en"))("the words in %s", (language) => {
  test("are not left in English", () => {
    const same = textsIn(languages[language])
      .filter(([place, text]) => text === english.get(place))
      .map(([place]) => `${language} ${place}`);
    const rightly = SAME_AS_ENGLISH.filter((one) => one.startsWith(`${language} `));
    expect(same.toSorted()).toEqual(rightly.toSorted());
  });
});

describe("isLanguage", () => {
  test("knows the five and nothing else", () => {
    for (const language of ["en", "fr", "es", "pt", "de"]) expect(isLanguage(language)).toBe(true);
    for (const text of ["", "EN", "en-GB", "it", "constructor", "__proto__", "toString"]) {
      expect(isLanguage(text)).toBe(false);
    }
  });
});
