import { docsAddress } from "../addresses.ts";
import type { Language } from "../languages.ts";
import { languages } from "../i18n/index.ts";
import { type CommandDescription, commandsReference } from "./commands-table.ts";
import { darkPictureOf, type DocumentName, markdownOf, sourcePageOf } from "./documents.ts";
import { smartscreenPicture } from "./smartscreen.ts";
import { type ServersAddresses, withServersAddresses } from "./own-addresses.ts";
import { type RenderedMarkdown, renderMarkdown } from "./render-markdown.ts";
import {
  callsTable,
  comparisonTable,
  factsTable,
  leavesList,
  looksTable,
  optionsTable,
  settingsTable,
} from "./tables.ts";
import type { Parts } from "../http/parts.ts";

export interface MarkdownPagesDeps extends ServersAddresses, Pick<Parts, "sources" | "basePath"> {
  /** The program's commands. They are loaded with the first page that shows them. */
  readonly commands: () => Promise<readonly CommandDescription[]>;
}

export type RenderPage = (language: Language, name: DocumentName) => Promise<RenderedMarkdown>;

/** Renders each page once: it is the same for every reader. */
export function createMarkdownPages(deps: MarkdownPagesDeps): RenderPage {
  const { sources, basePath } = deps;
  const rendered = new Map<string, Promise<RenderedMarkdown>>();

  /** Turns a hyperlink to another file into one to its page. */
  const linkFrom = (language: Language, from: DocumentName) => (href: string) => {
    const picture = /^(?:\.\.\/)+pictures\/([\w.-]+)$/.exec(href)?.[1];
    if (picture) return `${basePath}/docs-pictures/${picture}`;
    const [, file, rest = ""] = /^([a-z/.-]+)\.md(#.*)?$/.exec(href) ?? [];
    if (file === undefined) return href.startsWith("/") ? basePath + href : href;
    const { pathname } = new URL(file, `file:///${from}`);
    return docsAddress(basePath, language, pathname.slice(1)) + rest;
  };

  const renderFresh: RenderPage = async (language, name) => {
    const markdown = markdownOf(language, name);
    const source = sources.all.find((one) => sourcePageOf(one) === name);
    const commands = markdown.includes("{{commands}}") ? await deps.commands() : [];
    const linkTo = linkFrom(language, name);
    const tokens: Readonly<Record<string, () => string>> = {
      settings: () => settingsTable(language),
      options: () => optionsTable(language),
      looks: () => looksTable(language),
      smartscreen: () => smartscreenPicture(languages[language].docs.smartscreen),
      comparison: () => comparisonTable(language, sources.all, linkTo),
      calls: () => callsTable(language, sources.all),
      commands: () => commandsReference(languages[language].docs, commands),
      ...(source && {
        facts: () => factsTable(language, source),
        leaves: () => leavesList(language, source),
      }),
    };
    return renderMarkdown(markdown, {
      ...(language !== "en" && { anchors: (await render("en", name)).anchors }),
      linkTo,
      darkOf: darkPictureOf,
      example: (code, kind) => withServersAddresses(code, kind, deps),
      replace: (token) => tokens[token]?.(),
    });
  };

  const render: RenderPage = (language, name) => {
    const key = `${language}/${name}`;
    const known = rendered.get(key) ?? renderFresh(language, name);
    rendered.set(key, known);
    return known;
  };
  return render;
}
