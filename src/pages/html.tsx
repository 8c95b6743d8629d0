import { Html } from "../jsx.ts";
import { type Language, LANGUAGES, languages } from "../i18n/index.ts";
import { goneScript, icon, pageStylesheet } from "./assets.ts";

/** Headers of every page: nothing of ours runs elsewhere, nothing from elsewhere runs here. */
export const PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;

/**
 * A page's content security policy. Inline styles are allowed because browser sources inject the
 * streamer's own CSS as a style element, which a nonce or hash would block.
 */
export function contentSecurityPolicy(
  frameAncestors: "*" | "'none'",
  formAction: "'self'" | "'none'" = "'none'",
): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    `frame-ancestors ${frameAncestors}`,
  ].join("; ");
}

/** Answers with a page. */
export async function htmlResponse(
  page: JSX.Element,
  status = 200,
  frameAncestors: "*" | "'none'" = "'none'",
): Promise<Response> {
  const headers = {
    ...PAGE_HEADERS,
    "Content-Security-Policy": contentSecurityPolicy(frameAncestors),
  };
  return new Response(await page, { status, headers });
}

/**
 * Answers with a page that has a form. Its own address is told to us alone, because without a
 * referrer browsers send no origin along with a form either.
 */
export async function formResponse(page: JSX.Element, status = 200): Promise<Response> {
  const headers = {
    ...PAGE_HEADERS,
    "Referrer-Policy": "same-origin",
    "Content-Security-Policy": contentSecurityPolicy("'none'", "'self'"),
  };
  return new Response(await page, { status, headers });
}

export interface DocumentProps {
  language: Language;
  title: string;
  /** Path of this page after the language, for the links to its translations. */
  path: string;
  /** Path prefix of the base URL. */
  basePath: string;
  /** Whether the page may appear where an overlay was, and then has to stay blank. */
  inPlaceOfOverlay?: boolean;
  /** Paths of the scripts that it runs. */
  scripts?: readonly string[];
  children: JSX.Element;
}

/** The frame of every page that people read. */
export function Document({
  language,
  title,
  path,
  basePath,
  children,
  inPlaceOfOverlay = false,
  scripts = [],
}: DocumentProps): JSX.Element {
  return (
    <>
      {"<!doctype html>"}
      <html lang={language} data-in-place-of-overlay={inPlaceOfOverlay}>
        <head>
          <meta charset="utf-8" />
          <title safe>{title}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <link rel="icon" href={basePath + icon.path} />
          <link rel="stylesheet" href={basePath + pageStylesheet.path} />
          {inPlaceOfOverlay ? <script defer src={basePath + goneScript.path} /> : ""}
          {scripts.map((path) => (
            <script defer src={basePath + path} />
          ))}
        </head>
        <body>
          <main>{children as "safe"}</main>
          <nav class="languages" aria-label={languages[language].home.languages}>
            {LANGUAGES.map((other) => (
              <a
                href={`${basePath}/${other}/${path}`}
                lang={other}
                {...(other === language && { "aria-current": "page" })}
                safe
              >
                {languages[other].endonym}
              </a>
            ))}
          </nav>
        </body>
      </html>
    </>
  );
}
