import { fill, type Language, languages } from "../i18n/index.ts";
import { Html } from "../jsx.ts";
import type { Linking } from "../sources/source.ts";
import { copyScript } from "./assets.ts";
import { Document, formResponse, htmlResponse } from "./html.tsx";

/** What the owner typed and has to correct. */
export interface EnteredApp {
  readonly clientId: string;
}

export interface LinkPageProps {
  readonly language: Language;
  readonly basePath: string;
  readonly sourceName: string;
  readonly userName: string;
  /** Of this page. */
  readonly path: string;
  readonly redirectUri: string;
  readonly linking: Pick<Linking<unknown>, "acceptsRedirect" | "registrationUrl">;
  readonly hasApp: boolean;
  readonly mayEnterApp: boolean;
  readonly entered?: EnteredApp;
}

/** The page where linking begins: with the app, if there is none yet. */
export function linkPage(props: LinkPageProps): Promise<Response> {
  return formResponse(<LinkPage {...props} />, props.entered ? 422 : 200);
}

function LinkPage(props: LinkPageProps): JSX.Element {
  const { language, basePath, sourceName, redirectUri, hasApp, mayEnterApp } = props;
  const { connect } = languages[language];
  const names = { source: sourceName, user: props.userName };
  const title = fill(connect.title, names);
  const accepted = props.linking.acceptsRedirect(redirectUri);
  return (
    <Document
      language={language}
      title={title}
      path={props.path.slice(`${basePath}/${language}/`.length)}
      basePath={basePath}
      scripts={[copyScript.path]}
    >
      <>
        <h1 safe>{title}</h1>
        <p class="lead" safe>
          {fill(connect.lead, names)}
        </p>
        {accepted ? (
          ""
        ) : (
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
      </>
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
      <details open={props.entered !== undefined}>
        <summary safe>{connect.redirectUri}</summary>
        <Copyable language={language} text={redirectUri} />
        {mayEnterApp ? (
          <>
            <h2 safe>{connect.otherApp}</h2>
            <AppForm {...props} />
          </>
        ) : (
          ""
        )}
      </details>
    </>
  );
}

function AppSteps(props: LinkPageProps): JSX.Element {
  const { language, sourceName, redirectUri, linking } = props;
  const { connect } = languages[language];
  const names = { source: sourceName };
  return (
    <section>
      <h2 safe>{fill(connect.appTitle, names)}</h2>
      <p safe>{fill(connect.appLead, names)}</p>
      <ol class="steps">
        <li>
          <span safe>{fill(connect.appCreate, names)}</span>
          <br />
          <a href={linking.registrationUrl} target="_blank" rel="noopener noreferrer" safe>
            {linking.registrationUrl}
          </a>
        </li>
        <li>
          <span safe>{connect.appRedirect}</span>
          <Copyable language={language} text={redirectUri} />
        </li>
        <li>
          <span safe>{connect.appEnter}</span>
          <AppForm {...props} />
        </li>
      </ol>
    </section>
  );
}

function AppForm({ language, sourceName, path, entered }: LinkPageProps): JSX.Element {
  const { connect } = languages[language];
  const mistake = entered && fill(connect.clientIdWrong, { source: sourceName });
  return (
    <form method="post" action={path} autocomplete="off">
      <label for="client_id" safe>
        {connect.clientId}
      </label>
      <input
        id="client_id"
        name="client_id"
        required
        maxlength="128"
        spellcheck="false"
        {...(entered && {
          value: entered.clientId.replaceAll("&", "&amp;"),
          "aria-invalid": "true",
          "aria-describedby": "client_id-mistake",
        })}
      />
      {mistake === undefined ? (
        ""
      ) : (
        <p class="mistake" id="client_id-mistake" role="alert" safe>
          {mistake}
        </p>
      )}
      <label for="client_secret">
        <span safe>{connect.clientSecret}</span> <small safe>{`(${connect.optional})`}</small>
      </label>
      <input id="client_secret" name="client_secret" type="password" maxlength="128" />
      <button type="submit" safe>
        {connect.save}
      </button>
    </form>
  );
}

/** A text with a button that copies it. */
function Copyable({ language, text }: { language: Language; text: string }): JSX.Element {
  const { connect } = languages[language];
  return (
    <div class="copyable">
      <code safe>{text}</code>
      <button class="quiet" type="button" hidden data-copy={text} data-copied={connect.copied} safe>
        {connect.copy}
      </button>
    </div>
  );
}

export interface MessagePageProps {
  readonly language: Language;
  readonly basePath: string;
  readonly title: string;
  readonly lead: string;
  readonly status: number;
  readonly note?: string;
  /** What to do about it. */
  readonly again?: { readonly path: string; readonly label: string };
}

/** A page that says how linking has gone. */
export function messagePage(props: MessagePageProps): Promise<Response> {
  const { language, basePath, title, lead, note, again, status } = props;
  const page = (
    <Document language={language} title={title} path="" basePath={basePath}>
      <>
        <h1 safe>{title}</h1>
        <p class="lead" safe>
          {lead}
        </p>
        {note === undefined ? "" : <p safe>{note}</p>}
        {again === undefined ? (
          ""
        ) : (
          <p>
            <a class="button" href={again.path} safe>
              {again.label}
            </a>
          </p>
        )}
      </>
    </Document>
  );
  return htmlResponse(page, status);
}
