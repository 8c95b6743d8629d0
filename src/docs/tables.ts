import { optionList, type WidgetOption } from "../../widget/options.ts";
import { flagOf, type SettingName, settingNames, settings, variableOf } from "../config.ts";
import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { settingMeanings } from "../i18n/settings.ts";
import type { Called, Source } from "../sources/source.ts";
import { SHIPPED_LOOK_NAMES } from "../overlay/looks/shipped-names.ts";

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
      fallbackOf(name, docs.none),
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

/** What every source tells, and how soon: what people compare when they choose one. */
export function comparisonTable(language: Language, sources: readonly Source[]): string {
  const { docs } = languages[language];
  const { compare: t } = docs;
  return table(
    [docs.source, t.runs, t.reached, t.position, t.pause, t.cover, t.delay],
    sources.map(({ name, delivery, facts }) =>
      [
        name,
        t.places[facts.runs],
        delivery === "pushed" ? t.pushed : t.listened,
        t.told[facts.position],
        t.told[facts.pause],
        t.told[facts.cover],
        facts.delayMs === 0
          ? t.atOnce
          : fill(t.within, { seconds: String(Math.ceil(facts.delayMs / 1_000)) }),
      ].map((text) => Bun.escapeHTML(text)),
    ),
  );
}

/** Whom this server calls for each source that calls anybody. */
export function callsTable(language: Language, sources: readonly Source[]): string {
  const { docs } = languages[language];
  const textOf = (called: Called): string =>
    typeof called === "string"
      ? Bun.escapeHTML(docs.calls[called])
      : code(new URL(called.service).host);
  return table(
    [docs.source, docs.calls.calls],
    sources
      .filter(({ facts }) => facts.calls.length > 0)
      .map(({ name, facts }) => [Bun.escapeHTML(name), facts.calls.map(textOf).join(", ")]),
  );
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

/** Every source with its options. */
export function sourcesTable(language: Language, sources: readonly Source[]): string {
  const { docs, dashboard } = languages[language];
  const about: Readonly<Record<string, string>> = dashboard.music.about;
  return table(
    [docs.source, docs.meaning, docs.options],
    sources.map(({ id, name, options, oauth }) => [
      `${Bun.escapeHTML(name)} (${code(id)})`,
      Bun.escapeHTML(about[id] ?? ""),
      options.map((option) => code(`--${option.name}`)).join(", ") ||
        (oauth ? Bun.escapeHTML(docs.inBrowser) : Bun.escapeHTML(docs.none)),
    ]),
  );
}

function fallbackOf(name: SettingName, none: string): string {
  const { fallback } = settings[name];
  if (fallback === null || (Array.isArray(fallback) && fallback.length === 0)) {
    return name === "baseUrl" ? code("http://127.0.0.1:4747") : Bun.escapeHTML(none);
  }
  return code(String(fallback));
}

function valuesOf({ type }: WidgetOption<unknown>, yesNo: string): string {
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
      return `≤ ${type.longest}`;
  }
}

function shownFallback(fallback: unknown): string {
  if (fallback === null || fallback === "") return "–";
  if (typeof fallback === "boolean") return code(fallback ? "1" : "0");
  return code(String(fallback));
}

const code = (text: string): string => `<code>${Bun.escapeHTML(text)}</code>`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const headings = head.map((text) => `<th scope="col">${Bun.escapeHTML(text)}</th>`).join("");
  const body = rows
    .map((row) => `<tr>${row.map((content) => `<td>${content}</td>`).join("")}</tr>`)
    .join("");
  return `<div class="table" tabindex="0"><table><thead><tr>${headings}</tr></thead><tbody>${body}</tbody></table></div>\n`;
}
