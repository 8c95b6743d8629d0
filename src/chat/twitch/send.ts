import { isRecord, numberOf, textOf } from "../../upstream/json.ts";
import { answeredAtMs, retryAfterMsOf } from "../../upstream/retry-after.ts";
import { readMessage } from "./answers.ts";
import { dataIn, type Helix, type TwitchAnswer } from "./helix.ts";
import type { TwitchSettings } from "./settings.ts";

export interface Line {
  readonly text: string;
  /** The chat message that it replies to. */
  readonly replyTo?: string | undefined;
}

/** What became of a line. */
export type Sent =
  | { readonly kind: "sent"; readonly messageId: string }
  /** Twitch has taken it and does not show it, for a reason in its own words. */
  | { readonly kind: "dropped"; readonly message: string }
  /** The same text has just been sent. */
  | { readonly kind: "repeated" }
  /** The access token does not work. */
  | { readonly kind: "unauthorized" }
  /** The account may not talk there. */
  | { readonly kind: "forbidden"; readonly message: string }
  /** Nothing may be sent for so long. */
  | { readonly kind: "limited"; readonly message: string; readonly waitMs: number }
  | { readonly kind: "refused"; readonly message: string }
  /** It may be in chat. It must not be sent again. */
  | { readonly kind: "uncertain" };

/** A pause where Twitch does not say how long it is, and the longest that counts. */
const LONGEST_PAUSE_MS = 1_800_000;

/** `POST /helix/chat/messages`. A line whose parent is gone is sent once more as no reply. */
export function createSend(helix: Helix, wallMs: () => number) {
  return async (settings: TwitchSettings, { text: message, replyTo }: Line): Promise<Sent> => {
    const body = { broadcaster_id: settings.channelId, sender_id: settings.userId, message };
    const reply = replyTo !== undefined && { reply_parent_message_id: replyTo };
    let answer = await helix(settings, "/chat/messages", { ...body, ...reply });
    const isParentGone = /cannot be replied to/i.test(readMessage(answer?.text ?? ""));
    if (answer?.status === 400 && isParentGone && reply) {
      answer = await helix(settings, "/chat/messages", body);
    }
    return answer ? readSent(answer, wallMs()) : { kind: "uncertain" };
  };
}

function readSent(answer: TwitchAnswer, wallMs: number): Sent {
  const { status, headers } = answer;
  const message = readMessage(answer.text) || `HTTP ${status}`;
  if (status === 200) return readOutcome(answer);
  if (status === 401) return { kind: "unauthorized" };
  if (status === 403) return { kind: "forbidden", message };
  if (status === 429) {
    const nowMs = answeredAtMs(headers, wallMs);
    const resetS = numberOf(headers.get("ratelimit-reset"));
    const waitMs =
      resetS === undefined
        ? retryAfterMsOf(headers.get("retry-after"), nowMs)
        : resetS * 1000 - nowMs;
    return {
      kind: "limited",
      message,
      waitMs: Math.min(Math.max(waitMs, 1_000), LONGEST_PAUSE_MS),
    };
  }
  return status >= 500 ? { kind: "uncertain" } : { kind: "refused", message };
}

/** 200 does not mean that it is in chat. */
function readOutcome(answer: TwitchAnswer): Sent {
  const [data] = dataIn(answer) ?? [];
  if (!isRecord(data)) return { kind: "uncertain" };
  const messageId = textOf(data["message_id"]);
  if (data["is_sent"] === true && messageId) return { kind: "sent", messageId };
  const reason = data["drop_reason"];
  // The codes are an open set, which Twitch does not document.
  const code = isRecord(reason) ? (textOf(reason["code"]) ?? "") : "";
  if (/duplicate/i.test(code)) return { kind: "repeated" };
  const words = isRecord(reason) ? textOf(reason["message"]) : undefined;
  return { kind: "dropped", message: (words ?? code).slice(0, 300).toWellFormed() };
}
