import { Html } from "../jsx.ts";
import { type Language, LANGUAGES, languages } from "../i18n/index.ts";
import { goneScript, icon } from "./assets.ts";

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
export function contentSecurityPolicy(frameAncestors: "*" | "'none'"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
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

export interface DocumentProps {
  language: Language;
  title: string;
  /** Path of this page after the language, for the links to its translations. */
  path: string;
  /** Path prefix of the base URL. */
  basePath: string;
  /** Whether the page may appear where an overlay was, and then has to stay blank. */
  inPlaceOfOverlay?: boolean;
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
          <style>{safeStyles}</style>
          {inPlaceOfOverlay ? <script defer src={basePath + goneScript.path} /> : ""}
        </head>
        <body>
          <main>{children as "safe"}</main>
          <nav aria-label={languages[language].home.languages}>
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

const safeStyles = `
:root{color-scheme:light dark;--bg:#fbfbfd;--fg:#16181d;--muted:#565d6d;--card:#fff;--line:#e3e6ee;--accent:#2356c5}
@media(prefers-color-scheme:dark){:root{--bg:#0e1015;--fg:#f1f3f8;--muted:#a5adbd;--card:#161922;--line:#262b37;--accent:#8ab4ff}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--bg);color:var(--fg);font:400 1rem/1.6 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{flex:1;width:100%;max-width:44rem;margin:0 auto;padding:clamp(2.5rem,9vh,6rem) 1.5rem 2rem}
h1{font-size:clamp(1.75rem,5vw,2.5rem);line-height:1.15;letter-spacing:-.02em;margin:0 0 .75rem;text-wrap:balance}
h2{font-size:1.125rem;margin:0 0 .25rem}
p{margin:0;color:var(--muted)}
.lead{font-size:1.125rem;margin-bottom:2.5rem}
section{background:var(--card);border:1px solid var(--line);border-radius:.875rem;padding:1.25rem 1.5rem;margin-top:1rem}
code{display:block;overflow-x:auto;margin:.75rem 0;padding:.625rem .875rem;border-radius:.5rem;background:var(--bg);border:1px solid var(--line);font:.875rem/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace;color:var(--fg)}
a{color:var(--accent)}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;justify-content:center;padding:1.5rem}
nav a{color:var(--muted);text-decoration:none}
nav a:hover{text-decoration:underline}
[data-in-place-of-overlay]:not([data-shown]) body{display:none}
nav a[aria-current]{color:var(--fg);font-weight:600}
`;
