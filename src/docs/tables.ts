import { optionList, type WidgetOption } from "../../widget/options.ts";
import { flagOf, type SettingName, settingNames, settings, variableOf } from "../config.ts";
import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { settingFallback, settingMeanings } from "../i18n/settings.ts";
import { sourceName } from "../sources/connected-music.ts";
import type { Called, Reported, Source, SourceFacts } from "../sources/source.ts";
import { SHIPPED_LOOK_NAMES } from "../overlay/looks/shipped.ts";
import { sourcePageOf } from "./documents.ts";
import { code, factsList, table } from "./html-table.ts";

/** Tables of the documentation, as HTML, generated from the program's own tables. */

/** Every setting: flag, variable, default and meaning. */
export function settingsTable(language: Language): string {
  const { docs } = languages[language];
  return table(
    [docs.setting, docs.variable, docs.fallback, docs.meaning],
    settingNames.map((name) => [
      code(flagOf(name)),
      code(variableOf(name)) +
        ("secret" in settings[name] ? `, ${code(`${variableOf(name)}_FILE`)}` : ""),
      fallbackOf(name, language),
      Bun.escapeHTML(settingMeanings(language)[name]),
    ]),
  );
}

/** Every option of the overlay's address: name, meaning, values and default. */
export function optionsTable(language: Language): string {
  const { docs, dashboard } = languages[language];
  return table(
    [docs.option, docs.meaning, docs.values, docs.fallback],
    optionList.map(([name, option]) => [
      code(name),
      Bun.escapeHTML(dashboard.widget.labels[name]),
      valuesOf(option, docs.yesNo),
      shownFallback(option.fallback),
    ]),
  );
}

/** What every source reports, and how soon: what people compare when they choose one. */
export function comparisonTable(
  language: Language,
  sources: readonly Source[],
  linkTo: (href: string) => string,
): string {
  const { docs } = languages[language];
  const { compare: t } = docs;
  return table(
    [docs.source, t.runs, t.reached, t.position, t.pause, t.cover, t.delay],
    sources.map((source) => [
      `<a href="${Bun.escapeHTML(linkTo(`${sourcePageOf(source)}.md`))}">${Bun.escapeHTML(sourceName(source, languages[language]))}</a>`,
      ...comparedFacts(language, source).map(([, text]) => Bun.escapeHTML(text)),
    ]),
  );
}

/** A source's own facts, with what commands call it and its options. */
export function factsTable(language: Language, source: Source): string {
  const { docs } = languages[language];
  const { id, options, facts } = source;
  const given = Object.entries(options).map(([name, { secret }]) =>
    secret ? `--${name}-file` : `--${name}`,
  );
  return factsList([
    ...comparedFacts(language, source).map(([name, text]) => [name, Bun.escapeHTML(text)] as const),
    [docs.compare.volume, Bun.escapeHTML(docs.compare.reported[howReported(facts, "volume")])],
    [docs.command, code(`marquee connect … ${id}`)],
    [docs.options, given.map(code).join(" ") || Bun.escapeHTML(docs.none)],
  ]);
}

/** Whom this server calls for each source that calls anybody. */
export function callsTable(language: Language, sources: readonly Source[]): string {
  const { docs } = languages[language];
  return table(
    [docs.source, docs.calls.calls],
    sources
      .filter(({ facts }) => facts.calls.length > 0)
      .map((source) => [
        Bun.escapeHTML(sourceName(source, languages[language])),
        calledBy(language, source).join(", "),
      ]),
  );
}

/** Whom this server calls for one source. */
export function leavesList(language: Language, source: Source): string {
  const { calls } = languages[language].docs;
  const called = calledBy(language, source);
  if (called.length === 0) return `<p>${Bun.escapeHTML(calls.nobody)}</p>\n`;
  const items = called.map((one) => `<li>${one}</li>`).join("");
  return `<p>${Bun.escapeHTML(calls.these)}</p>\n<ul>${items}</ul>\n`;
}

/** The looks that come with Marquee: code, name and what they are like. */
export function looksTable(language: Language): string {
  const { docs, looks } = languages[language];
  return table(
    [docs.look, docs.code, docs.meaning],
    SHIPPED_LOOK_NAMES.map((name) => [
      Bun.escapeHTML(looks[name].name),
      code(name),
      Bun.escapeHTML(looks[name].text),
    ]),
  );
}

/** What is compared of sources: each heading with the source's own value. */
function comparedFacts(language: Language, { delivery, facts }: Source): [string, string][] {
  const { compare: t } = languages[language].docs;
  return [
    [t.runs, t.places[facts.runs]],
    [t.reached, delivery === "pushed" ? t.pushed : t.listened],
    [t.position, t.reported[howReported(facts, "position")]],
    [t.pause, t.reported[howReported(facts, "pause")]],
    [t.cover, t.reported[howReported(facts, "cover")]],
    [
      t.delay,
      facts.delayMs === undefined
        ? t.atOnce
        : fill(t.within, { seconds: String(Math.ceil(facts.delayMs / 1_000)) }),
    ],
  ];
}

function howReported(
  { reports = [], reportsSometimes = [] }: SourceFacts,
  what: Reported,
): "yes" | "some" | "no" {
  if (reports.includes(what)) return "yes";
  return reportsSometimes.includes(what) ? "some" : "no";
}

const calledBy = (language: Language, { facts }: Source): string[] =>
  facts.calls.map((called: Called) =>
    typeof called === "string"
      ? Bun.escapeHTML(languages[language].docs.calls[called])
      : code(new URL(called.service).host),
  );

function fallbackOf(name: SettingName, language: Language): string {
  if (name === "data") {
    const { dataFolder } = languages[language].docs;
    return `<a href="install#the-data-folder">${Bun.escapeHTML(dataFolder)}</a>`;
  }
  const words = settingFallback(language, name);
  if (words !== undefined) return Bun.escapeHTML(words);
  const { fallback, fallbackText = String(fallback) } = settings[name];
  return code(fallbackText);
}

function valuesOf({ type, longest }: WidgetOption<unknown>, yesNo: string): string {
  switch (type.kind) {
    case "choice":
      return type.choices.map(code).join(" ");
    case "switch":
      return Bun.escapeHTML(yesNo);
    case "number":
      return Bun.escapeHTML(`${type.least}–${type.most} ${type.unit}`.trim());
    case "colour":
      return `${type.automatic ? `${code("auto")} ` : ""}${code("ff5c8a")}`;
    case "font":
      return code("Georgia, serif");
    case "text":
      return `≤ ${longest}`;
  }
}

function shownFallback(fallback: unknown): string {
  if (fallback === null || fallback === "") return "–";
  if (typeof fallback === "boolean") return code(fallback ? "1" : "0");
  return code(String(fallback));
}
