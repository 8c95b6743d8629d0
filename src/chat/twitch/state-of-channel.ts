import { type Upstream, UpstreamError } from "../../sources/upstream/index.ts";
import { isRecord, jsonIn } from "../../sources/upstream/json.ts";
import { helixHeaders } from "./send.ts";
import type { TwitchSettings } from "./settings.ts";

export interface ChannelDeps {
  readonly upstream: Pick<Upstream, "fetch">;
  /** Such as `https://api.twitch.tv/helix`. */
  readonly apiUrl: string;
}

/** Whether a channel's stream is live; `undefined` if Twitch does not say. */
export const isChannelLive = (deps: ChannelDeps, settings: TwitchSettings) =>
  hasAny(deps, settings, `/streams?user_id=${encodeURIComponent(settings.channelId)}`);

/** Whether a channel shares its chat with others; `true` also if Twitch does not say. */
export async function isChatShared(deps: ChannelDeps, settings: TwitchSettings): Promise<boolean> {
  const id = encodeURIComponent(settings.channelId);
  return (await hasAny(deps, settings, `/shared_chat/session?broadcaster_id=${id}`)) ?? true;
}

/** Whether there is anything in the `data` of an answer. */
async function hasAny(
  { upstream, apiUrl }: ChannelDeps,
  settings: TwitchSettings,
  path: string,
): Promise<boolean | undefined> {
  try {
    const response = await upstream.fetch(apiUrl + path, { headers: helixHeaders(settings) });
    const body = jsonIn(await response.text());
    const data = isRecord(body) ? body["data"] : undefined;
    return response.ok && Array.isArray(data) ? data.length > 0 : undefined;
  } catch (error) {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  }
}
