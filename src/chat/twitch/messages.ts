import { jsonIn } from "../../decode-text.ts";
import { isRecord, numberOf, textOf } from "../../upstream/json.ts";

/** A message of EventSub over WebSocket. */
export type EventSubMessage = {
  /** Repeated when a message is delivered again. */
  readonly id: string;
  /** When it was sent, as Unix time in milliseconds of Twitch's clock. */
  readonly sentAtMs: number;
} & (
  | { readonly kind: "welcome"; readonly sessionId: string; readonly keepaliveMs: number }
  | { readonly kind: "keepalive" }
  | { readonly kind: "notification"; readonly type: string; readonly event: Event }
  | { readonly kind: "reconnect"; readonly url: string }
  | { readonly kind: "revocation"; readonly type: string; readonly status: string }
  /** Of a type that is not known. */
  | { readonly kind: "other" }
);

type Event = Readonly<Record<string, unknown>>;

const USUAL_KEEPALIVE_S = 10;

/** Reads a frame; `undefined` when it is no such message. */
export function readMessageOf(frame: string): EventSubMessage | undefined {
  const body = jsonIn(frame);
  if (!isRecord(body) || !isRecord(body["metadata"])) return undefined;
  const { metadata } = body;
  const payload = isRecord(body["payload"]) ? body["payload"] : {};
  const session = isRecord(payload["session"]) ? payload["session"] : {};
  const id = textOf(metadata["message_id"]);
  const sentAtMs = Date.parse(textOf(metadata["message_timestamp"]) ?? "");
  if (id === undefined || Number.isNaN(sentAtMs)) return undefined;
  const head = { id, sentAtMs };
  const subscription = isRecord(payload["subscription"]) ? payload["subscription"] : {};
  const type = textOf(metadata["subscription_type"]) ?? textOf(subscription["type"]) ?? "";
  switch (metadata["message_type"]) {
    case "session_welcome": {
      const sessionId = textOf(session["id"]);
      const keepaliveS = numberOf(session["keepalive_timeout_seconds"]) ?? USUAL_KEEPALIVE_S;
      return sessionId
        ? { ...head, kind: "welcome", sessionId, keepaliveMs: keepaliveS * 1000 }
        : undefined;
    }
    case "session_keepalive":
      return { ...head, kind: "keepalive" };
    case "session_reconnect": {
      const url = textOf(session["reconnect_url"]);
      return url ? { ...head, kind: "reconnect", url } : undefined;
    }
    case "notification": {
      const { event } = payload;
      return isRecord(event) ? { ...head, kind: "notification", type, event } : undefined;
    }
    case "revocation":
      return { ...head, kind: "revocation", type, status: textOf(subscription["status"]) ?? "" };
    default:
      return { ...head, kind: "other" };
  }
}
