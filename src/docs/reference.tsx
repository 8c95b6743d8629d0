import { KindGuard, type TSchema } from "@sinclair/typebox";
import type { ServerPlace } from "../addresses.ts";
import { eventText, openApiDocument } from "../api/openapi.ts";
import type { EndpointAt } from "../api/endpoint.ts";
import type { Config } from "../config.ts";
import { languages } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import { Html } from "../jsx.ts";
import { code, factsList, table } from "./html-table.ts";
import { Button, Hint, Lead, Submit } from "../html/parts.tsx";

export interface ReferenceProps extends ServerPlace {
  readonly language: Language;
  readonly config: Pick<Config, "musicPrefix" | "rateLimitSeconds">;
  readonly endpoints: readonly EndpointAt[];
  readonly offer?: KeyOffer;
}

/** How a signed-in user creates a key to try the API with. */
export interface KeyOffer {
  /** Where the form is sent. */
  readonly path: string;
  readonly formToken: string;
}

/** The API's reference, generated from its list of endpoints and its OpenAPI document. */
export function Reference(props: ReferenceProps): JSX.Element {
  const { language, baseUrl, basePath, config, endpoints } = props;
  const { reference } = languages[language];
  const { rateLimitSeconds } = config;
  const { paths } = openApiDocument({ baseUrl, rateLimitSeconds, endpoints });
  return (
    <>
      <h1 safe>{reference.title}</h1>
      <Lead text={reference.lead} />
      <p>
        <a href={`${basePath}/api/v1/openapi.json`} safe>
          {reference.description}
        </a>
      </p>
      <h2 id="authentication" safe>
        {reference.authentication}
      </h2>
      <ul>
        <li>
          <code>X-Api-Key: mq_…</code>
        </li>
        <li>
          <code>?api_key=mq_…</code>
        </li>
      </ul>
      {endpoints.map((endpoint) => (
        <Endpoint
          {...props}
          endpoint={endpoint}
          statuses={Object.keys(paths[endpoint.path]?.get.responses ?? {})}
        />
      ))}
    </>
  );
}

interface EndpointProps extends ReferenceProps {
  readonly endpoint: EndpointAt;
  readonly statuses: readonly string[];
}

function Endpoint(props: EndpointProps): JSX.Element {
  const { language, basePath, endpoint, statuses, offer } = props;
  const { path, operationId, answer, stream } = endpoint;
  const { reference } = languages[language];
  const name = path.split("/").at(-1) ?? "";
  const meanings: Readonly<Record<string, string>> = reference.statuses;
  const example = Object.values(answer.examples)[0]?.value ?? {};
  return (
    <>
      <h2 id={name}>
        <code safe>{`GET ${path}`}</code>
      </h2>
      <p safe>{reference.endpoints[operationId]}</p>
      <form
        class="try"
        data-try={basePath + path}
        data-stop={reference.stop}
        data-unreachable={reference.unreachable}
        hidden
      >
        <label for={`key-${name}`} safe>
          {reference.key}
        </label>
        <Hint id={`hint-${name}`} text={reference.keyHint} />
        <input
          id={`key-${name}`}
          type="password"
          autocomplete="off"
          spellcheck="false"
          placeholder="mq_…"
          required
          aria-describedby={`hint-${name}`}
        />
        <p class="actions">
          <Submit label={reference.send} />
          {offer ? (
            <Button
              label={reference.makeKey}
              class="quiet"
              data-make-key={offer.path}
              data-token={offer.formToken}
              data-name={reference.title}
            />
          ) : (
            ""
          )}
        </p>
        <div class="example" hidden data-answer>
          <pre tabindex="0" aria-label={reference.answer}>
            <code></code>
          </pre>
        </div>
      </form>
      <h3 safe>{reference.answers}</h3>
      {
        factsList(
          statuses.map((status) => [status, Bun.escapeHTML(meanings[status] ?? "")]),
        ) as "safe"
      }
      <div class="example">
        <pre tabindex="0">
          <code safe>{exampleOf(example, stream !== undefined)}</code>
        </pre>
      </div>
      {/* Another endpoint has the fields of a stream's events. */}
      {stream ? "" : <Fields {...props} />}
    </>
  );
}

function Fields({ language, config, endpoint }: EndpointProps): JSX.Element {
  const { reference } = languages[language];
  return (
    <>
      <h3 safe>{reference.fields}</h3>
      {
        table(
          [reference.field, reference.type, reference.meaning],
          fieldsOf(endpoint.answer.schema).map((field) => [
            code(field.path),
            Bun.escapeHTML(typeText(field, reference.nullable)),
            Bun.escapeHTML(meaningOf(language, field.path, config.musicPrefix)),
          ]),
        ) as "safe"
      }
    </>
  );
}

/** An answer as it is sent, but with line breaks where a stream has none. */
const exampleOf = (answer: object, isEvent: boolean): string =>
  isEvent ? eventText(answer).trim() : JSON.stringify(answer, null, 2);

/** A field of a response, such as `data.track.id`. */
interface Field {
  readonly path: string;
  readonly type: string;
  readonly nullable: boolean;
}

function fieldsOf(schema: TSchema, path = ""): Field[] {
  if (KindGuard.IsObject(schema)) {
    return Object.entries(schema.properties).flatMap(([name, property]) =>
      fieldsOf(property, path === "" ? name : `${path}.${name}`),
    );
  }
  // Of what may be null, the reference page lists the fields.
  if (KindGuard.IsUnion(schema)) {
    const fields = schema.anyOf.slice(0, 1).flatMap((one) => fieldsOf(one, path));
    return fields.map((field) => ({ ...field, nullable: field.path === path }));
  }
  if (KindGuard.IsArray(schema)) return fieldsOf(schema.items, `${path}[]`);
  return [{ path, type: String(schema["type"]), nullable: false }];
}

const typeText = ({ type, nullable }: Field, or: string): string =>
  nullable ? `${type} ${or}` : type;

/** What a field means in a language. It is looked up without `data.` or `data[].`, and the music prefix. */
function meaningOf(language: Language, path: string, musicPrefix: string): string {
  const meanings: Readonly<Record<string, string>> = languages[language].reference.fieldMeanings;
  const name = path.replace(/^data(\[\])?\./, "").replace(new RegExp(`^${musicPrefix}_`), "");
  return meanings[name] ?? "";
}
