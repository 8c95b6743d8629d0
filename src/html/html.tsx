import { dashboardAddress, pageAddress } from "../addresses.ts";
import { type Children, Html } from "../jsx.ts";
import { languages } from "../i18n/index.ts";
import { type Language, LANGUAGES, languageTag } from "../languages.ts";
import { attribute } from "./attribute.ts";
import { LanguageLinks } from "./parts.tsx";
import { deadAddressScript, icon, pageStylesheet } from "./assets.ts";

/** Headers of every page: no caching, no referrer, no guessing of the content type. */
export const PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;

export interface PageResponse {
  readonly status?: number;
  /** After how many seconds a client may retry. */
  readonly retryAfterSeconds?: number;
  /** Which sites may show the page in a frame; none by default. */
  readonly frameAncestors?: "*" | "'none'";
  /** Whether the page has forms. */
  readonly hasForm?: boolean;
  /** Allowed sources of stylesheets, frames and images, in the policy's syntax. */
  readonly styles?: string;
  readonly frames?: string;
  readonly images?: string;
  /** What scripts may connect to besides this server, in the policy's syntax. */
  readonly connections?: string;
  /** Allowed sources of fonts; none by default. */
  readonly fonts?: string;
}

/** A response with a page. */
export async function htmlResponse(
  page: JSX.Element,
  { status = 200, retryAfterSeconds, hasForm = false, ...allowed }: PageResponse = {},
): Promise<Response> {
  const headers = {
    ...PAGE_HEADERS,
    // With no referrer, browsers do not send a form's origin either.
    ...(hasForm && { "Referrer-Policy": "same-origin" }),
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    "Content-Security-Policy": contentSecurityPolicy({ hasForm, ...allowed }),
  };
  return new Response(await page, { status, headers });
}

/**
 * Inline styles are allowed because browser sources inject the streamer's own CSS as a style
 * element, which a nonce or hash would block.
 */
function contentSecurityPolicy(allowed: PageResponse): string {
  const {
    frameAncestors = "'none'",
    hasForm,
    styles = "'self'",
    frames,
    images = "'self'",
    connections,
    fonts,
  } = allowed;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles} 'unsafe-inline'`,
    `img-src ${images}`,
    ...(fonts === undefined ? [] : [`font-src ${fonts}`]),
    `connect-src 'self'${connections === undefined ? "" : ` ${connections}`}`,
    ...(frames === undefined ? [] : [`frame-src ${frames}`]),
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    `frame-ancestors ${frameAncestors}`,
  ].join("; ");
}

export interface DocumentProps {
  language: Language;
  title: string;
  /** Path of this page after the language, for the hyperlinks to its translations. */
  path: string;
  /** Path prefix of the base URL. */
  basePath: string;
  /** Whether the page may appear in place of an overlay. It must then stay blank. */
  inPlaceOfOverlay?: boolean;
  /** Paths of the scripts that it runs. */
  scripts?: readonly string[];
  /** Whether the page has columns. */
  wide?: boolean;
  /** Paths of stylesheets besides the one of every page. */
  stylesheets?: readonly string[];
  /** Data for search engines, on pages that they may index. */
  found?: {
    /** The server's base URL, without a slash at the end. */
    readonly baseUrl: string;
    readonly description: string;
  };
  /** More elements of the head. */
  head?: JSX.Element;
  children: Children;
}

/** The common frame of all pages except overlays. */
export function Document({
  language,
  title,
  path,
  basePath,
  children,
  inPlaceOfOverlay = false,
  scripts = [],
  wide = false,
  stylesheets = [],
  found,
  head,
}: DocumentProps): JSX.Element {
  return (
    <>
      {"<!doctype html>"}
      <html lang={languageTag(language)} data-in-place-of-overlay={inPlaceOfOverlay}>
        <head>
          <meta charset="utf-8" />
          <title safe>{title}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <link rel="icon" href={basePath + icon.path} />
          {[pageStylesheet.path, ...stylesheets].map((stylesheet) => (
            <link rel="stylesheet" href={basePath + stylesheet} />
          ))}
          {(head ?? "") as "safe"}
          {found !== undefined && <Found language={language} path={path} {...found} />}
          {inPlaceOfOverlay && <script defer src={basePath + deadAddressScript.path} />}
          {scripts.map((path) => (
            <script defer src={basePath + path} />
          ))}
        </head>
        <body>
          <SiteHeader language={language} basePath={basePath} />
          <main {...(wide && { class: "wide" })}>{children as "safe"}</main>
          <LanguageLinks language={language} basePath={basePath} path={path} />
        </body>
      </html>
    </>
  );
}

/** A page's translations and description, for search engines. */
function Found({
  language,
  path,
  baseUrl,
  description,
}: {
  language: Language;
  path: string;
  baseUrl: string;
  description: string;
}): JSX.Element {
  return (
    <>
      <meta name="description" content={attribute(description)} />
      <link rel="canonical" href={pageAddress(baseUrl, language, path)} />
      {LANGUAGES.map((other) => (
        <link
          rel="alternate"
          hreflang={languageTag(other)}
          href={pageAddress(baseUrl, other, path)}
        />
      ))}
      <link rel="alternate" hreflang="x-default" href={pageAddress(baseUrl, "en", path)} />
    </>
  );
}

/** Hyperlinks to the public pages, on every page. */
function SiteHeader({ language, basePath }: { language: Language; basePath: string }): JSX.Element {
  const { site } = languages[language];
  return (
    <header class="site">
      <a class="brand" href={pageAddress(basePath, language, "")}>
        <img src={basePath + icon.path} alt="" width="28" height="28" />
        <span>Marquee</span>
      </a>
      <nav aria-label={site.navigation}>
        <a href={pageAddress(basePath, language, "docs")} safe>
          {site.docs}
        </a>
        <a href={dashboardAddress(basePath, language)} safe>
          {site.dashboard}
        </a>
      </nav>
    </header>
  );
}
