import { type Upstream, UpstreamError } from "../../sources/upstream/index.ts";
import { readMessage } from "./answers.ts";
import { helixHeaders } from "./send.ts";
import type { TwitchSettings } from "./settings.ts";

/** What became of a subscription. */
export type Subscribed =
  | { readonly kind: "subscribed" }
  | { readonly kind: "unauthorized" }
  /** Twitch does not allow it, in its own words. */
  | { readonly kind: "refused"; readonly message: string }
  /** It may succeed with another session, after the pause if there is one. */
  | { readonly kind: "later"; readonly pause?: { readonly waitMs: number } };

/** After a lost connection Twitch counts it for minutes (https://github.com/twurple/twurple/issues/616). */
const TOO_MANY_PAUSE_MS = 60_000;

export interface SubscribeDeps {
  readonly upstream: Pick<Upstream, "fetch">;
  /** Such as `https://api.twitch.tv/helix`. */
  readonly apiUrl: string;
}

/** What an account may follow: the messages of its chat, and whether the stream is live. */
export type EventType = "channel.chat.message" | "stream.online" | "stream.offline";

/** Subscribes a session to events of the account's channel. */
export async function subscribeTo(
  type: EventType,
  { upstream, apiUrl }: SubscribeDeps,
  { channelId, userId, ...settings }: TwitchSettings,
  sessionId: string,
): Promise<Subscribed> {
  const isChat = type === "channel.chat.message";
  const body = {
    type,
    version: "1",
    condition: { broadcaster_user_id: channelId, ...(isChat && { user_id: userId }) },
    transport: { method: "websocket", session_id: sessionId },
  };
  try {
    const response = await upstream.fetch(`${apiUrl}/eventsub/subscriptions`, {
      method: "POST",
      headers: { ...helixHeaders(settings), "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { status } = response;
    // 409: there is such a subscription already.
    if (status === 202 || status === 409) return { kind: "subscribed" };
    if (status === 401) return { kind: "unauthorized" };
    if (status === 403 || status === 410) {
      return { kind: "refused", message: readMessage(await response.text()) };
    }
    return status === 429
      ? { kind: "later", pause: { waitMs: TOO_MANY_PAUSE_MS } }
      : { kind: "later" };
  } catch (error) {
    if (error instanceof UpstreamError) return { kind: "later" };
    throw error;
  }
}
