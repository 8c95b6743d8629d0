import {
  dashboardAddress,
  docsAddress,
  apiAddress,
  pageAddress,
  widgetAddress,
  type ServerPlace,
} from "../addresses.ts";
import { Html } from "../jsx.ts";
import { languages } from "../i18n/index.ts";
import { type Language, negotiateLanguage } from "../languages.ts";
import { homeStylesheet } from "../html/assets.ts";
import { createKeptPages } from "../html/kept-pages.ts";
import { Document, htmlResponse } from "../html/html.tsx";
import { Lead, LinkButton, Titled } from "../html/parts.tsx";

const DEMO_OPTIONS = new URLSearchParams({ theme: "ambient", position: "bl" });

export function createHome(deps: ServerPlace) {
  const keep = createKeptPages();
  return {
    /** Redirects to the home page in the browser's language. */
    redirect({ headers }: Request): Response {
      const language = negotiateLanguage(headers.get("accept-language"));
      return new Response(null, {
        status: 302,
        headers: {
          Location: pageAddress(deps.basePath, language, ""),
          Vary: "Accept-Language",
          "Cache-Control": "no-store",
        },
      });
    },
    /** A short description of this server. */
    page: (language: Language): Promise<Response> =>
      keep(language, () =>
        htmlResponse(<HomePage {...deps} language={language} />, { frames: "'self'" }),
      ),
  };
}

interface HomeProps extends ServerPlace {
  readonly language: Language;
}

function HomePage({ baseUrl, basePath, language }: HomeProps): JSX.Element {
  const { home } = languages[language];
  return (
    <Document
      language={language}
      title={home.title}
      path=""
      basePath={basePath}
      stylesheets={[homeStylesheet.path]}
      found={{ baseUrl, description: home.lead }}
    >
      <h1 safe>{home.title}</h1>
      <Lead text={home.lead} />
      <div class="scene">
        <iframe
          src={pageAddress(basePath, language, `demo?${DEMO_OPTIONS}`)}
          title={home.demo}
          width="500"
          height="120"
        ></iframe>
      </div>
      <p class="ways">
        <LinkButton
          label={home.start}
          href={docsAddress(basePath, language, "quick-start")}
          isMain
        />
        <LinkButton label={home.dashboard} href={dashboardAddress(basePath, language)} />
      </p>
      <Titled title={home.apiTitle}>
        <p safe>{home.apiText}</p>
        <code safe>{`curl -H "X-Api-Key: mq_…" ${apiAddress(baseUrl, "now-playing")}`}</code>
        <a href={docsAddress(basePath, language, "api")} safe>
          {home.apiLink}
        </a>
      </Titled>
      <Titled title={home.widgetTitle}>
        <p safe>{home.widgetText}</p>
        <code safe>{widgetAddress(baseUrl, language, "mqw_…")}</code>
        <a href={docsAddress(basePath, language, "widget")} safe>
          {home.widgetLink}
        </a>
      </Titled>
    </Document>
  );
}
