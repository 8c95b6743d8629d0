import type { UpstreamApp } from "../accounts/upstreams.ts";
import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { Html } from "../jsx.ts";
import type { OAuthLinking } from "../sources/source.ts";
import { attribute } from "../html/attribute.ts";
import { fieldOf } from "../http/form-field.ts";
import { Copyable } from "../html/parts.tsx";

const LONGEST_APP_TEXT = 128;

/** The values that the owner typed and must correct. */
export interface EnteredApp {
  readonly clientId: string;
  /** Whether the secret is not valid. */
  readonly secretIsWrong: boolean;
}

export interface AppFormProps {
  readonly language: Language;
  readonly sourceName: string;
  /** Where the form is sent. */
  readonly path: string;
  readonly redirectUri: string;
  readonly oauth: Pick<OAuthLinking, "registrationUrl">;
  readonly entered?: EnteredApp | undefined;
  /** Other fields that the form sends. */
  readonly fields?: JSX.Element;
}

/** The steps to create an app with the upstream. */
export function AppSteps(props: AppFormProps): JSX.Element {
  const { language, sourceName, redirectUri, oauth } = props;
  const { connect } = languages[language];
  const names = { source: sourceName };
  return (
    <section class="app">
      <h2 safe>{fill(connect.appTitle, names)}</h2>
      <p safe>{fill(connect.appLead, names)}</p>
      <ol class="steps">
        <li>
          <span safe>{fill(connect.appCreate, names)}</span>
          <br />
          <a href={oauth.registrationUrl} target="_blank" rel="noopener noreferrer" safe>
            {oauth.registrationUrl}
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

/** The form to enter the app. */
export function AppForm({
  language,
  sourceName,
  path,
  entered,
  fields,
}: AppFormProps): JSX.Element {
  const { connect } = languages[language];
  const idMistake =
    entered && !entered.secretIsWrong && fill(connect.clientIdWrong, { source: sourceName });
  const secretMistake = entered?.secretIsWrong && connect.clientSecretWrong;
  return (
    <form method="post" action={path} autocomplete="off" class="form">
      {(fields ?? "") as "safe"}
      <label for="client_id" safe>
        {connect.clientId}
      </label>
      <input
        id="client_id"
        name="client_id"
        required
        maxlength={String(LONGEST_APP_TEXT)}
        spellcheck="false"
        autocomplete="off"
        {...(entered && { value: attribute(entered.clientId) })}
        {...mistakeAttributes("client_id", idMistake)}
      />
      <Mistake id="client_id" text={idMistake} />
      <label for="client_secret">
        <span safe>{connect.clientSecret}</span> <small safe>{`(${connect.optional})`}</small>
      </label>
      <input
        id="client_secret"
        name="client_secret"
        type="password"
        maxlength={String(LONGEST_APP_TEXT)}
        autocomplete="off"
        {...mistakeAttributes("client_secret", secretMistake)}
      />
      <Mistake id="client_secret" text={secretMistake} />
      <button type="submit" safe>
        {connect.save}
      </button>
    </form>
  );
}

const mistakeAttributes = (id: string, text: string | false | undefined) =>
  text ? { "aria-invalid": "true", "aria-describedby": `${id}-mistake` } : {};

function Mistake({ id, text }: { id: string; text: string | false | undefined }): JSX.Element {
  if (!text) return <></>;
  return (
    <p class="mistake" id={`${id}-mistake`} role="alert" safe>
      {text}
    </p>
  );
}

/** Whether a text is a client ID or secret. */
const isAppText = (text: string): boolean =>
  text.length <= LONGEST_APP_TEXT && /^[0-9A-Za-z_-]+$/.test(text);

/** Reads the app from a form, with the typed values; `app` is `undefined` when not valid. */
export function readApp(form: FormData): EnteredApp & { app: UpstreamApp | undefined } {
  const clientId = fieldOf(form, "client_id");
  const clientSecret = fieldOf(form, "client_secret") || null;
  const secretIsWrong = clientSecret !== null && !isAppText(clientSecret);
  const isApp = isAppText(clientId) && !secretIsWrong;
  return { clientId, secretIsWrong, app: isApp ? { clientId, clientSecret } : undefined };
}
