import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { createUpstream, type Network, type Upstream } from "../../upstream/index.ts";

/** Where Twitch is. */
export type TwitchPlaces = Pick<Config, "twitchIdUrl" | "twitchApiUrl" | "twitchEventsubUrl">;

export function createTwitchUpstream(
  clock: Pick<Clock, "after">,
  { twitchIdUrl, twitchApiUrl, twitchEventsubUrl }: TwitchPlaces,
  network: Network,
): Upstream {
  const places = [twitchIdUrl, twitchApiUrl, twitchEventsubUrl.replace(/^ws/, "http")];
  const trustedOrigins = places.map((url) => new URL(url).origin);
  return createUpstream({ clock, trustedOrigins, network });
}
