import { Elysia } from "elysia";
import { guards } from "../http/guards.ts";
import type { Parts } from "../http/parts.ts";
import type { Feature } from "../http/plugin.ts";
import { once } from "../once.ts";
import { type EndpointAt, endpointsOf } from "./endpoint.ts";
import { eventsEndpoint } from "./endpoints/events.ts";
import { nowPlayingEndpoint } from "./endpoints/now-playing.ts";
import { recentlyPlayedEndpoint } from "./endpoints/recently-played.ts";
import { userEndpoint } from "./endpoints/user.ts";
import * as envelope from "./envelope.ts";
import type { Events, EventsDeps } from "./events.ts";
import { createGuard } from "./guard.ts";

export interface ApiFeature extends Feature {
  /** Every endpoint that requires a key. */
  endpoints(): readonly EndpointAt[];
}

/** The read API: its endpoints, and its streams. */
export function createApiFeature(deps: Parts & EventsDeps): ApiFeature {
  const { baseUrl } = deps;
  const { rateLimitSeconds } = deps.config;
  // Loaded with the first stream, so that it takes no memory where nobody uses it.
  let streams: Events | undefined;
  const loadStreams = async () => {
    const { createEvents } = await import("./events.ts");
    return (streams ??= createEvents(deps));
  };
  const endpoints = (): readonly EndpointAt[] => endpointsOf(plugin);
  const description = once(async (): Promise<string> => {
    const { openApiDocument } = await import("./openapi.ts");
    return JSON.stringify(openApiDocument({ baseUrl, rateLimitSeconds, endpoints: endpoints() }));
  });
  const parts = { ...deps, loadStreams };
  const guard = createGuard(deps);

  const plugin = new Elysia({ name: "api", prefix: "/api/v1" })
    .use(guards)
    .use(nowPlayingEndpoint(guard, parts))
    .use(eventsEndpoint(guard, parts))
    .use(recentlyPlayedEndpoint(guard, parts))
    .use(userEndpoint(guard, parts))
    .get("/openapi.json", async () => envelope.document(await description()), { open: true });
  for (const { path } of [...plugin.routes]) {
    plugin.options(path.slice("/api/v1".length), envelope.preflight, { open: true });
  }

  return {
    plugin,
    endpoints,
    // Closes the streams whose key has ended.
    follow({ userId, concerns }) {
      if (concerns("users", "keys")) streams?.followKeys(userId);
    },
    stop: () => streams?.stop(),
  };
}
