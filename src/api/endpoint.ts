import type { TObject } from "@sinclair/typebox";
import type { AnyElysia } from "elysia";
import type { Parts } from "../http/parts.ts";
import type { Words } from "../i18n/en.ts";
import type { Events } from "./events.ts";
import type { PlayingBody } from "./now-playing.ts";

/** What endpoints are made of. */
export interface ApiParts extends Parts {
  readonly playingBody: PlayingBody;
  /** Loads what sends each change. */
  readonly loadStreams: () => Promise<Events>;
}

/** What the description of the API says of an endpoint. */
export interface Endpoint {
  /** Its name, under which the words of five languages have its summary. */
  readonly operationId: keyof Words["reference"]["endpoints"];
  readonly description: string;
  readonly answer: {
    readonly about: string;
    readonly schema: TObject;
    /** The reference page shows the first one. */
    readonly examples: Readonly<Record<string, { summary: string; value: object }>>;
  };
  /** Set where the answers come one after the other, as server-sent events. */
  readonly stream?: {
    readonly about: string;
    /** When it answers with status 429 besides when every endpoint does, and the errors by name. */
    readonly refusals: {
      readonly about: string;
      readonly errors: Readonly<Record<string, string>>;
    };
  };
  /** The errors with status 503, by name, besides the one of every endpoint. */
  readonly unavailable?: {
    readonly about: string;
    readonly errors: Readonly<Record<string, string>>;
  };
}

/** The part of a route that describes it, as its schema and in the description of the API. */
export const describedBy = (endpoint: Endpoint) => ({
  response: { 200: endpoint.answer.schema },
  ...streamDescribedBy(endpoint),
});

/** The same for a stream, whose answer is a text. */
export const streamDescribedBy = (endpoint: Endpoint) => {
  const { operationId, description } = endpoint;
  return { detail: { operationId, description, endpoint } };
};

/** An endpoint with its path. */
export interface EndpointAt extends Endpoint {
  readonly path: string;
}

/** The endpoints among routes. */
export const endpointsOf = ({ routes }: Pick<AnyElysia, "routes">): readonly EndpointAt[] =>
  routes.flatMap(({ method, path, hooks }) => {
    const endpoint: Endpoint | undefined = hooks.detail?.endpoint;
    return method === "GET" && endpoint ? [{ ...endpoint, path }] : [];
  });
