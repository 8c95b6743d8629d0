import type { Config } from "../config.ts";
import * as envelope from "./envelope.ts";
import { type Answer, createGuard, type Endpoint, type GuardDeps } from "./guard.ts";
import { createNowPlaying, type NowPlayingDeps } from "./now-playing.ts";
import type { EndpointPath } from "./schema.ts";
import { createUser, type UserDeps } from "./user.ts";

export interface ApiDeps extends GuardDeps, NowPlayingDeps, UserDeps {
  readonly accounts: GuardDeps["accounts"] & UserDeps["accounts"];
  readonly config: Pick<Config, "demo" | "musicPrefix" | "rateLimitSeconds">;
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
}

/** The read API: its endpoints by path, and its answers to all other requests below `/api/`. */
export function createApi(deps: ApiDeps) {
  const { baseUrl } = deps;
  const { musicPrefix, rateLimitSeconds } = deps.config;
  const answers: Readonly<Record<EndpointPath, Answer>> = {
    "/api/v1/now-playing": createNowPlaying(deps),
    "/api/v1/user": createUser(deps),
  };
  const guard = createGuard(deps);
  let description: Promise<string> | undefined;
  const describe = async (): Promise<string> => {
    const { openApiDocument } = await import("./openapi.ts");
    return JSON.stringify(openApiDocument({ baseUrl, musicPrefix, rateLimitSeconds }));
  };
  const endpoints: Record<string, Endpoint> = {
    "/api/v1/openapi.json": async () => envelope.document(await (description ??= describe())),
  };
  for (const [path, answer] of Object.entries(answers)) endpoints[path] = guard(answer, path);
  return { ...envelope, endpoints };
}
