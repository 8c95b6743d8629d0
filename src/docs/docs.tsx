import {
  DOCUMENTS,
  type DocumentName,
  isDocumentName,
  markdownOf,
  pictureNamed,
} from "./documents.ts";
import type { WidgetToken } from "../accounts/credential.ts";
import { docsAddress } from "../addresses.ts";
import type { Config } from "../config.ts";
import { languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { Html } from "../jsx.ts";
import type { Sources } from "../sources/index.ts";
import { docsScript, docsStylesheet } from "../html/assets.ts";
import { attribute } from "../html/attribute.ts";
import { Document, htmlResponse } from "../html/html.tsx";
import { type KeyOffer, Reference } from "./reference.tsx";
import { WIDGET_TOKEN_IN_FILES, withServersAddresses } from "./own-addresses.ts";
import { type Heading, type RenderedMarkdown, renderMarkdown } from "./render-markdown.ts";
import {
  callsTable,
  comparisonTable,
  looksTable,
  optionsTable,
  settingsTable,
  sourcesTable,
} from "./tables.ts";

/** The name of the page that is generated from the API's description. */
const REFERENCE = "reference";

export interface DocsDeps {
  readonly sources: Pick<Sources, "all">;
  readonly config: Pick<Config, "musicPrefix" | "rateLimitSeconds">;
  /** The server's base URL, without a slash at the end, and its path alone. */
  readonly baseUrl: string;
  readonly basePath: string;
  /** Host and port for programs on the same machine. */
  readonly listeningAddress: string;
}

/** A signed-in user who reads the documentation. */
export interface Reader {
  readonly keyOffer: KeyOffer;
  widgetToken(): Promise<WidgetToken>;
}

/** The documentation of the running version. */
export interface Docs {
  /** `GET /{lang}/docs`: an overview of all pages. */
  index(language: Language): Promise<Response>;
  /** `GET /{lang}/docs/{page}`; `undefined` when there is no such page. */
  page(
    language: Language,
    name: string,
    readerOf: () => Promise<Reader | undefined>,
  ): Promise<Response | undefined>;
  /** `GET /docs-pictures/{file}`. */
  picture(file: string): Response | undefined;
}

/** A section of a page, as an entry of the search index. */
export interface SearchEntry {
  readonly page: string;
  readonly heading: string;
  readonly address: string;
  readonly text: string;
}

export function createDocs(deps: DocsDeps): Docs {
  const { sources, config, baseUrl, basePath } = deps;
  // The same for every reader. A reader's own values are inserted into each response.
  const rendered = new Map<string, RenderedMarkdown>();

  const render = (language: Language, name: DocumentName): RenderedMarkdown => {
    const key = `${language}/${name}`;
    const known = rendered.get(key);
    if (known) return known;
    const anchors = language === "en" ? undefined : anchorsOf(render("en", name));
    const fresh = renderMarkdown(markdownOf(language, name), {
      ...(anchors && { anchors }),
      linkTo: (href) => linkTo(language, href),
      example: (code, kind) => withServersAddresses(code, kind, deps),
      replace: (token) => {
        if (token === "settings") return settingsTable(language);
        if (token === "options") return optionsTable(language);
        if (token === "comparison") return comparisonTable(language, sources.all);
        if (token === "calls") return callsTable(language, sources.all);
        if (token === "looks") return looksTable(language);
        return token === "sources" ? sourcesTable(language, sources.all) : undefined;
      },
    });
    rendered.set(key, fresh);
    return fresh;
  };

  /** Turns a hyperlink to another file into one to its page. */
  const linkTo = (language: Language, href: string): string => {
    const picture = /^\.\.\/pictures\/([\w.-]+)$/.exec(href)?.[1];
    if (picture) return `${basePath}/docs-pictures/${picture}`;
    const [, name, rest] = /^([a-z-]+)\.md(#.*)?$/.exec(href) ?? [];
    if (name) return docsAddress(basePath, language, name) + (rest ?? "");
    return href.startsWith("/") ? basePath + href : href;
  };

  const titleOf = (language: Language, name: DocumentName): string =>
    unescape(render(language, name).headings[0]?.text ?? name);

  const respond = (
    language: Language,
    path: string,
    title: string,
    description: string,
    content: JSX.Element,
    copiedToken?: WidgetToken,
  ): Promise<Response> => {
    const { docs } = languages[language];
    const page = (
      <Document
        language={language}
        title={`${title} · Marquee`}
        path={path}
        basePath={basePath}
        stylesheets={[docsStylesheet.path]}
        scripts={[docsScript.path]}
        found={{ baseUrl, description }}
        wide
      >
        <div
          class="docs"
          data-copy={docs.copy}
          data-copied={docs.copied}
          {...(copiedToken && { "data-widget-token": copiedToken })}
          data-search={docsAddress(basePath, language, "search.json")}
          data-no-results={docs.noResults}
        >
          <aside>
            <div class="search" hidden>
              <label for="search" safe>
                {docs.search}
              </label>
              <input id="search" type="search" autocomplete="off" />
              <ul id="results" aria-live="polite"></ul>
            </div>
            <nav aria-label={docs.pages}>
              <ul>
                {DOCUMENTS.map((name) => (
                  <li>
                    <a
                      href={docsAddress(basePath, language, name)}
                      {...(path === `docs/${name}` && { "aria-current": "page" })}
                      safe
                    >
                      {titleOf(language, name)}
                    </a>
                  </li>
                ))}
                <li>
                  <a
                    href={docsAddress(basePath, language, REFERENCE)}
                    {...(path === `docs/${REFERENCE}` && { "aria-current": "page" })}
                    safe
                  >
                    {languages[language].reference.title}
                  </a>
                </li>
              </ul>
            </nav>
          </aside>
          <article>{content as "safe"}</article>
        </div>
      </Document>
    );
    return htmlResponse(page);
  };

  const searchEntries = (language: Language): SearchEntry[] =>
    DOCUMENTS.flatMap((name) => {
      const { html } = render(language, name);
      const page = titleOf(language, name);
      const address = docsAddress(basePath, language, name);
      return html.split(/(?=<h[23] id=)/).map((section) => {
        const anchor = /^<h[23] id="([^"]+)"/.exec(section)?.[1];
        const [head = "", ...rest] = section.split(/<\/h[1-6]>/);
        return {
          page,
          heading: plain(head),
          address: anchor ? `${address}#${anchor}` : address,
          text: plain(rest.join(" ")),
        };
      });
    });

  return {
    index(language) {
      const { docs, reference } = languages[language];
      const content = (
        <>
          <h1 safe>{docs.title}</h1>
          <p class="lead" safe>
            {docs.lead}
          </p>
          <ul class="cards">
            {DOCUMENTS.map((name) => (
              <li>
                <a href={docsAddress(basePath, language, name)}>
                  <strong safe>{titleOf(language, name)}</strong>
                  <span safe>{docs.summaries[name]}</span>
                </a>
              </li>
            ))}
            <li>
              <a href={docsAddress(basePath, language, REFERENCE)}>
                <strong safe>{reference.title}</strong>
                <span safe>{reference.lead}</span>
              </a>
            </li>
          </ul>
        </>
      );
      return respond(language, "docs", docs.title, docs.lead, content);
    },

    async page(language, name, readerOf) {
      if (name === "search.json") {
        return Response.json(searchEntries(language), {
          headers: { "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff" },
        });
      }
      if (name === REFERENCE) {
        const { title, lead } = languages[language].reference;
        const reader = await readerOf();
        const content = (
          <Reference
            {...{ language, baseUrl, basePath, config }}
            {...(reader && { offer: reader.keyOffer })}
          />
        );
        return respond(language, `docs/${REFERENCE}`, title, lead, content);
      }
      if (!isDocumentName(name)) return undefined;
      const { html, headings } = render(language, name);
      const reader = html.includes(WIDGET_TOKEN_IN_FILES) ? await readerOf() : undefined;
      const token = await reader?.widgetToken();
      const content = (
        <>
          {html.replace(/(<\/h1>\n)/, `$1${contents(language, headings)}`) as "safe"}
          <Neighbours
            language={language}
            name={name}
            titleOf={(other) => titleOf(language, other)}
            basePath={basePath}
          />
        </>
      );
      const title = titleOf(language, name);
      const summary = languages[language].docs.summaries[name];
      return respond(language, `docs/${name}`, title, summary, content, token);
    },

    picture(file) {
      const bytes = pictureNamed(file);
      if (!bytes) return undefined;
      return new Response(bytes, {
        headers: {
          "Content-Type": "image/webp",
          "Cache-Control": "public, max-age=86400",
          "X-Content-Type-Options": "nosniff",
        },
      });
    },
  };
}

function Neighbours({
  language,
  name,
  titleOf,
  basePath,
}: {
  language: Language;
  name: DocumentName;
  titleOf: (name: DocumentName) => string;
  basePath: string;
}): JSX.Element {
  const { docs } = languages[language];
  const at = DOCUMENTS.indexOf(name);
  const ways = [
    { rel: "prev", other: DOCUMENTS[at - 1], label: docs.previous },
    { rel: "next", other: DOCUMENTS[at + 1], label: docs.next },
  ];
  return (
    <nav class="neighbours" aria-label={docs.neighbours}>
      {ways.map(({ rel, other, label }) =>
        other === undefined ? (
          <span></span>
        ) : (
          <a rel={rel} href={docsAddress(basePath, language, other)}>
            <small safe>{label}</small>
            <span safe>{titleOf(other)}</span>
          </a>
        ),
      )}
    </nav>
  );
}

/** The sections of a page, as hyperlinks. */
function contents(language: Language, headings: readonly Heading[]): string {
  const sections = headings.filter(({ level }) => level === 2);
  if (sections.length < 3) return "";
  const label = attribute(languages[language].docs.contents);
  const links = sections
    .map(({ text, anchor }) => `<li><a href="#${anchor}">${text}</a></li>`)
    .join("");
  return `<nav class="contents" aria-label="${label}"><ul>${links}</ul></nav>\n`;
}

const anchorsOf = ({ headings }: RenderedMarkdown): string[] =>
  headings.map(({ anchor }) => anchor);

/** The text of HTML, without elements and entities. */
function plain(html: string): string {
  return unescape(html.replace(/<[^>]*>/g, " "))
    .replace(/\s+/g, " ")
    .trim();
}

function unescape(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    "#x27": "'",
  };
  return text.replace(
    /&(amp|lt|gt|quot|#x27);/g,
    (entity, name: string) => entities[name] ?? entity,
  );
}
