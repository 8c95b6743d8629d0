import { fill } from "../i18n/index.ts";
import { languageTag } from "../languages.ts";
import { Html } from "../jsx.ts";
import { copyScript, dashboardStylesheet, icon, pageStylesheet } from "../html/assets.ts";
import { htmlResponse } from "../html/html.tsx";
import { HiddenCopyable, LanguageLinks, Submit, Lead } from "../html/parts.tsx";
import { ActionForm, formOf } from "./action-form.tsx";
import type { DashboardRequest } from "./request.ts";
import type { Notice } from "../html/notices.ts";
import { pathTo, sectionPath } from "../html/section-paths.ts";
import { DocumentationLink, Navigation, SettingsTabs } from "./navigation.tsx";

export interface FrameProps {
  readonly request: DashboardRequest;
  readonly title: string;
  /** The page that this one belongs to, and what the hyperlink to it says. */
  readonly parent?: { readonly path: string; readonly label: string };
  /** The purpose of the page, in one sentence. */
  readonly lead?: string;
  /** Paths of the scripts that it runs, besides the one for copy buttons. */
  readonly scripts?: readonly string[];
  /** What its scripts connect to besides this server, in the syntax of a policy. */
  readonly connections?: string;
  /** Shown instead of the request's own notice. */
  readonly notice?: Notice | undefined;
  readonly children: JSX.Element;
}

/** A response with a page of the dashboard. */
export function dashboardPage(
  props: FrameProps,
  status = props.request.refused ? 422 : 200,
): Promise<Response> {
  const page = <Frame {...props}>{props.children as "safe"}</Frame>;
  // For the preview: the overlay in a frame, over the user's own picture.
  const shown = { frames: "'self'", images: "'self' blob:" };
  const { connections } = props;
  return htmlResponse(page, {
    status,
    hasForm: true,
    ...shown,
    ...(connections !== undefined && { connections }),
  });
}

function Frame(props: FrameProps): JSX.Element {
  const { request, title, parent, lead, scripts = [], notice, children } = props;
  const { basePath, language, words, section, query } = request;
  const { refused } = request;
  const refusal = refused && ({ tone: "bad", text: refused.text } as const);
  const given = notice ?? refusal ?? request.notice;
  const place = new URLSearchParams(query);
  // What is tried or looked for once is no part of where somebody is.
  place.delete("look");
  const path = sectionPath(section) + (place.size === 0 ? "" : `?${place}`);
  return (
    <>
      {"<!doctype html>"}
      <html lang={languageTag(language)}>
        <head>
          <meta charset="utf-8" />
          <title safe>{`${title} · Marquee`}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
          <meta name="color-scheme" content="light dark" />
          <link rel="icon" href={basePath + icon.path} />
          <link rel="stylesheet" href={basePath + pageStylesheet.path} />
          <link rel="stylesheet" href={basePath + dashboardStylesheet.path} />
          {[copyScript.path, ...scripts].map((path) => (
            <script defer src={basePath + path} />
          ))}
        </head>
        <body class="dashboard">
          <a class="skip" href="#content" safe>
            {words.dashboard.skip}
          </a>
          <header>
            <a class="brand" href={pathTo(request, "overlay")}>
              <img src={basePath + icon.path} alt="" width="28" height="28" />
              <span>Marquee</span>
            </a>
            <Navigation request={request} />
          </header>
          <main id="content" data-section={section}>
            <SettingsTabs request={request} />
            {parent !== undefined && (
              <p class="parent">
                <a href={parent.path} safe>
                  {`← ${parent.label}`}
                </a>
              </p>
            )}
            <h1 dir="auto" safe>
              {title}
            </h1>
            {lead !== undefined && <Lead text={lead} />}
            {given !== undefined && <NoticeBox notice={given} request={request} />}
            {children as "safe"}
          </main>
          <footer>
            <DocumentationLink request={request} />
            <LanguageLinks language={language} basePath={basePath} path={path} />
          </footer>
          <p class="away" role="status" data-away hidden safe>
            {words.dashboard.away}
          </p>
          <p class="away" role="status" data-unfollowed hidden safe>
            {words.dashboard.unfollowed}
          </p>
          <Elsewhere request={request} />
        </body>
      </html>
    </>
  );
}

/** Says that the page was opened by another address than the server's, which only the browser knows. */
function Elsewhere({ request }: { request: DashboardRequest }): JSX.Element {
  const { words, baseUrl, language, section } = request;
  const { live, open } = words.elsewhere;
  const [before = "", after = ""] = fill(live, { base: baseUrl }).split("{other}");
  return (
    <p class="away" role="alert" data-elsewhere hidden>
      <span safe>{before}</span>
      <span data-origin></span>
      <span safe>{after}</span>{" "}
      <a href={baseUrl + pathTo({ basePath: "", language }, section)} safe>
        {open}
      </a>
    </p>
  );
}

/** The result of a form. */
export function NoticeBox({
  notice,
  request,
}: {
  notice: Notice;
  request: DashboardRequest;
}): JSX.Element {
  const { tone, text, shownOnce = [], undo } = notice;
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <p safe>{text}</p>
      {shownOnce.map(({ label, value }) => (
        <div class="once">
          <span safe>{label}</span>
          <HiddenCopyable language={request.language} label={label} text={value} />
        </div>
      ))}
      {undo !== undefined && (
        <ActionForm
          form={formOf(request, { name: undo.action, inputs: {} }, undo.texts)}
          class="undo"
          at={request.query.toString()}
        >
          <Submit label={undo.label} class="quiet" />
        </ActionForm>
      )}
    </div>
  );
}
