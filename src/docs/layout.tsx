import type { WidgetToken } from "../accounts/credential.ts";
import { docsAddress } from "../addresses.ts";
import { docsScript, docsStylesheet } from "../html/assets.ts";
import { Document, htmlResponse } from "../html/html.tsx";
import { languages } from "../i18n/index.ts";
import { Html } from "../jsx.ts";
import type { Language } from "../languages.ts";
import {
  type DocumentName,
  documentTitle,
  type Group,
  GROUPS,
  type PageName,
  REFERENCE,
  sourcePageOf,
} from "./documents.ts";
import type { Parts } from "../http/parts.ts";

type AnyPage = PageName | DocumentName;

/** A page of the documentation, and its place among the others. */
export interface Layout {
  /** Empty for the overview. */
  readonly name: AnyPage | "";
  readonly title: string;
  /** A sentence for search engines. */
  readonly description: string;
  readonly content: JSX.Element;
  /** The page before and the one after. */
  readonly neighbours: readonly (AnyPage | undefined)[];
  /** What the copy buttons insert for the widget token. */
  readonly copiedToken?: WidgetToken;
}

export type LayoutDeps = Pick<Parts, "sources" | "baseUrl" | "basePath">;

export const titleOf = (language: Language, name: AnyPage): string =>
  name === REFERENCE ? languages[language].reference.title : documentTitle(language, name);

/** Responds with pages that have the list of all pages and the search beside them. */
export const createDocsLayout =
  ({ sources, baseUrl, basePath }: LayoutDeps) =>
  (language: Language, layout: Layout): Promise<Response> => {
    const { docs } = languages[language];
    const { name, title, description, content, neighbours, copiedToken } = layout;
    const sourcePages = sources.all.map(sourcePageOf);
    return htmlResponse(
      <Document
        language={language}
        title={`${title} · Marquee`}
        path={name === "" ? "docs" : `docs/${name}`}
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
            <details class="menu">
              <summary safe>{docs.pages}</summary>
              <Navigation {...{ language, basePath, name, sourcePages }} />
            </details>
          </aside>
          <article>
            {content as "safe"}
            {neighbours.length > 0 ? <Neighbours {...{ language, basePath, neighbours }} /> : ""}
          </article>
        </div>
      </Document>,
    );
  };

interface NavigationProps {
  readonly language: Language;
  readonly basePath: string;
  readonly name: AnyPage | "";
  readonly sourcePages: readonly DocumentName[];
}

/**
 * All pages by group. Those of sources are folded below the page about all sources, and groups that
 * most readers do not need below their names.
 */
function Navigation({ language, basePath, name, sourcePages }: NavigationProps): JSX.Element {
  const { docs } = languages[language];
  const isAboutSources = name === "sources" || sourcePages.some((page) => page === name);
  const PageLink = ({ page }: { page: AnyPage }) => (
    <a
      href={docsAddress(basePath, language, page)}
      {...(page === name && { "aria-current": "page" })}
      safe
    >
      {titleOf(language, page)}
    </a>
  );
  const GroupPages = ({ group }: { group: Group }) => (
    <ul aria-labelledby={`group-${group.name}`}>
      {group.pages.map((page) => (
        <li>
          <PageLink page={page} />
          {page === "sources" ? (
            <details open={isAboutSources}>
              <summary safe>{docs.eachSource}</summary>
              <ul>
                {sourcePages.map((source) => (
                  <li>
                    <PageLink page={source} />
                  </li>
                ))}
              </ul>
            </details>
          ) : (
            ""
          )}
        </li>
      ))}
    </ul>
  );
  return (
    <nav aria-label={docs.pages}>
      {GROUPS.map((group) =>
        group.isFolded ? (
          <details class="group" open={group.pages.some((page) => page === name)}>
            <summary id={`group-${group.name}`} safe>
              {docs.groups[group.name]}
            </summary>
            <GroupPages group={group} />
          </details>
        ) : (
          <>
            <p id={`group-${group.name}`} safe>
              {docs.groups[group.name]}
            </p>
            <GroupPages group={group} />
          </>
        ),
      )}
    </nav>
  );
}

function Neighbours({
  language,
  basePath,
  neighbours: [previous, next],
}: Pick<NavigationProps, "language" | "basePath"> & Pick<Layout, "neighbours">): JSX.Element {
  const { docs } = languages[language];
  const ways = [
    { rel: "prev", page: previous, label: docs.previous },
    { rel: "next", page: next, label: docs.next },
  ];
  return (
    <nav class="neighbours" aria-label={docs.neighbours}>
      {ways.map(({ rel, page, label }) =>
        page === undefined ? (
          <span></span>
        ) : (
          <a rel={rel} href={docsAddress(basePath, language, page)}>
            <small safe>{label}</small>
            <span safe>{titleOf(language, page)}</span>
          </a>
        ),
      )}
    </nav>
  );
}
