import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { createUpstream, type Network, type Upstream } from "../../upstream/index.ts";
import { createHelix, type Helix } from "./helix.ts";
import { createTwitchId, type TwitchId } from "./id.ts";

export interface TwitchDeps {
  readonly clock: Pick<Clock, "after">;
  readonly config: Pick<Config, "twitchIdUrl" | "twitchApiUrl" | "twitchEventsubUrl">;
  readonly network: Network;
}

/** What asks Twitch. */
export interface Twitch {
  readonly upstream: Upstream;
  readonly id: TwitchId;
  readonly helix: Helix;
}

export function createTwitch({ clock, config, network }: TwitchDeps): Twitch {
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
