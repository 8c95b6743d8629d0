import { fill, languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { Html } from "../jsx.ts";
import type { OAuthLinking } from "../sources/source.ts";
import { Field } from "../html/form.tsx";
import { Copyable, Submit, Titled } from "../html/parts.tsx";
import { APP_FIELDS } from "./app.ts";

/** An app that was entered and refused. */
export interface RefusedApp {
  readonly clientId: string;
  /** The field with the mistake. */
  readonly field: string;
  readonly text: string;
}

export interface AppFormProps {
  readonly language: Language;
  readonly sourceName: string;
  /** Where the form is sent. */
  readonly path: string;
  readonly redirectUri: string;
  readonly oauth: Pick<OAuthLinking, "registrationUrl">;
  readonly refused?: RefusedApp | undefined;
  /** Other fields that the form sends. */
  readonly fields?: JSX.Element;
}

/** The steps to create an app with the upstream. */
export function AppSteps(props: AppFormProps): JSX.Element {
  const { language, sourceName, redirectUri, oauth } = props;
  const { connect } = languages[language];
  const names = { source: sourceName };
  return (
    <Titled title={fill(connect.appTitle, names)} class="app">
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
    </Titled>
  );
}

/** The form to enter the app. */
export function AppForm({ language, path, refused, fields }: AppFormProps): JSX.Element {
  const { connect } = languages[language];
  const mistakeIn = (field: keyof typeof APP_FIELDS) =>
    refused?.field === field ? refused.text : undefined;
  return (
    <form method="post" action={path} autocomplete="off" class="form">
      {(fields ?? "") as "safe"}
      <Field
        id="clientId"
        name="clientId"
        label={connect.clientId}
        value={refused?.clientId}
        mistake={mistakeIn("clientId")}
        alerts
        maxlength={APP_FIELDS.clientId.longest}
        required
      />
      <Field
        id="clientSecret"
        name="clientSecret"
        type="password"
        label={`${connect.clientSecret} (${connect.optional})`}
        mistake={mistakeIn("clientSecret")}
        alerts
        maxlength={APP_FIELDS.clientSecret.longest}
      />
      <Submit label={connect.save} />
    </form>
  );
}
