import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command as CommanderCommand } from "commander";
import { type WidgetOption, widgetOptions } from "../../widget/options.ts";
import { OPTION_NAMES } from "../../src/sources/source.ts";
import { createProgram, describeProgram } from "../../src/cli/program.ts";
import {
  flagOf,
  settingNames,
  settings,
  UPDATE_MIRROR_VARIABLE,
  variableOf,
} from "../../src/config.ts";
import { bots } from "../../src/outputs/bots.ts";
import { cardOptions, textOptions } from "../../src/outputs/options.ts";
import { PLACEHOLDERS } from "../../src/outputs/template.ts";
import { SESSION_LIFETIME_MS } from "../../src/accounts/sessions.ts";
import { type DocumentName, markdownOf, sourcePageOf } from "../../src/docs/documents.ts";
import { settingsTable } from "../../src/docs/tables.ts";
import { languages } from "../../src/i18n/index.ts";
import { settingFallback } from "../../src/i18n/settings.ts";
import { type Language, LANGUAGES } from "../../src/languages.ts";
import { createMetrics } from "../../src/metrics.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { type ApiDescription, readApiDescription } from "../fixtures/http/api-description.ts";
import { DOCUMENTS, readDocument } from "../fixtures/docs/documents.ts";
import { codesIn } from "../fixtures/http/html.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const root = join(import.meta.dir, "../..");

let server: TestServer;
let description: ApiDescription;

beforeAll(async () => {
  server = await createTestServer();
  description = await readApiDescription(server);
});
afterAll(() => server.close());

/** Everything a page shows as code, examples included. */
const codesOn = async (language: Language, name: DocumentName | "reference") =>
  new Set(await codesIn(await server.get(`/${language}/docs/${name}`)));

/** The lines of every example and every piece of code in the running text. */
const linesIn = (language: Language): string[] =>
  DOCUMENTS.flatMap((name) => {
    const { fences, codes } = readDocument(language, name);
    return [...fences.flatMap(({ text }) => text.split("\n")), ...codes];
  });

/** Every word of the API's errors: those described, and those of addresses that are not. */
async function errorTexts(): Promise<Set<string>> {
  const described = Object.keys(description.document.paths).flatMap((path) =>
    description
      .statusesOf(path)
      .filter((status) => status !== 200)
      .flatMap((status) => description.examplesOf(path, status)),
  );
  const lost = await (await server.get("/api/v1/nothing")).json();
  return new Set([...described, lost].map(({ error }) => error));
}

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

/** The fields of an answer that hold something, such as `track.id`. */
function fieldsOf(schema: Schema, prefix = ""): string[] {
  const { $ref, anyOf, properties, items } = schema;
  if (typeof $ref === "string") {
    const named = description.document.components.schemas[$ref.split("/").at(-1) ?? ""];
    return named ? fieldsOf(named, prefix) : [];
  }
  if (Array.isArray(anyOf)) return anyOf.flatMap((one: Schema) => fieldsOf(one, prefix));
  if (isSchema(items))
    return [prefix.slice(0, -1), ...fieldsOf(items, `${prefix.slice(0, -1)}[].`)];
  if (!isSchema(properties)) return [prefix.slice(0, -1)];
  return Object.entries(properties).flatMap(([name, value]) =>
    isSchema(value) ? fieldsOf(value, `${prefix}${name}.`) : [],
  );
}

/** Commands that do something, with their words; what is hidden from help is for containers. */
function commandsOf(program: CommanderCommand, words = ""): [string, CommanderCommand][] {
  return program
    .createHelp()
    .visibleCommands(program)
    .flatMap((command): [string, CommanderCommand][] => {
      const name = `${words} ${command.name()}`;
      return command.commands.length > 0 ? commandsOf(command, name) : [[name, command]];
    });
}

const program = createProgram({ environment: {}, out() {}, error() {} });
const commands = commandsOf(program, "marquee");

/** Keys of the keyboard, as they are labelled in other languages. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ["Strg", "Ctrl"],
  ["Umschalt", "Shift"],
  ["Maj", "Shift"],
  ["Mayús", "Shift"],
]);

/** Properties and attributes that the overlay's own files share, and that may change at any time. */
const INTERNAL: readonly string[] = [
  // The classes of style elements.
  "np-cover-styles",
  "np-option-styles",
  "np-widget-styles",
  // The cover's address, for the background of a theme.
  "--np-cover",
  // What is worked out of other properties.
  "--np-corner",
  "--np-outline",
  "--np-outline-slant",
  "--np-room",
  // The two halves of --np-bg, for the options that set one of them.
  "--np-panel",
  "--np-panel-opacity",
  // The option, whatever the streamer's own CSS says.
  "--np-width",
  // Options of the address, repeated for our own stylesheet: their names are in the options' table.
  "data-np-mode",
  "data-np-position",
  "data-np-enter",
  "data-np-exit",
  "data-np-paused",
  "data-np-swap",
  "data-np-album",
  "data-np-label",
  "data-np-progress",
  "data-np-time",
  "data-np-lively",
  // How the card keeps its size.
  "data-np-no-artist",
  "data-np-no-bar",
  // Moments of a transition.
  "data-np-hidden",
  "data-np-entering",
  "data-np-ready",
  "data-np-leaving",
  // What the page tells its script.
  "data-np-setup",
];

async function hooksOfOverlay() {
  const html = await (await server.get("/en/demo")).text();
  const styles = ["base.css", ...readdirSync(join(root, "widget/themes")).map((f) => `themes/${f}`)]
    .map((file) => readFileSync(join(root, "widget", file), "utf8"))
    .join("\n");
  const classes = [...html.matchAll(/class="([^"]*)"/g)].flatMap(([, all = ""]) => all.split(" "));
  const styled = [...styles.matchAll(/\.(np[\w-]*)(?=[\s.,:>{[)~+])/g)].map(
    ([, name = ""]) => name,
  );
  const stable = (names: readonly string[]) =>
    [...new Set(names)].filter((name) => name !== "" && !INTERNAL.includes(name)).toSorted();
  return {
    classes: stable([...classes, ...styled].filter((name) => name.startsWith("np"))),
    properties: stable(styles.match(/--np-[a-z-]+/g) ?? []),
    attributes: stable((html + styles).match(/data-np-[a-z-]+/g) ?? []),
  };
}

const isRestore = ({ text }: { text: string }) => text === "Restore";

describe.each(LANGUAGES)("the documentation in %s", (language) => {
  test("has every bot with its command, and every option and placeholder of a text", async () => {
    const shown = await codesOn(language, "chat");
    const wanted = [
      ...bots.flatMap((bot) => ("hasField" in bot ? [] : [bot.commandFor("ADDRESS")])),
      ...Object.keys(textOptions),
      ...PLACEHOLDERS.map((name) => `{${name}}`),
    ];
    expect(wanted.filter((one) => !shown.has(one))).toEqual([]);
    const page = markdownOf(language, "chat");
    expect(bots.filter(({ name }) => !page.includes(`| ${name} `))).toEqual([]);
  });

  test("has every option of a card", async () => {
    const shown = await codesOn(language, "cards");
    expect(Object.keys(cardOptions).filter((one) => !shown.has(one))).toEqual([]);
  });

  test("says what each setting is where nobody sets it, as the help does", async () => {
    const rows = settingsTable(language).split("<tr>").slice(2);
    const cells = rows.map((row) => row.split("<td>").map((cell) => cell.replace(/<[^>]+>/g, "")));
    for (const [at, name] of settingNames.entries()) {
      const { fallback, fallbackText } = settings[name];
      const [, flag, , shown = ""] = cells[at] ?? [];
      expect(flag).toBe(flagOf(name));
      expect([name, shown]).not.toEqual([name, expect.stringMatching(/^(?:null|undefined|)$/)]);
      if (fallbackText === undefined) expect(shown).toBe(String(fallback));
      else if (language === "en" && name !== "data") {
        expect(shown).toBe(Bun.escapeHTML(fallbackText));
      }
    }
    const [own, english] = [language, "en" as const].map((one) => settingFallback(one, "owner"));
    expect(own === english).toBe(language === "en");
  });

  test("has every setting: flag, variable, and the variable for a file", async () => {
    const shown = await codesOn(language, "settings");
    const wanted = settingNames.flatMap((name) => [
      flagOf(name),
      variableOf(name),
      ...("secret" in settings[name] ? [`${variableOf(name)}_FILE`] : []),
    ]);
    expect(wanted.filter((one) => !shown.has(one))).toEqual([]);
  });

  test("says what each setting, option and source means", async () => {
    for (const name of ["settings", "options", "commands", "sources", "looks", "sources/vlc"]) {
      const html = await (await server.get(`/${language}/docs/${name}`)).text();
      expect(html).not.toContain("<td></td>");
      expect(html).not.toMatch(/\{\{|>undefined</);
    }
  });

  test("has every command with its own options", () => {
    const lines = linesIn(language);
    const ofSources: readonly string[] = OPTION_NAMES;
    const isOwn = (flag: string) =>
      flag !== "--json" &&
      !settingNames.some((setting) => flagOf(setting) === flag) &&
      !ofSources.includes(flag.replace(/^--|-file$/g, ""));
    const missing = commands.flatMap(([name, command]) => {
      const calls = lines.filter((line) => `${line} `.includes(`${name} `));
      if (calls.length === 0) return [name];
      return command.options
        .map(({ long }) => long ?? "")
        .filter((flag) => isOwn(flag) && !calls.some((line) => line.includes(` ${flag}`)))
        .map((flag) => `${name} ${flag}`);
    });
    expect(lines).toContain("--json");
    expect(missing).toEqual([]);
  });

  test("describes every command, its arguments and its own options", async () => {
    const shown = await codesOn(language, "commands");
    const wanted = describeProgram().flatMap(({ name, usage, given }) => [
      name,
      usage,
      ...given.map((part) => part.name),
    ]);
    expect(wanted).toEqual(expect.arrayContaining(commands.map(([name]) => name)));
    expect(wanted).toContain("--grace <time>");
    expect(wanted).not.toContain("--data <folder>");
    expect(wanted.filter((one) => !shown.has(one))).toEqual([]);
  });

  test("has every route of the API, and the addresses for operators", async () => {
    const routes = [...server.routes.map((route) => route.split(" ")[1] ?? ""), "/metrics"].filter(
      (path) => path.startsWith("/api/") || /^\/(livez|readyz|metrics)$/.test(path),
    );
    const html = await Promise.all(
      (["api", "monitoring"] as const).map(async (name) =>
        (await server.get(`/${language}/docs/${name}`)).text(),
      ),
    );
    expect(routes.length).toBeGreaterThan(5);
    expect(routes.filter((path) => !html.join("").includes(path))).toEqual([]);
  });

  test("has every text of an error", async () => {
    const shown = await codesOn(language, "api");
    expect([...(await errorTexts())].filter((text) => !shown.has(text))).toEqual([]);
  });

  test("has every field of every answer", async () => {
    const shown = await codesOn(language, "api");
    const { schemas } = description.document.components;
    const answers = Object.keys(schemas).filter((name) => name.endsWith("Answer"));
    expect(answers.length).toBeGreaterThan(3);
    for (const name of answers) {
      const schema = schemas[name] ?? {};
      const fields = fieldsOf(schema).map((field) => field.replace(/^data(\[\])?\./, ""));
      expect(fields.length).toBeGreaterThan(1);
      expect(fields.filter((field) => !shown.has(field))).toEqual([]);
    }
  });

  test("gives every field and status of the reference a meaning", async () => {
    const html = await (await server.get(`/${language}/docs/reference`)).text();
    for (const path of Object.keys(description.document.paths)) expect(html).toContain(path);
    expect(html).not.toContain("<td></td>");
  });

  test("has every option of the overlay and each of its choices", async () => {
    const shown = await codesOn(language, "options");
    const options: [string, WidgetOption<unknown>][] = Object.entries(widgetOptions);
    const wanted = options.flatMap(([name, { type }]) => [
      name,
      ...(type.kind === "choice" ? type.choices : []),
    ]);
    expect(wanted.filter((one) => !shown.has(one))).toEqual([]);
  });

  test("has every class, property and attribute that styles may rely on, and no others", async () => {
    const shown = [...new Set(readDocument(language, "options").codes)];
    const { classes, properties, attributes } = await hooksOfOverlay();
    expect(shown.filter((one) => one.startsWith(".np")).toSorted()).toEqual(
      classes.map((name) => `.${name}`).toSorted(),
    );
    expect(shown.filter((one) => one.startsWith("--np")).toSorted()).toEqual(properties);
    expect(shown.filter((one) => one.startsWith("data-np")).toSorted()).toEqual(attributes);
  });

  test("has every source with its options", async () => {
    for (const source of server.sources.all) {
      const shown = [...(await codesOn(language, sourcePageOf(source)))];
      expect(shown).toContain(`marquee connect … ${source.id}`);
      for (const [name, { secret }] of Object.entries(source.options)) {
        expect(shown).toContain(secret ? `--${name}-file` : `--${name}`);
      }
    }
  });

  test("says where updates may come from instead", () => {
    expect(markdownOf(language, "backup")).toContain(UPDATE_MIRROR_VARIABLE);
  });

  test("says how to end again what a restored backup brings back", () => {
    const { headings } = readDocument("en", "backup");
    // The outlines are the same in every language.
    const place = headings.filter(({ level }) => level === 2).findIndex(isRestore);
    const restoring = markdownOf(language, "backup").split(/^## /m)[place + 1] ?? "";
    const ending = commands
      .map(([name]) => name)
      .filter((name) => / (remove|revoke|rotate|disconnect)$/.test(name))
      // Another key of either kind ends nothing that came back.
      .filter((name) => !["marquee key rotate", "marquee secret rotate"].includes(name));
    const wanted = [
      ...ending.map((name) => `\n${name} `),
      "\nmarquee key list ",
      "\nmarquee user list\n",
      `**${languages[language].dashboard.account.everywhere}**`,
      ` ${SESSION_LIFETIME_MS / 86_400_000} `,
    ];
    expect(place).toBeGreaterThan(0);
    expect(ending.length).toBeGreaterThan(3);
    expect(wanted.filter((one) => !restoring.includes(one))).toEqual([]);
  });

  test("has every metric", async () => {
    const metrics = await createMetrics("0.0.0", createFakeClock());
    metrics.watch({
      channels: () => 0,
      overlays: () => 0,
    });
    const { text } = await metrics.read();
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
    const shown = await codesOn(language, "monitoring");
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
  });
});

test("no error is in the documentation that the description of the API does not have", async () => {
  const known = await errorTexts();
  const page = readFileSync(join(root, "src/docs/en/api.md"), "utf8");
  const listed = [...page.matchAll(/^\| [45]\d\d +\| `([^`]+)`/gm)].map(([, text = ""]) => text);
  expect(listed.length).toBeGreaterThan(9);
  expect(listed.filter((text) => !known.has(text))).toEqual([]);
});

test("no error is answered that these tests do not know", async () => {
  const known = await errorTexts();
  const files = ["src/failures.ts", ...new Bun.Glob("src/api/**/*.ts").scanSync({ cwd: root })];
  const written = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/failure\(\s*\d+,\s*"([^"]+)"/g)].map(
      ([, text = ""]) => text,
    ),
  );
  expect(written.length).toBeGreaterThan(5);
  expect(written.filter((text) => !known.has(text))).toEqual([]);
});

/** Phrases that rightly read as in English. */
const SAME_AS_ENGLISH: readonly RegExp[] = [
  // The API's own words, which are the same in every language.
  /^4\d\d [A-Z]/,
  /^503 Playback/,
  // Spotify's own words.
  /^Invalid (redirect URI|client)$/,
  // Names of a bot and of players.
  /^Mix It Up$/,
  /^Spotify, Apple Music, TIDAL, /,
];

/** Words that no other of our languages has. */
const ENGLISH_WORDS =
  /(?<![\p{L}-])(the|is|are|of|and|with|which|that|this|your|you|not)(?![\p{L}-])/giu;

/** Sentences without what stands between backticks. */
const sentencesOf = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.replace(/`[^`]*`/g, "`").split(/(?<=[.!?:;])\s+/));

const wordsIn = (sentence: string): number => sentence.match(/\p{L}{2,}/gu)?.length ?? 0;

const translated = LANGUAGES.filter((language) => language !== "en").flatMap((language) =>
  DOCUMENTS.map((name) => [language, name] as const),
);

describe.each(translated)("%s: the page %s", (language, name) => {
  const english = readDocument("en", name);
  const page = readDocument(language, name);

  test("has the headings' levels of the English one, in its order", () => {
    expect(page.headings.map(({ level }) => level)).toEqual(
      english.headings.map(({ level }) => level),
    );
  });

  test("has its tables, with as many rows", () => {
    expect(page.tables).toEqual(english.tables);
  });

  test("has its links and pictures", () => {
    expect(page.links.toSorted()).toEqual(english.links.toSorted());
    expect(page.images.map(({ address }) => address)).toEqual(
      english.images.map(({ address }) => address),
    );
  });

  test("has its examples, but for the language in addresses", () => {
    const wanted = english.fences.map(({ language: kind, text }) => ({
      language: kind,
      text: text.replaceAll(/\/en\/(?=(?:widget|text|card)\/)/g, `/${language}/`),
    }));
    expect(page.fences).toEqual(wanted);
  });

  test("names the same things in code", () => {
    const codes = page.codes.map((code) => KEYS.get(code) ?? code);
    expect([...new Set(codes)].toSorted()).toEqual([...new Set(english.codes)].toSorted());
  });

  test("leaves no English behind", () => {
    const known = new Set(sentencesOf(english.texts));
    const left = sentencesOf(page.texts).filter((sentence) => {
      if (SAME_AS_ENGLISH.some((pattern) => pattern.test(sentence))) return false;
      const isSame = known.has(sentence) && wordsIn(sentence) > 2;
      return isSame || (sentence.match(ENGLISH_WORDS)?.length ?? 0) > 1;
    });
    expect(left).toEqual([]);
  });
});
