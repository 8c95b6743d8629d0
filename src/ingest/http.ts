import { atMost, type Clock } from "../clock.ts";
import type { RouteContext } from "../http/route-context.ts";
import { decodeText } from "../decode-text.ts";
import type { Admission } from "./guard.ts";

/** A route's handler. */
export type PushRoute = (context: RouteContext) => Promise<Response> | Response;

/** Pages and browser scripts may push: a secret in the request opens the inbox, never a cookie. */
const HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Access-Control-Allow-Origin": "*",
} as const;

type ExtraHeaders = Readonly<Record<string, string>>;

export const answerJson = (status: number, body: unknown, extra?: ExtraHeaders): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { ...HEADERS, "Content-Type": "application/json; charset=utf-8", ...extra },
  });

export const failure = (status: number, error: string, extra?: ExtraHeaders): Response =>
  answerJson(status, { success: false, error }, extra);

/** The answer to a secret that does not open the inbox, or not now. */
export const refusalOf = (admission: Exclude<Admission, { kind: "admitted" }>): Response =>
  admission.kind === "wrong"
    ? failure(401, "Invalid secret")
    : failure(429, admission.reason, { "Retry-After": String(admission.waitSeconds) });

export const answerText = (body: string, extra?: ExtraHeaders): Response =>
  new Response(body, {
    headers: { ...HEADERS, "Content-Type": "text/plain; charset=utf-8", ...extra },
  });

/** The answer to a CORS preflight request. */
export const preflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...HEADERS,
      "Access-Control-Allow-Methods": "GET, POST",
      // The wildcard does not include Authorization.
      "Access-Control-Allow-Headers": "*, Authorization",
      // Chromium asks this of servers on this machine: https://wicg.github.io/private-network-access
      "Access-Control-Allow-Private-Network": "true",
      "Access-Control-Max-Age": "86400",
    },
  });

/** What a request is for that a page, a script or a person makes on purpose. */
const DELIBERATE = ["empty", "document", "websocket"];

/**
 * Whether a page loads this address as one of its parts, such as a picture, a style or a font. The
 * CSS of a stranger's look could do that in a streamer's browser, and reveal something to the stranger.
 * Programs other than browsers do not say what a request is for.
 * https://w3c.github.io/webappsec-fetch-metadata/#sec-fetch-dest-header
 */
export function isPartOfPage({ method, headers }: Request): boolean {
  const destination = headers.get("sec-fetch-dest");
  return method === "GET" && destination !== null && !DELIBERATE.includes(destination);
}

export const PART_OF_PAGE =
  "A page cannot push by loading this address as a picture, a style or a font: open it, or call it from a script";

export const LARGEST_BODY_BYTES = 64 * 1024;
/** Otherwise whoever sends slowly could have any number of bodies kept. */
const LONGEST_BODY_MS = 10_000;

/** What a body says, or why it was not read. */
export type Body = { readonly text: string } | { readonly refusal: Refusal };

interface Refusal {
  readonly status: 413 | 408;
  readonly what: string;
  readonly headers?: ExtraHeaders;
}

/** Reads a body as text, whatever its type says but its charset, and no more of it than is allowed. */
export async function bodyOf(request: Request, clock: Pick<Clock, "after">): Promise<Body> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > LARGEST_BODY_BYTES) return TOO_LARGE;
  return (await atMost(clock, LONGEST_BODY_MS, read(request))) ?? TOO_SLOW;
}

async function read({ body, headers }: Request): Promise<Body> {
  const received = new Bun.ArrayBufferSink();
  let bytes = 0;
  try {
    for await (const part of body ?? []) {
      bytes += part.length;
      if (bytes > LARGEST_BODY_BYTES) return TOO_LARGE;
      received.write(part);
    }
  } catch {
    // The connection has ended, so nobody gets this answer.
    return TOO_SLOW;
  }
  return { text: decodeText(new Uint8Array(received.end()), headers.get("content-type")) };
}

/**
 * Bun drops the rest. If it closed the connection, a proxy that is still sending would answer 502 in our
 * place, and other programs would fail to send.
 */
const TOO_LARGE: Body = { refusal: { status: 413, what: "is larger than 64 KiB" } };
/** The rest is not waited for. */
const TOO_SLOW: Body = {
  refusal: {
    status: 408,
    what: "did not arrive within 10 seconds",
    headers: { Connection: "close" },
  },
};
