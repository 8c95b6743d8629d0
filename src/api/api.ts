import type { Accounts } from "../accounts/accounts.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Hub } from "../channels/hub.ts";
import type { Artwork } from "../playback.ts";
import type { Sources } from "../sources/index.ts";
import { createAuthenticate } from "./authenticate.ts";
import * as envelope from "./envelope.ts";
import { createNowPlaying } from "./now-playing.ts";
import { openApiDocument } from "./openapi.ts";
import { createRateLimit } from "./rate-limit.ts";
import { createReadEndpoint, type Endpoint } from "./read-endpoint.ts";
import { createUser } from "./user.ts";

/** The read API: its endpoints, and what it answers to everything else below `/api/`. */
export interface Api {
  readonly nowPlaying: Endpoint;
  readonly user: Endpoint;
  readonly openApi: Endpoint;
  readonly preflight: () => Response;
  readonly methodNotAllowed: () => Response;
  readonly notFound: () => Response;
  readonly internalError: () => Response;
  readonly busy: () => Response;
}

export interface ApiDeps {
  readonly accounts: Pick<Accounts, "keys" | "connections">;
  readonly hub: Hub;
  readonly sources: Pick<Sources, "byId">;
  readonly clock: Clock;
  readonly config: Config;
  /** Where the server is reached, without a slash at the end. */
  readonly baseUrl: string;
  /** The absolute address of a picture. */
  artworkUrl(artwork: Artwork): string;
  /** Where a request came from. */
  addressOf(request: Request): string;
}

export function createApi(deps: ApiDeps): Api {
  const { accounts, hub, sources, clock, config, baseUrl, artworkUrl, addressOf } = deps;
  const { rateLimitSeconds, musicPrefix } = config;
  const readEndpoint = createReadEndpoint({
    authenticate: createAuthenticate({ keys: accounts.keys, clock, addressOf }),
    clock,
    rateLimit: rateLimitSeconds > 0 ? createRateLimit(rateLimitSeconds) : undefined,
  });
  const description = JSON.stringify(openApiDocument({ baseUrl, musicPrefix, rateLimitSeconds }));
  return {
    ...envelope,
    nowPlaying: readEndpoint(
      "now-playing",
      createNowPlaying({ hub, clock, artworkUrl, rateLimitSeconds }),
    ),
    user: readEndpoint(
      "user",
      createUser({
        accounts,
        sources,
        musicPrefix,
        demoForAll: config.demo,
      }),
    ),
    openApi: () => envelope.document(description),
  };
}
