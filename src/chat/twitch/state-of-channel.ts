import { dataIn, type Helix } from "./helix.ts";
import type { TwitchSettings } from "./settings.ts";

/** Whether a channel's stream is live; `undefined` if Twitch does not say. */
export const isChannelLive = (helix: Helix, settings: TwitchSettings) =>
  hasAny(helix, settings, `/streams?user_id=${encodeURIComponent(settings.channelId)}`);

/** Whether a channel shares its chat with others; `true` also if Twitch does not say. */
export async function isChatShared(helix: Helix, settings: TwitchSettings): Promise<boolean> {
  const id = encodeURIComponent(settings.channelId);
  return (await hasAny(helix, settings, `/shared_chat/session?broadcaster_id=${id}`)) ?? true;
}

/** Whether there is anything in the `data` of an answer. */
async function hasAny(
  helix: Helix,
  settings: TwitchSettings,
  path: string,
): Promise<boolean | undefined> {
  const answer = await helix(settings, path);
  const data = answer?.status === 200 ? dataIn(answer) : undefined;
  return data && data.length > 0;
}
