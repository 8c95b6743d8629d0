import { VERSION } from "../version.ts";
import { en } from "../i18n/en.ts";
import { FOREIGN_HOST } from "../http/hosts.ts";
import { createRateLimit, inSeconds } from "../http/rate-limit.ts";
import { TOO_MUCH_WORK } from "./guard.ts";
import type { EndpointAt } from "./endpoint.ts";
import { ErrorAnswer } from "./schema.ts";

export interface OpenApiOptions {
  /** The API's base URL, without a slash at the end. */
  readonly baseUrl: string;
  readonly endpoints: readonly EndpointAt[];
  /** 0 when calls are not limited. */
  readonly rateLimitSeconds: number;
}

type Schema = Readonly<Record<string, unknown>>;
interface Header {
  readonly description: string;
  /** Whether each such answer has it. */
  readonly required?: boolean;
  readonly schema: Schema;
}
type Headers = Readonly<Record<string, Header>>;
type Examples = Readonly<Record<string, { summary?: string; value: object }>>;

/** A response, in one kind of content. */
interface Described {
  readonly description: string;
  readonly headers: Headers;
  readonly content: Readonly<
    Record<
      string,
      {
        readonly schema: Schema;
        readonly examples: Readonly<Record<string, { summary?: string; value: unknown }>>;
      }
    >
  >;
}

/** The API's description in OpenAPI 3.1, as served at `/api/v1/openapi.json`. */
export function openApiDocument(options: OpenApiOptions) {
  const { baseUrl, rateLimitSeconds } = options;
  const schemas: Record<string, Schema> = {};

  /** Stores a named schema once in the document, and returns a reference to it. */
  const refer = (name: string, schema: object): { $ref: string } => {
    schemas[name] ??= fieldsOf(schema);
    return { $ref: `#/components/schemas/${name}` };
  };
  const fieldsOf = (schema: object): Schema =>
    Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, plain(part)]));
  /** A part of a schema as JSON, with references in place of named schemas. */
  const plain = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(plain);
    if (typeof part !== "object" || part === null) return part;
    const { $id: name, ...schema }: Schema = orNull({ ...part });
    return typeof name === "string" ? refer(name, schema) : fieldsOf(schema);
  };
  const jsonResponse = (
    description: string,
    schema: { $ref: string },
    examples: Examples,
    headers: Headers = {},
  ) => ({ description, headers, content: { "application/json": { schema, examples } } });
  const errorResponse = (
    description: string,
    errors: Readonly<Record<string, string>>,
    headers?: Headers,
  ) => {
    const examples = Object.fromEntries(
      Object.entries(errors).map(([name, error]) => [name, { value: { success: false, error } }]),
    );
    return jsonResponse(description, refer("ErrorAnswer", ErrorAnswer), examples, headers);
  };

  const limits: Headers = rateLimitSeconds === 0 ? {} : LIMIT_HEADERS;
  const refusals = (more?: NonNullable<EndpointAt["stream"]>["refusals"]) => ({
    "401": errorResponse(
      "The key is missing or doesn’t work.",
      { missing: "Missing API key", invalid: "Invalid API key" },
      { "WWW-Authenticate": always("The way to authenticate.", STRING) },
    ),
    "405": errorResponse(
      "Only GET, HEAD and OPTIONS are supported.",
      { method: "Method not allowed" },
      { Allow: always("The methods that are understood.", STRING) },
    ),
    "421": errorResponse("The request names a host that is none of this server’s.", {
      host: FOREIGN_HOST,
    }),
    "429": errorResponse(
      `Refused for a while: ${[
        ...(rateLimitSeconds > 0 ? ["too soon after the last call"] : []),
        "too many wrong keys from one address",
        ...(more ? [more.about] : []),
      ].join(", ")} or too much work for one user.`,
      {
        ...(rateLimitSeconds > 0 && { rate: createRateLimit(rateLimitSeconds).message }),
        guessing: "Too many invalid keys",
        work: TOO_MUCH_WORK,
        ...more?.errors,
      },
      {
        // There is no limit for a key that does not work.
        ...(rateLimitSeconds > 0 && OPTIONAL_LIMIT_HEADERS),
        "Retry-After": always("Seconds after which a call passes.", INTEGER),
      },
    ),
    "500": errorResponse("Something broke here.", { internal: "Internal server error" }),
  });
  const paths = options.endpoints.map(
    ({ path, operationId, description, answer, stream, unavailable }) => {
      const { $id: name = `${operationId}Answer`, ...fields } = answer.schema;
      const schema = refer(name, fields);
      const responses: Record<string, Described> = {
        "200": stream
          ? { description: stream.about, headers: limits, content: eventsOf(answer.examples) }
          : jsonResponse(answer.about, schema, answer.examples, limits),
        ...refusals(stream?.refusals),
        "503": errorResponse(
          [unavailable?.about, UNUSABLE].filter(Boolean).join(" Or: "),
          { ...unavailable?.errors, busy: BUSY },
          {
            "Retry-After": always("Seconds after which to ask again.", INTEGER),
          },
        ),
      };
      const summary = en.reference.endpoints[operationId];
      const tags = ["Now playing"];
      return [path, { get: { operationId, summary, description, tags, responses } }] as const;
    },
  );

  return {
    openapi: "3.1.0",
    info: {
      title: "Marquee read API",
      version: VERSION,
      description: [
        "What the user linked to an API key is playing, and who that user is. Read-only.",
        "Send the key in the `X-Api-Key` header or, where a header cannot be set, as `?api_key=`. If both are sent, the header counts.",
        limitSentence(rateLimitSeconds),
      ].join("\n\n"),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl }],
    security: [{ header: [] }, { query: [] }],
    tags: [{ name: "Now playing", description: "Playback and its user." }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        header: { type: "apiKey", in: "header", name: "X-Api-Key" },
        query: { type: "apiKey", in: "query", name: "api_key" },
      },
      schemas,
    },
  };
}

const BUSY = "The server is busy: try again";
/** What every endpoint answers while the database cannot be used, see `isPassing` of `db/errors.ts`. */
const UNUSABLE =
  "The server's database cannot be used: another program locks it, or its disk is full, read-only or failing.";

/** OpenAPI 3.1 cannot say what the data of an event is like: the description of the endpoint does. */
const eventsOf = (examples: Examples) => ({
  "text/event-stream": {
    schema: STRING,
    examples: Object.fromEntries(
      Object.entries(examples).map(([name, { summary = "", value }]) => [
        name,
        { summary, value: eventText(value) },
      ]),
    ),
  },
});

/** An answer as the event that carries it. */
export const eventText = (answer: object): string =>
  `event: now-playing\nid: 1\ndata: ${JSON.stringify(answer)}\n\n`;

const STRING: Schema = { type: "string" };
const INTEGER: Schema = { type: "integer", minimum: 0 };

/** A header of each such answer. */
const always = (text: string, schema: Schema): Header => ({
  description: text,
  required: true,
  schema,
});

const LIMIT_HEADERS = {
  "RateLimit-Policy": always("The limit: q calls in w seconds.", STRING),
  RateLimit: always("What is left: r calls, and t seconds until the next.", STRING),
};
/** The same, for answers of which only some have them. */
const OPTIONAL_LIMIT_HEADERS: Headers = {
  "RateLimit-Policy": { ...LIMIT_HEADERS["RateLimit-Policy"], required: false },
  RateLimit: { ...LIMIT_HEADERS.RateLimit, required: false },
};

function limitSentence(rateLimitSeconds: number): string {
  return rateLimitSeconds === 0
    ? "This server does not limit how often a key may call."
    : `A key may call each endpoint once every ${inSeconds(rateLimitSeconds)}.`;
}

/** A value of a plain type that may be null has two types, which clients understand better than a choice. */
function orNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [one, nothing]: Schema[] = anyOf;
  const isPlain = typeof one?.["type"] === "string" && one["$id"] === undefined;
  return isPlain && nothing?.["type"] === "null"
    ? { ...one, ...rest, type: [one["type"], "null"] }
    : schema;
}
