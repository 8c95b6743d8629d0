import { pageAddress } from "../addresses.ts";
import { fill, languages } from "../i18n/index.ts";
import { Html } from "../jsx.ts";
import type { OAuthLinking } from "../sources/source.ts";
import { copyScript } from "../html/assets.ts";
import { Document, htmlResponse } from "../html/html.tsx";
import { AppForm, type AppFormProps, AppSteps } from "./app-form.tsx";
import { Copyable, Lead, LinkButton } from "../html/parts.tsx";

/** The form is sent to the page's own path. */
interface LinkPageProps extends AppFormProps {
  readonly basePath: string;
  readonly userName: string;
  readonly oauth: Pick<OAuthLinking, "acceptsRedirect" | "registrationUrl">;
  readonly hasApp: boolean;
  readonly mayEnterApp: boolean;
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
      <Lead text={fill(connect.lead, names)} />
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
        <LinkButton label={title} href={`${path}/start`} isMain />
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
