/** Headers of every API answer. */
const COMMON_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "RateLimit, RateLimit-Policy, Retry-After",
} as const;

/** Built once: copying a Headers object is cheaper than reading a record for every answer. */
const commonHeaders = new Headers(COMMON_HEADERS);

export type ExtraHeaders = Readonly<Record<string, string>>;

/** `{"success":true,"data":…}`, with `meta` when there is any. */
export function success(data: unknown, meta?: unknown, extra?: ExtraHeaders): Response {
  const envelope = meta === undefined ? { success: true, data } : { success: true, data, meta };
  return answer(200, envelope, extra);
}

/** `{"success":false,"error":…}`. The message is public: it contains no details and no secrets. */
export function failure(status: number, error: string, extra?: ExtraHeaders): Response {
  return answer(status, { success: false, error }, extra);
}

/** A JSON document without the envelope, with the API's headers. */
export function document(body: string): Response {
  return new Response(body, { headers: commonHeaders });
}

export const notFound = (): Response => failure(404, "Not found");
export const internalError = (): Response => failure(500, "Internal server error");
/** The answer when another process has locked the database for too long. */
export const busy = (): Response =>
  failure(503, "The server is busy: try again", { "Retry-After": "1" });

const ALLOWED_METHODS = "GET, HEAD, OPTIONS";

export const methodNotAllowed = (): Response =>
  failure(405, "Method not allowed", { Allow: ALLOWED_METHODS });

/** The answer to a CORS preflight request. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...COMMON_HEADERS,
      "Access-Control-Allow-Methods": "GET, HEAD",
      "Access-Control-Allow-Headers": "X-Api-Key",
      "Access-Control-Max-Age": "86400",
    },
  });
}

function answer(status: number, body: unknown, extra: ExtraHeaders | undefined): Response {
  const headers = extra ? { ...COMMON_HEADERS, ...extra } : commonHeaders;
  return new Response(JSON.stringify(body), { status, headers });
}
