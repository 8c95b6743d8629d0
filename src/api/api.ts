import { type Feature, hot, once, options, socket, socketsOf } from "../http/feature.ts";
import type { Events, EventsDeps, EventsTicket } from "./events.ts";
import * as envelope from "./envelope.ts";
import { type KeyedAnswer, createGuard, type Handler, type GuardDeps } from "./guard.ts";
import { createNowPlaying, type NowPlayingDeps } from "./now-playing.ts";
import type { EndpointPath } from "./schema.ts";
import type { RecentlyPlayedDeps } from "./recently-played.ts";
import { createUser, type UserDeps } from "./user.ts";

export type ApiDeps = GuardDeps & NowPlayingDeps & EventsDeps & RecentlyPlayedDeps & UserDeps;

/** The read API: its endpoints, and its streams. */
export function createApiFeature(deps: ApiDeps): Feature {
  const { baseUrl } = deps;
  const { musicPrefix, rateLimitSeconds } = deps.config;
  // Loaded with the first stream, so that it takes no memory where nobody uses it.
  let streams: Events | undefined;
  const loadStreams = async () => {
    const { createEvents } = await import("./events.ts");
    return (streams ??= createEvents(deps));
  };
  const recentlyPlayed = once(async () =>
    (await import("./recently-played.ts")).createRecentlyPlayed(deps),
  );
  const charged =
    (load: () => Promise<KeyedAnswer>): KeyedAnswer =>
    async (holder, ...call) => {
      const answer = await load();
      return deps.budget.spend(holder.user.id, () => answer(holder, ...call));
    };
  const user = createUser(deps);
  const answers: Readonly<Record<EndpointPath, KeyedAnswer>> = {
    // It takes less time than measuring it would.
    "/api/v1/now-playing": createNowPlaying(deps),
    "/api/v1/now-playing/events": charged(async () => (await loadStreams()).open),
    "/api/v1/recently-played": charged(recentlyPlayed),
    "/api/v1/user": charged(async () => user),
  };
  const guard = createGuard(deps);
  const description = once(async () => {
    const { openApiDocument } = await import("./openapi.ts");
    return JSON.stringify(openApiDocument({ baseUrl, musicPrefix, rateLimitSeconds }));
  });
  const endpoints: readonly (readonly [path: string, handler: Handler])[] = [
    ["/api/v1/openapi.json", async () => envelope.document(await description())],
    ...Object.entries(answers).map(([path, answer]) => [path, guard(answer)] as const),
  ];
  return {
    routes: endpoints.flatMap(([path, handler]) => [
      // A client of events may ask for a WebSocket.
      hot(socket(path, handler)),
      options(path, envelope.preflight),
    ]),
    sockets: socketsOf<EventsTicket>("events", {
      opened: (one) => streams?.opened(one),
      closed: (one) => streams?.closed(one),
    }),
    // Closes the streams whose key has ended.
    async follow({ userId, concerns }) {
      if (concerns("users", "keys")) await streams?.followKeys(userId);
    },
    stop: () => streams?.stop(),
  };
}
