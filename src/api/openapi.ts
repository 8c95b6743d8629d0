import { VERSION } from "../version.ts";
import { createRateLimit } from "./rate-limit.ts";

export interface OpenApiOptions {
  /** Where the API is reached, without a slash at the end. */
  readonly baseUrl: string;
  /** First word of the three field names about music. */
  readonly musicPrefix: string;
  /** 0 when calls are not limited. */
  readonly rateLimitSeconds: number;
}

type Schema = Readonly<Record<string, unknown>>;

/** The API's description in OpenAPI 3.1, as served at `/api/v1/openapi.json`. */
export function openApiDocument(options: OpenApiOptions) {
  const { baseUrl, musicPrefix, rateLimitSeconds } = options;
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
    paths: {
      "/api/v1/now-playing": {
        get: {
          operationId: "getNowPlaying",
          summary: "What is playing",
          description:
            "The current playback, its position worked out for this very moment. `data` is null when nothing is playing.",
          tags: ["Now playing"],
          responses: {
            "200": jsonResponse(
              "Playing, paused, or nothing playing.",
              "NowPlayingAnswer",
              {
                playing: { summary: "A track plays", value: playingExample(baseUrl) },
                nothing: { summary: "Nothing plays", value: { success: true, data: null } },
              },
              limitHeaders(rateLimitSeconds),
            ),
            ...refusals(rateLimitSeconds),
            "503": errorResponse(
              "The music source has not answered for a while.",
              {
                unavailable: "Playback is temporarily unavailable",
                busy: "The server is busy: try again",
              },
              retryAfterHeader,
            ),
          },
        },
      },
      "/api/v1/user": {
        get: {
          operationId: "getUser",
          summary: "Who the key belongs to",
          description: "The user linked to the key, and whether music is connected.",
          tags: ["Now playing"],
          responses: {
            "200": jsonResponse(
              "The user.",
              "UserAnswer",
              {
                user: { summary: "A connected user", value: userExample(musicPrefix) },
              },
              limitHeaders(rateLimitSeconds),
            ),
            ...refusals(rateLimitSeconds),
            "503": errorResponse(
              "The server's database is locked by another program.",
              { busy: "The server is busy: try again" },
              retryAfterHeader,
            ),
          },
        },
      },
    },
    components: {
      securitySchemes: {
        header: { type: "apiKey", in: "header", name: "X-Api-Key" },
        query: { type: "apiKey", in: "query", name: "api_key" },
      },
      schemas: schemas(musicPrefix),
    },
  };
}

const integer: Schema = { type: "integer", minimum: 0 };
const retryAfterHeader = {
  "Retry-After": header("Seconds after which to ask again.", integer),
};

function schemas(musicPrefix: string): Record<string, Schema> {
  return {
    NowPlayingAnswer: {
      description: "With `meta` exactly when `data` is not null.",
      oneOf: [
        object({
          success: { const: true },
          data: { $ref: "#/components/schemas/Playback" },
          meta: { $ref: "#/components/schemas/Meta" },
        }),
        object({ success: { const: true }, data: { type: "null" } }),
      ],
    },
    UserAnswer: object({
      success: { const: true },
      data: { $ref: "#/components/schemas/User" },
    }),
    ErrorAnswer: object({
      success: { const: false },
      error: { type: "string", description: "What went wrong, for people." },
    }),
    Meta: object({
      user: { type: "string", description: "The user the key belongs to." },
      timestamp: { ...integer, description: "Time of the answer, Unix seconds." },
    }),
    Playback: object({
      is_playing: { type: "boolean", description: "False while paused." },
      progress_ms: { ...integer, description: "Position in the track, in milliseconds." },
      progress_percent: {
        type: "number",
        minimum: 0,
        maximum: 100,
        description: "Position as a percentage of the duration, at most two decimals.",
      },
      time_remaining_ms: { ...integer, description: "duration_ms − progress_ms." },
      track: { $ref: "#/components/schemas/Track" },
      artist_name: {
        type: "string",
        description: "The artists in the source's order, joined with a comma and a space.",
      },
      album: { $ref: "#/components/schemas/Album" },
      device: { $ref: "#/components/schemas/Device" },
    }),
    Track: object({
      id: { type: "string", description: "As the source gives it; a local file's id is its URI." },
      name: { type: "string" },
      duration_ms: { ...integer, description: "0 when the source does not tell." },
      explicit: { type: "boolean" },
    }),
    Album: object({
      name: { type: "string" },
      images: {
        type: "array",
        description: "Largest first; may be empty.",
        items: object({ url: { type: "string", format: "uri" } }),
      },
    }),
    Device: object({
      name: { type: "string" },
      type: { type: "string", description: "As the source gives it." },
      volume: {
        type: ["integer", "null"],
        minimum: 0,
        maximum: 100,
        description: "Null when the source does not tell.",
      },
    }),
    User: object({
      username: { type: "string" },
      [`${musicPrefix}_connected`]: {
        type: "boolean",
        description: "False when no music is connected or it has to be connected again.",
      },
      [`${musicPrefix}_display_name`]: { type: ["string", "null"] },
      [`${musicPrefix}_product`]: { type: ["string", "null"] },
      created_at: {
        type: "string",
        pattern: "^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$",
        description: "When the user was created, in UTC.",
      },
    }),
  };
}

/** A closed object: these fields, all of them, and no others. */
function object(properties: Record<string, Schema>): Schema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function refusals(rateLimitSeconds: number) {
  return {
    "401": errorResponse(
      "The key is missing or does not work.",
      { missing: "Missing API key", invalid: "Invalid API key" },
      { "WWW-Authenticate": header("The way to authenticate.", { type: "string" }) },
    ),
    "405": errorResponse(
      "Only GET, HEAD and OPTIONS are understood.",
      { method: "Method not allowed" },
      { Allow: header("The methods that are understood.", { type: "string" }) },
    ),
    "429": errorResponse(
      "Too soon after the last call, or too many wrong keys from one address.",
      {
        ...(rateLimitSeconds > 0 && {
          rate: createRateLimit(rateLimitSeconds).message,
        }),
        guessing: "Too many invalid keys",
      },
      {
        ...limitHeaders(rateLimitSeconds),
        "Retry-After": header("Seconds after which a call passes.", integer),
      },
    ),
    "500": errorResponse("Something broke here.", { internal: "Internal server error" }),
  };
}

function jsonResponse(
  description: string,
  schema: string,
  examples: Record<string, unknown>,
  headers: Record<string, unknown>,
) {
  const content = { schema: { $ref: `#/components/schemas/${schema}` }, examples };
  return { description, headers, content: { "application/json": content } };
}

function errorResponse(
  description: string,
  errors: Record<string, string>,
  headers: Record<string, unknown> = {},
) {
  const examples = Object.fromEntries(
    Object.entries(errors).map(([name, error]) => [name, { value: { success: false, error } }]),
  );
  return jsonResponse(description, "ErrorAnswer", examples, headers);
}

function header(description: string, schema: Schema) {
  return { description, schema };
}

function limitHeaders(rateLimitSeconds: number) {
  if (rateLimitSeconds === 0) return {};
  return {
    "RateLimit-Policy": header("The limit: q calls in w seconds.", { type: "string" }),
    RateLimit: header("What is left: r calls, and t seconds until the next.", { type: "string" }),
  };
}

function limitSentence(rateLimitSeconds: number): string {
  return rateLimitSeconds === 0
    ? "This server does not limit how often a key may call."
    : `A key may call each endpoint once every ${rateLimitSeconds} seconds.`;
}

function playingExample(baseUrl: string) {
  return {
    success: true,
    data: {
      is_playing: true,
      progress_ms: 61_250,
      progress_percent: 32.58,
      time_remaining_ms: 126_750,
      track: { id: "demo:lanterns", name: "Paper Lanterns", duration_ms: 188_000, explicit: false },
      artist_name: "Juniper Vale",
      album: {
        name: "Slow Weather",
        images: [{ url: `${baseUrl}/art/q0jT3yUuJ9m1cWm8k2v0nA/640.jpg` }],
      },
      device: { name: "Demo player", type: "demo", volume: 65 },
    },
    meta: { user: "ada", timestamp: 1_795_219_200 },
  };
}

function userExample(musicPrefix: string) {
  return {
    success: true,
    data: {
      username: "ada",
      [`${musicPrefix}_connected`]: true,
      [`${musicPrefix}_display_name`]: "Marquee Demo",
      [`${musicPrefix}_product`]: null,
      created_at: "2026-11-21 00:00:00",
    },
  };
}
