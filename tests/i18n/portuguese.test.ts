import { describe, expect, test } from "bun:test";
import { languages } from "../../src/i18n/index.ts";
import { settingMeanings } from "../../src/i18n/settings.ts";
import { DOCUMENTS, readDocument } from "../fixtures/docs/documents.ts";
import { textsIn } from "../fixtures/docs/words.ts";

/**
 * What Portugal writes and Brazil does not: a use of it, how Brazil says that, and the form. Words
 * that both write, such as “guardar” or “apagar”, are not here.
 */
const EUROPEAN: readonly (readonly [european: string, brazilian: string, form: RegExp])[] = [
  // Nouns of computing that have another name.
  ["leitores de ecrã", "leitores de tela", /ecrã/i],
  ["o ficheiro", "o arquivo", /ficheiro/i],
  ["o utilizador", "o usuário", /utilizador/i],
  ["a palavra-passe", "a senha", /palavras?-passe/i],
  ["o telemóvel", "o celular", /telemóve(l|is)/i],
  ["o botão do rato", "o botão do mouse", /\brato\b/i],
  ["o nome de anfitrião", "o nome de host", /anfitri/i],
  ["a base de dados", "o banco de dados", /bases? de dados/i],
  ["por predefinição", "por padrão", /predefinid|predefiniç/i],
  ["num contentor", "em um contêiner", /contentor/i],
  ["500 píxeis", "500 pixels", /píxe/i],
  ["o tipo de letra", "a fonte do texto", /tipos? de letra/i],
  ["fonte multimédia", "fonte de mídia", /multimédia/i],
  // The same words, spelled otherwise.
  ["esta secção", "esta seção", /secç/i],
  ["o registo do servidor", "o log do servidor", /\bregistos?\b/i],
  ["em percentagem", "em porcentagem", /percentage/i],
  ["contactar o servidor", "contatar o servidor", /contact/i],
  ["com pormenores", "com detalhes", /pormenor/i],
  // Verbs.
  ["a partilha", "o compartilhamento", /(?<!com)partilh/i],
  ["aceder ao painel", "acessar o painel", /\bacede/i],
  ["transferir uma cópia", "baixar uma cópia", /\btransf[ei]r/i],
  ["carregue em +", "clique em +", /\bcarregu?e (em|no)\b/i],
  ["assinale a opção", "marque a opção", /\bassinale\b/i],
  // A stream is live: “ao vivo”, or simply the stream.
  ["em direto", "ao vivo", /\bem direto\b|\bdiretos\b|\b(o|seu) direto\b/i],
  // What goes on is a gerund.
  ["está a ouvir", "está ouvindo", /\best\p{L}* a \p{L}+r\b/iu],
  ["a tocar agora", "tocando agora", /\ba tocar\b/i],
  // “Não … mais” where Portugal writes “já não”; “demais” where it writes “demasiado”.
  ["já não funciona", "não funciona mais", /\bjá não\b/i],
  ["demasiadas chaves", "chaves demais", /demasiad/i],
  // The reader is “você” everywhere, and pronouns do not hang on the verb, but for “se”.
  ["a tua chave", "a sua chave", /(?<!\p{L})(tu|teus?|tuas?|contigo|consigo)(?!\p{L})/iu],
  ["copie-o agora", "copie agora", /\p{L}-(l?[oa]s?|n[oa]s?|lhes?|me|te)(?!\p{L})/iu],
  // Quotation marks.
  ["em «Fontes»", "em “Fontes”", /[«»]/],
];

/** Every Portuguese text with where it stands; what stands between backticks is no Portuguese. */
const texts: readonly (readonly [place: string, text: string])[] = [
  ...textsIn(languages.pt),
  ...Object.entries(settingMeanings("pt")).map(
    ([name, text]) => [`setting ${name}`, text] as const,
  ),
  ...DOCUMENTS.flatMap((name) => {
    const { texts, images } = readDocument("pt", name);
    const alternatives = images.map(({ alternative }) => alternative);
    return [...texts, ...alternatives].map(
      (text) => [`page ${name}`, text.replace(/`[^`]*`/g, "`")] as const,
    );
  }),
];

describe.each(EUROPEAN)("the European form of “%s”", (european, brazilian, form) => {
  test(`is known, and “${brazilian}” has none of it`, () => {
    expect(european).toMatch(form);
    expect(brazilian).not.toMatch(form);
  });

  test("is in no text", () => {
    expect(texts.filter(([, text]) => form.test(text))).toEqual([]);
  });
});

test("the texts are those of the pages, the settings, the options and the documentation", () => {
  const kinds = new Set(texts.map(([place]) => place.split(/[ .]/)[0]));
  for (const kind of ["dashboard", "reference", "setting", "page"]) {
    expect(kinds).toContain(kind);
  }
  expect(texts.map(([place]) => place)).toContain("dashboard.widget.labels.theme");
});

test("the names of menus are those of OBS Studio in Brazil", () => {
  // From its own translation: frontend/data/locale and plugins/obs-browser/data/locale, pt-BR.ini.
  const { obs } = languages.pt.dashboard.widget;
  expect([obs.sources, obs.properties, obs.width, obs.height]).toEqual([
    "Fontes",
    "Propriedades",
    "Largura",
    "Altura",
  ]);
  expect(obs.addText).toContain("“Navegador”");
  const pages = DOCUMENTS.map((name) => readDocument("pt", name).texts.join("\n")).join("\n");
  for (const words of ["Arquivo local", "Atualizar o cache da página atual"]) {
    expect(pages).toContain(words);
  }
});
