import { readMessage } from "./answers.ts";
import type { Helix } from "./helix.ts";
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

/** Without these an account has nothing to read. */
export const CHAT_MESSAGES = "channel.chat.message";

/** What an account may follow: the messages of its chat, and whether the stream is live. */
export type EventType = typeof CHAT_MESSAGES | "stream.online" | "stream.offline";

/** Subscribes a session to events of the account's channel. */
export async function subscribeTo(
  type: EventType,
  helix: Helix,
  settings: TwitchSettings,
  sessionId: string,
): Promise<Subscribed> {
  const { channelId, userId } = settings;
  const isChat = type === CHAT_MESSAGES;
  const answer = await helix(settings, "/eventsub/subscriptions", {
    type,
    version: "1",
    condition: { broadcaster_user_id: channelId, ...(isChat && { user_id: userId }) },
    transport: { method: "websocket", session_id: sessionId },
  });
  switch (answer?.status) {
    case 202:
    // There is such a subscription already.
    case 409:
      return { kind: "subscribed" };
    case 401:
      return { kind: "unauthorized" };
    case 403:
    case 410:
      return { kind: "refused", message: readMessage(answer.text) };
    case 429:
      return { kind: "later", pause: { waitMs: TOO_MANY_PAUSE_MS } };
    default:
      return { kind: "later" };
  }
}
