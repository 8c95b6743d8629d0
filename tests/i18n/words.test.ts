import { describe, expect, test } from "bun:test";
import { languages } from "../../src/i18n/index.ts";
import { settingMeanings } from "../../src/i18n/settings.ts";
import { type Language, LANGUAGES } from "../../src/languages.ts";
import { DOCUMENTS, readDocument } from "../fixtures/docs/documents.ts";
import { textsIn } from "../fixtures/docs/words.ts";

/** Words that readers stumbled over, and what is written instead. */
const NOT_AGAIN: Readonly<Record<Language, readonly (readonly [wrong: RegExp, better: string])[]>> =
  {
    en: [
      [/\bwhoever\b/i, "anyone who, if you"],
      [/\bsomebody looks\b|\bnobody looks\b/i, "a widget or the dashboard is open"],
      [/\bgoes dark\b|\bgoes on working\b/i, "disappears; keeps working"],
      [
        /\b(is|are|was|were|be) (not )?heard\b|\bMarquee (hears|listens)\b(?! (only )?on\b)/i,
        "gets, follows, shows",
      ],
      [/\btells? by itself\b|\bspeaks? the\b/i, "reports, sends; supports"],
      [/\bin whichever\b|\bcounts (more|over|before)\b/i, "in any; overrides"],
      [/\bwhat goes wrong\b/i, "When nothing appears"],
      [/\bgreatest width\b|\bspeed of travel\b/i, "maximum width; scroll speed"],
      [/\bwaiting file\b/i, "launcher file"],
      [/\bprograms that push\b/i, "programs that send to Marquee"],
      [/(ing|OBS) …/, "… without a space"],
    ],
    fr: [
      [/incrustation/i, "overlay"],
      [/code secret/i, "client secret"],
      [/à l’antenne/i, "en live"],
      [/points? d’accès/i, "endpoint"],
      [/clés? fausses?|adresses? fausses?/i, "incorrecte"],
      [/\bjouez quelque chose|rien ne joue/i, "lancez un morceau; rien ne passe"],
      [/chansons?\b/i, "morceau"],
      [/exploitants?\b/i, "administrateur"],
      [/Marquee (entend|écoute)/i, "reçoit, suit"],
      [/Shift/, "Maj"],
      [/(ment|OBS) …/, "… sans espace"],
    ],
    es: [
      [/superposici(ón|ones)/i, "overlay"],
      [/difusión/i, "compartir"],
      [/carátulas?/i, "portada"],
      [/puntos? de acceso/i, "endpoint"],
      [/programas? de emisión/i, "programa de streaming"],
      [/hasta las \{time\}|hasta el \{time\}/i, "hasta: {time}"],
      [/Marquee (oye|escucha)/i, "recibe, sigue"],
      [/de serie\b/i, "predeterminado"],
      [/Shift/, "Mayús"],
      [/(ndo|OBS) …/, "… sin espacio"],
    ],
    pt: [
      [/(errad|inválid)[oa]s demais/i, "muitos … errados"],
      [/Marquee (ouve|escuta)/i, "recebe, acompanha"],
      [/\btoque alguma coisa|que você toca\b/i, "coloque uma música para tocar; que você ouve"],
      [/\bplug-ins?\b/i, "plugin"],
      [/programas que avisam|avis(a|am) o Marquee/i, "enviam ao Marquee"],
      [/\bdefinições\b/i, "configurações"],
      [/\bvincul(ar|e|ado|ada)\b/i, "conectar"],
      [/(ndo|OBS) …/, "… sem espaço"],
    ],
    de: [
      [/\bBesitzer/, "Eigentümer"],
      [/\bInterpret(en)?\b/, "Künstler"],
      [/\bBenutzer(?!kont|definiert|ordner)/, "Nutzer"],
      [/auf Sendung|während du (nicht )?sendest/, "live"],
      // At the beginning of a sentence, these are also she, they and their.
      [/(?<=[\p{L},] )(Sie|Ihnen|Ihr(e[nmrs]?)?)\b/u, "du, dich, dir, dein"],
      // Alone it is a term of the glossary.
      [/\bWidget(?!$)/, "Overlay"],
      [/Zieh mich/, "In OBS ziehen"],
      [/Marquee (hört|lauscht)/, "erhält, folgt, zeigt"],
      [/\b(anruft|ruft [^.]*? an)\b/, "abfragen"],
      [/\bPlugin/, "Plug-in"],
      [/aufgehoben|aufheben/, "gespeichert"],
      [/Shift|Ctrl/, "Umschalt, Strg"],
      [/von Haus aus/i, "voreingestellt"],
    ],
  };

/** Every text in a language with its place. Code is not part of the language. */
function textsOf(language: Language): (readonly [place: string, text: string])[] {
  return [
    ...textsIn(languages[language]),
    ...Object.entries(settingMeanings(language)),
    ...DOCUMENTS.flatMap((name) =>
      readDocument(language, name).texts.map((text) => [name, text] as const),
    ),
  ].map(([place, text]) => [place, text.replace(/`[^`]*`/g, "`")]);
}

describe.each(LANGUAGES)("in %s", (language) => {
  const texts = textsOf(language);

  test.each(NOT_AGAIN[language].map(([wrong, better]) => [wrong, better] as const))(
    "nothing says %p, but: %s",
    (wrong) => {
      expect(texts.filter(([, text]) => wrong.test(text))).toEqual([]);
    },
  );
});

/** The page of the server shows its settings to its owner, and some refusals are of commands alone. */
const FOR_OPERATORS = /^(?:reach\.(?:noProxy|untrustedProxy)|refused\.secret\.)/;

test.each(LANGUAGES)("names no flag and no variable to who only clicks, in %s", (language) => {
  const technical = textsIn(languages[language]).filter(
    ([place, text]) => !FOR_OPERATORS.test(place) && /--[a-z]|MARQUEE_|\{setting\}/.test(text),
  );
  expect(technical).toEqual([]);
});

/** "Source" is a word of OBS. Commands have an argument of this name. */
const OF_OBS =
  /^(?:home\.widgetText|dashboard\.(?:intoObs|home\.notOnStream|widget\.(?:obs|test\w+|launcherText|editor\.sizeHint))|refused\.(?:user\.source|connection\.noSource))/;
/** In Portuguese the word also means a font. */
const SOURCE: Readonly<Partial<Record<Language, RegExp>>> = {
  en: /\bsources?\b(?! code)/i,
  fr: /\bsources?\b/i,
  es: /\bfuentes?\b/i,
  de: /\BQuelle|\bQuelle/,
};

test.each(LANGUAGES)("an overlay is no widget, and a player no source, in %s", (language) => {
  const source = SOURCE[language];
  const wrong = textsIn(languages[language])
    .map(([place, text]) => [place, text.replace(/\{\w+\}/g, "")] as const)
    .filter(([place, text]) => /widget/i.test(text) || (!OF_OBS.test(place) && source?.test(text)));
  expect(wrong).toEqual([]);
});

describe("French", () => {
  test("has no space that breaks before : ; ! ? and », and after «", () => {
    const breaking = textsOf("fr").filter(([, text]) =>
      / (?:[:;!?](?![\p{L}\d])|»)|« /u.test(text),
    );
    expect(breaking).toEqual([]);
  });
});
