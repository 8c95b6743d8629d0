import { toData } from "../api/playing-json.ts";
import { artistNames, type Artwork } from "../playback.ts";
import type { Hook } from "./store.ts";
import type { SongEvent } from "./song-events.ts";

/** What one try sends. */
export interface HookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An event with what stays the same in each try. */
export interface NumberedEvent extends SongEvent {
  /** Names the event in all its tries. */
  readonly id: string;
  /** When it happened, in Unix milliseconds. */
  readonly at: number;
}

/** What a test sends: that nothing plays. */
export const testEvent = (at: number): NumberedEvent => ({
  type: "playback.stopped",
  playback: null,
  id: `msg_test${at}`,
  at,
});

export interface MessageContext {
  readonly nowMonotonicMs: number;
  readonly nowWallMs: number;
  artworkUrl(artwork: Artwork): string;
}

/** As https://www.standardwebhooks.com describes it, or as Streamer.bot wants it. */
export function messageOf(hook: Hook, event: NumberedEvent, context: MessageContext): HookMessage {
  const json = { "Content-Type": "application/json" };
  if (hook.action !== null) {
    return { headers: json, body: bodyOf(streamerBotBody(hook.action, event)) };
  }
  const { playback } = event;
  const data =
    playback && toData(playback, context.nowMonotonicMs, (artwork) => context.artworkUrl(artwork));
  const body = bodyOf({ type: event.type, timestamp: new Date(event.at).toISOString(), data });
  const timestamp = String(Math.floor(context.nowWallMs / 1_000));
  return {
    headers: {
      ...json,
      "webhook-id": event.id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatureOf(hook.secret, `${event.id}.${timestamp}.${body}`),
    },
    body,
  };
}

/** Standard Webhooks asks for bodies below 20 KB. */
const MOST_BODY_BYTES = 20_000;
/** Code points that texts may have: the first with which a body is small enough. */
const LONGEST_TEXTS: readonly number[] = [Infinity, 1_000, 300, 100];

/** As JSON. Of what would be too large, long texts are cut, and pictures with long addresses left out. */
function bodyOf(content: object, [longest = 0, ...shorter] = LONGEST_TEXTS): string {
  const body = JSON.stringify(content, (name, value: unknown) => {
    if (name === "images" && Array.isArray(value)) {
      return value.filter(({ url }: { url: string }) => url.length <= longest);
    }
    const isLong = typeof value === "string" && value.length > longest;
    return isLong ? Array.from(value).slice(0, longest).join("") : value;
  });
  const isSmall = Buffer.byteLength(body) < MOST_BODY_BYTES || shorter.length === 0;
  return isSmall ? body : bodyOf(content, shorter);
}

/** https://docs.streamer.bot/api/http/requests/do-action */
function streamerBotBody(action: string, { type, playback }: SongEvent) {
  return {
    action: { name: action },
    args: {
      event: type,
      title: playback?.track.title ?? "",
      artist: playback ? artistNames(playback) : "",
      album: playback?.album.name ?? "",
    },
  };
}

/** `v1,` and the base64 of HMAC-SHA256 under the secret's bytes. */
export function signatureOf(secret: string, content: string): string {
  const key = Uint8Array.fromBase64(secret.replace(/^whsec_/, ""));
  return `v1,${new Bun.CryptoHasher("sha256", key).update(content).digest("base64")}`;
}
