import { NOT_STORED } from "./delivery.ts";
import type { Admission } from "./door.ts";

/** A route's handler. */
export type PushRoute = (context: PushContext) => Promise<Response> | Response;

export interface PushContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | undefined>>;
}

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

/** The answer when a message may be lost. */
export const notStored = (): Response => failure(503, NOT_STORED, { "Retry-After": "1" });

export const answerText = (body: string): Response =>
  new Response(body, { headers: { ...HEADERS, "Content-Type": "text/plain; charset=utf-8" } });

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

export const LARGEST_BODY_BYTES = 64 * 1024;

/** The body as text, whatever its type says; `undefined` when it is too large. */
export async function bodyOf(request: Request): Promise<string | undefined> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > LARGEST_BODY_BYTES) return undefined;
  // It rejects when the body grows past the server's own limit, or the connection ends.
  const bytes = await request.bytes().catch(() => undefined);
  return bytes === undefined || bytes.length > LARGEST_BODY_BYTES
    ? undefined
    : new TextDecoder().decode(bytes);
}
