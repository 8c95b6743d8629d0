/**
 * EventSub over WebSocket (https://dev.twitch.tv/docs/eventsub/handling-websocket-events): one socket,
 * on which nothing but pongs may be sent. Its liveness are Twitch's keepalives.
 */
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import { SocketClosed, type Upstream, UpstreamError } from "../../upstream/index.ts";
import type { UpstreamSocket } from "../../upstream/socket.ts";
import { type EventSubMessage, readMessageOf } from "./messages.ts";
import { CHAT_MESSAGES, type Subscribed } from "./subscribe.ts";

export type Notification = Extract<EventSubMessage, { kind: "notification" }>;

export interface EventSubDeps {
  readonly upstream: Pick<Upstream, "openSocket">;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "error">;
  /** Such as `wss://eventsub.wss.twitch.tv/ws`. */
  readonly url: string;
  /** A number from 0 to 1. */
  random(): number;
  /** Makes the subscriptions of a session. They move along when the session gets another socket. */
  subscribe(sessionId: string): Promise<Subscribed>;
  /** @param ageMs how old the message is */
  onNotification(notification: Notification, ageMs: number): void;
  /** Is called for a message that is not understood. */
  onUnknown(): void;
  /** Is called when the chat begins to be read, and when it is not read any more. */
  onReading(isReading: boolean): void;
}

/** Why reading has ended for good. */
export type End =
  /** Twitch has ended the subscription to the chat, with its status, or does not let it be made. */
  | { readonly kind: "revoked"; readonly status: string }
  | { readonly kind: "refused"; readonly message: string }
  /** The tokens do not work. */
  | { readonly kind: "unauthorized" }
  | { readonly kind: "aborted" };

/** Twitch sends keepalives after so long without anything else. */
const KEEPALIVE_S = 30;
const WELCOME_WITHIN_MS = 10_000;
/** Twitch's messages are small. What is larger is read all the same: the next one may be of use. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** After such a time a connection has worked, and the pauses begin anew. */
const WORKED_MS = 60_000;
/** The client has sent something; the client has not subscribed. */
const OUR_MISTAKES: readonly number[] = [4001, 4003];

/** An open socket after its welcome. */
interface Line {
  readonly socket: UpstreamSocket;
  readonly sessionId: string;
  /** A longer silence means that the connection is dead. */
  readonly silenceMs: number;
  /** This machine's monotonic time at Twitch's zero: its wall clock may be wrong, or be put right meanwhile. */
  readonly epochMs: number;
  close(): void;
}

/** What a line has led to: another socket of the same session, or its end. */
type Next =
  | { readonly kind: "moved"; readonly line: Line }
  | { readonly kind: "lost"; readonly code: number | undefined }
  | { readonly kind: "revoked"; readonly status: string };

/** Reads until the signal aborts or Twitch wants no more of it, over as many sockets as it takes. */
export async function readEvents(deps: EventSubDeps, signal: AbortSignal): Promise<End> {
  const { clock, log, random, onReading } = deps;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const beganAtMs = clock.monotonicMs();
    const session = await holdSession(deps, signal);
    onReading(false);
    if (signal.aborted) break;
    if (session.kind !== "lost") return session;
    if (clock.monotonicMs() - beganAtMs >= WORKED_MS) pauseMs = FIRST_PAUSE_MS;
    const { code, waitMs } = session;
    if (code !== undefined && OUR_MISTAKES.includes(code)) {
      log.error("Twitch has closed a connection for a mistake of ours", { code });
      pauseMs = LONGEST_PAUSE_MS;
    }
    // A random quarter is added or taken away, so that many do not come back at once.
    await clock.sleep(waitMs ?? pauseMs * (0.75 + random() / 2), signal);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
  return { kind: "aborted" };
}

type SessionEnd =
  | Exclude<End, { kind: "aborted" }>
  | { readonly kind: "lost"; readonly code: number | undefined; readonly waitMs?: number };

/** One session: a socket, its subscriptions, and the sockets that it moves to. */
async function holdSession(deps: EventSubDeps, signal: AbortSignal): Promise<SessionEnd> {
  const url = new URL(deps.url);
  url.searchParams.set("keepalive_timeout_seconds", String(KEEPALIVE_S));
  let line: Line;
  try {
    line = await openLine(deps, url, signal);
  } catch (error) {
    return { kind: "lost", code: codeOf(error) };
  }
  try {
    const subscribed = await deps.subscribe(line.sessionId);
    if (subscribed.kind === "later") return { kind: "lost", code: undefined, ...subscribed.pause };
    if (subscribed.kind !== "subscribed") return subscribed;
    deps.onReading(true);
    for (;;) {
      const next = await readLine(deps, line, signal);
      if (next.kind !== "moved") return next;
      line = next.line;
    }
  } finally {
    line.close();
  }
}

/** Reads a line until it ends, or its session has moved to another socket. */
async function readLine(deps: EventSubDeps, line: Line, signal: AbortSignal): Promise<Next> {
  let moving: Promise<Line | undefined> | undefined;
  for (;;) {
    const reading = receive(line);
    const first = await Promise.race([reading, ...(moving ? [moving] : [])]);
    if (first && "socket" in first) {
      line.close();
      // What has arrived until then can still be read.
      for (let frame = await reading; "text" in frame; frame = await receive(line)) {
        handle(readMessageOf(frame.text), line, deps);
      }
      return { kind: "moved", line: first };
    }
    if (first === undefined) moving = undefined;
    const frame = await reading;
    if ("code" in frame) {
      const moved = await moving;
      return moved ? { kind: "moved", line: moved } : { kind: "lost", code: frame.code };
    }
    const message = readMessageOf(frame.text);
    handle(message, line, deps);
    if (message?.kind === "revocation" && message.type === CHAT_MESSAGES) {
      void moving?.then((moved) => moved?.close());
      return { kind: "revoked", status: message.status };
    }
    if (message?.kind === "reconnect") moving ??= openMoved(deps, message.url, signal);
  }
}

function handle(message: EventSubMessage | undefined, line: Line, deps: EventSubDeps): void {
  if (message?.kind === "notification") {
    deps.onNotification(message, deps.clock.monotonicMs() - line.epochMs - message.sentAtMs);
  } else if (message === undefined || message.kind === "other") deps.onUnknown();
}

/** The next frame, or why there is none. */
async function receive({ socket, silenceMs }: Line) {
  try {
    const text = await socket.receive(silenceMs);
    return text === undefined ? { code: undefined } : { text };
  } catch (error) {
    return { code: codeOf(error) };
  }
}

/** The socket that Twitch asks to move to; `undefined` if it cannot be used. */
async function openMoved(
  deps: EventSubDeps,
  address: string,
  signal: AbortSignal,
): Promise<Line | undefined> {
  try {
    return isTwitchs(address, deps.url) ? await openLine(deps, address, signal) : undefined;
  } catch {
    // The address holds a challenge, which must not be logged. Twitch closes the old socket soon.
    return undefined;
  }
}

/** Another host could read along. */
function isTwitchs(address: string, own: string): boolean {
  const url = URL.parse(address);
  const { protocol, hostname, host } = new URL(own);
  const isBelow = url?.hostname === hostname || url?.hostname.endsWith(`.${hostname}`) === true;
  return url?.protocol === protocol && (protocol === "wss:" ? isBelow : url.host === host);
}

/** Opens a socket and waits for its welcome. @throws {UpstreamError} without one */
async function openLine(
  { upstream, clock }: EventSubDeps,
  address: string | URL,
  signal: AbortSignal,
): Promise<Line> {
  // Addresses of sockets are opened as those of pages are.
  const url = String(address).replace(/^ws/, "http");
  const options = { signal, largestBytes: LARGEST_BYTES, withoutPings: true } as const;
  const socket = await upstream.openSocket(url, options);
  const giveUpAtMs = clock.monotonicMs() + WELCOME_WITHIN_MS;
  try {
    for (;;) {
      const leftMs = giveUpAtMs - clock.monotonicMs();
      const text = leftMs > 0 ? await socket.receive(leftMs) : undefined;
      if (text === undefined) throw new UpstreamError("Twitch sent no welcome");
      const message = readMessageOf(text);
      if (message?.kind !== "welcome") continue;
      const { sessionId, keepaliveMs, sentAtMs } = message;
      return {
        socket,
        sessionId,
        silenceMs: keepaliveMs * 1.2 + 2_000,
        epochMs: clock.monotonicMs() - sentAtMs,
        close: socket.close,
      };
    }
  } catch (error) {
    socket.close();
    throw error;
  }
}

const codeOf = (error: unknown): number | undefined =>
  error instanceof SocketClosed ? error.code : undefined;
