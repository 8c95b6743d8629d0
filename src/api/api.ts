import type { Config } from "../config.ts";
import type { Events, EventsDeps, EventsSocket } from "./events.ts";
import * as envelope from "./envelope.ts";
import { type Answer, createGuard, type Endpoint, type GuardDeps } from "./guard.ts";
import { createNowPlaying, type NowPlayingDeps } from "./now-playing.ts";
import type { EndpointPath } from "./schema.ts";
import type { RecentlyPlayedDeps } from "./recently-played.ts";
import { createUser, type UserDeps } from "./user.ts";

export interface ApiDeps
  extends GuardDeps, NowPlayingDeps, EventsDeps, RecentlyPlayedDeps, UserDeps {
  readonly accounts: GuardDeps["accounts"] &
    EventsDeps["accounts"] &
    RecentlyPlayedDeps["accounts"] &
    UserDeps["accounts"];
  readonly hub: NowPlayingDeps["hub"] & EventsDeps["hub"] & RecentlyPlayedDeps["hub"];
  readonly clock: GuardDeps["clock"];
  readonly config: Pick<Config, "demo" | "musicPrefix" | "rateLimitSeconds">;
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
}

/** The streams that are open now. */
export interface ApiStreams {
  opened(socket: EventsSocket): void;
  closed(socket: EventsSocket): void;
  /** Closes the streams, of one user or of all, whose key has ended. */
  followChanges(userId?: number): Promise<void>;
  /** Ends every stream in a way that makes its client reconnect. */
  stop(): void;
}

/** The read API: its endpoints by path, and its answers to all other requests below `/api/`. */
export function createApi(deps: ApiDeps) {
  const { baseUrl } = deps;
  const { musicPrefix, rateLimitSeconds } = deps.config;
  // Loaded with the first stream, so that it takes no memory where nobody uses it.
  let events: Events | undefined;
  const loadEvents = async () => {
    const { createEvents } = await import("./events.ts");
    return (events ??= createEvents(deps));
  };
  let recentlyPlayed: Answer | undefined;
  const loadRecentlyPlayed = async () => {
    const { createRecentlyPlayed } = await import("./recently-played.ts");
    return (recentlyPlayed ??= createRecentlyPlayed(deps));
  };
  const streams: ApiStreams = {
    opened: (socket) => events?.opened(socket),
    closed: (socket) => events?.closed(socket),
    followChanges: async (userId) => events?.followKeys(userId),
    stop: () => events?.stop(),
  };
  const answers: Readonly<Record<EndpointPath, Answer>> = {
    "/api/v1/now-playing": createNowPlaying(deps),
    "/api/v1/now-playing/events": async (...call) => (await loadEvents()).open(...call),
    "/api/v1/recently-played": async (...call) => (await loadRecentlyPlayed())(...call),
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
  return { ...envelope, endpoints, streams };
}
