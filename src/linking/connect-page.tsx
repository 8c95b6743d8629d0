import { pageAddress } from "../addresses.ts";
import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { Html } from "../jsx.ts";
import type { OAuthLinking } from "../sources/source.ts";
import { copyScript } from "../html/assets.ts";
import { Document, htmlResponse } from "../html/html.tsx";
import { AppForm, AppSteps, type RefusedApp } from "./app-form.tsx";
import { Copyable } from "../html/parts.tsx";

export interface LinkPageProps {
  readonly language: Language;
  readonly basePath: string;
  readonly sourceName: string;
  readonly userName: string;
  /** The path of this page. */
  readonly path: string;
  readonly redirectUri: string;
  readonly oauth: Pick<OAuthLinking, "acceptsRedirect" | "registrationUrl">;
  readonly hasApp: boolean;
  readonly mayEnterApp: boolean;
  readonly refused?: RefusedApp | undefined;
}

/** The page where OAuth linking begins. If there is no app yet, it asks for it first. */
export function linkPage(props: LinkPageProps): Promise<Response> {
  return htmlResponse(<LinkPage {...props} />, {
    status: props.refused ? 422 : 200,
    hasForm: true,
  });
}

function LinkPage(props: LinkPageProps): JSX.Element {
  const { language, basePath, sourceName, redirectUri, hasApp, mayEnterApp } = props;
  const { connect } = languages[language];
  const names = { source: sourceName, user: props.userName };
  const title = fill(connect.title, names);
  const accepted = props.oauth.acceptsRedirect(redirectUri);
  return (
    <Document
      language={language}
      title={title}
      path={props.path.slice(pageAddress(basePath, language, "").length)}
      basePath={basePath}
      scripts={[copyScript.path]}
    >
      <h1 safe>{title}</h1>
      <p class="lead" safe>
        {fill(connect.lead, names)}
      </p>
      {!accepted && (
        <p class="mistake" role="alert" safe>
          {fill(connect.redirectRefused, names)}
        </p>
      )}
      {hasApp ? (
        <Continue {...props} title={fill(connect.go, names)} />
      ) : mayEnterApp ? (
        <AppSteps {...props} />
      ) : (
        <p safe>{fill(connect.ownerFirst, names)}</p>
      )}
    </Document>
  );
}

function Continue(props: LinkPageProps & { title: string }): JSX.Element {
  const { language, redirectUri, path, title, mayEnterApp } = props;
  const { connect } = languages[language];
  return (
    <>
      <p>
        <a class="button" href={`${path}/start`} safe>
          {title}
        </a>
      </p>
      <details open={props.refused !== undefined}>
        <summary safe>{connect.redirectUri}</summary>
        <Copyable language={language} text={redirectUri} />
        {mayEnterApp && (
          <>
            <h2 safe>{connect.otherApp}</h2>
            <AppForm {...props} />
          </>
        )}
      </details>
    </>
  );
}
