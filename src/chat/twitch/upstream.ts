import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { createUpstream, type Network } from "../../upstream/index.ts";
import { createHelix } from "./helix.ts";
import { createTwitchId } from "./id.ts";

export interface TwitchDeps {
  readonly clock: Pick<Clock, "after">;
  readonly config: Pick<Config, "twitchIdUrl" | "twitchApiUrl" | "twitchEventsubUrl">;
  readonly network: Network;
}

/** What asks Twitch. */
export function createTwitch({ clock, config, network }: TwitchDeps) {
  const { twitchIdUrl: idUrl, twitchApiUrl, twitchEventsubUrl } = config;
  const places = [idUrl, twitchApiUrl, twitchEventsubUrl.replace(/^ws/, "http")];
  const trustedOrigins = places.map((url) => new URL(url).origin);
  const upstream = createUpstream({ clock, trustedOrigins, network });
  return {
    upstream,
    id: createTwitchId({ upstream, idUrl }),
    helix: createHelix(upstream, twitchApiUrl),
  };
}
