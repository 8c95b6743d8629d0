import type { WidgetToken } from "../accounts/credential.ts";
import type { EndpointAt } from "../api/endpoint.ts";
import { createKeptPages } from "../html/kept-pages.ts";
import { attribute } from "../html/attribute.ts";
import type { Pages } from "../html/page.ts";
import { fill, languages } from "../i18n/index.ts";
import { Html } from "../jsx.ts";
import type { Language } from "../languages.ts";
import { sourceName } from "../sources/connected-music.ts";
import {
  type DocumentName,
  documentTitle,
  isPageName,
  type PageName,
  PAGES,
  pictureNamed,
  REFERENCE,
  sourcePageOf,
  SYSTEM_PAGES,
} from "./documents.ts";
import { DocsHome } from "./home.tsx";
import { createDocsLayout, type Layout } from "./layout.tsx";
import { createMarkdownPages, type MarkdownPagesDeps } from "./markdown-pages.ts";
import { WIDGET_TOKEN_IN_FILES } from "./own-addresses.ts";
import { type KeyOffer, Reference } from "./reference.tsx";
import { searchEntriesOf } from "./search-index.ts";
import type { Parts } from "../http/parts.ts";

export interface DocsDeps extends MarkdownPagesDeps, Pick<Parts, "config"> {
  /** The endpoints of the API. */
  endpoints(): readonly EndpointAt[];
  readerOf(language: Language, request: Request): Promise<Reader | undefined>;
}

/** A signed-in user who reads the documentation. */
export interface Reader {
  readonly keyOffer: KeyOffer;
  widgetToken(): Promise<WidgetToken | undefined>;
  /** Draws a page for this user alone, within the user's budget of work. */
  drawn(draw: () => Promise<Response>): Promise<Response>;
}

/** A page with fewer parts needs no list of them. */
const FEWEST_PARTS = 4;

type ReaderOf = () => Promise<Reader | undefined>;

/** The documentation of the running version. Each answer is `undefined` when there is no such page. */
export function createDocs(deps: DocsDeps): Pages<"index" | "page" | "source"> {
  const { sources, config, baseUrl, basePath } = deps;
  const render = createMarkdownPages(deps);
  const respond = createDocsLayout(deps);
  const sourcePages = sources.all.map(sourcePageOf);
  const keep = createKeptPages();
  /** Most readers are not signed in, and get the same page. */
  const drawFor = (reader: Reader | undefined, name: string, draw: () => Promise<Response>) =>
    reader ? reader.drawn(draw) : keep(name, draw);

  const markdownPage = async (
    language: Language,
    name: DocumentName,
    page: Pick<Layout, "description" | "neighbours">,
    readerOf: ReaderOf,
  ): Promise<Response> => {
    const { html } = await render(language, name);
    const reader = html.includes(WIDGET_TOKEN_IN_FILES) ? await readerOf() : undefined;
    return drawFor(reader, `${language} ${name}`, async () => {
      const token = await reader?.widgetToken();
      return respond(language, {
        ...page,
        name,
        title: documentTitle(language, name),
        content: html.replace(/(<\/h1>\n)/, `$1${contentsOf(language, html)}`),
        ...(token && { copiedToken: token }),
      });
    });
  };

  const search = async (language: Language): Promise<Response> => {
    const names = [...PAGES.filter((name) => name !== REFERENCE), ...sourcePages];
    const entries = await Promise.all(
      names.map(async (name) =>
        searchEntriesOf(language, basePath, name, await render(language, name)),
      ),
    );
    return Response.json(entries.flat(), {
      headers: { "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff" },
    });
  };

  const referencePage = async (language: Language, readerOf: ReaderOf): Promise<Response> => {
    const { title, lead } = languages[language].reference;
    const reader = await readerOf();
    const neighbours = neighboursOf(REFERENCE);
    return drawFor(reader, `${language} ${REFERENCE}`, () => {
      const content = (
        <Reference
          {...{ language, baseUrl, basePath, config }}
          endpoints={deps.endpoints()}
          {...(reader && { offer: reader.keyOffer })}
        />
      );
      return respond(language, { name: REFERENCE, title, description: lead, content, neighbours });
    });
  };

  return {
    /** An overview of all pages. */
    index(language) {
      const { title, lead } = languages[language].docs;
      return keep(language, () => {
        const content = <DocsHome language={language} basePath={basePath} />;
        return respond(language, { name: "", title, description: lead, content, neighbours: [] });
      });
    },

    async page(language, { params, request }) {
      const name = params["page"] ?? "";
      const readerOf = () => deps.readerOf(language, request);
      if (name === "search.json") return keep(`${language} ${name}`, () => search(language));
      if (!isPageName(name)) return undefined;
      if (name === REFERENCE) return referencePage(language, readerOf);
      const description = languages[language].docs.summaries[name];
      const neighbours = neighboursOf(name);
      return markdownPage(language, name, { description, neighbours }, readerOf);
    },

    async source(language, { params, request }) {
      const source = sources.all.find(({ id }) => id === params["source"]);
      if (!source) return undefined;
      const words = languages[language];
      const name = sourceName(source, words);
      const description = fill(words.docs.sourceSummary, { name });
      const pages: readonly DocumentName[] = ["sources", ...sourcePages];
      const neighbours = neighboursIn(pages, sourcePageOf(source));
      const readerOf = () => deps.readerOf(language, request);
      return markdownPage(language, sourcePageOf(source), { description, neighbours }, readerOf);
    },
  };
}

export function docsPicture(file: string): Response | undefined {
  const bytes = pictureNamed(file);
  if (!bytes) return undefined;
  return new Response(bytes, {
    headers: {
      "Content-Type": "image/webp",
      "Cache-Control": "public, max-age=86400",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

/** The page before and the one after, where there is one. */
function neighboursIn<Name>(names: readonly Name[], name: Name): (Name | undefined)[] {
  const at = names.indexOf(name);
  return [names[at - 1], names[at + 1]];
}

/** The neighbours of a page for a reader who has one system. */
function neighboursOf(name: PageName): (PageName | undefined)[] {
  const others = SYSTEM_PAGES.filter((page) => page !== name);
  return neighboursIn(
    PAGES.filter((page) => !others.some((other) => other === page)),
    name,
  );
}

/** The parts of a page, as hyperlinks. */
function contentsOf(language: Language, html: string): string {
  const parts = [...html.matchAll(/<h2 id="([^"]+)">(.*)<\/h2>/g)];
  if (parts.length < FEWEST_PARTS) return "";
  const label = attribute(languages[language].docs.contents);
  const links = parts
    .map(
      ([, anchor, text = ""]) =>
        `<li><a href="#${anchor}">${text.replace(/<[^>]*>/g, "")}</a></li>`,
    )
    .join("");
  return `<nav class="contents" aria-label="${label}"><ul>${links}</ul></nav>\n`;
}
