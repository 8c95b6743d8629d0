/** Headers of every API answer. */
const COMMON_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "RateLimit, RateLimit-Policy, Retry-After",
} as const;

export type ExtraHeaders = Readonly<Record<string, string>>;

/**
 * The headers of an API answer. A `Headers` object that was built once is copied three times faster
 * than a record is read, so answers that are often sent share theirs.
 */
export const apiHeaders = (extra?: ExtraHeaders): Headers =>
  new Headers({ ...COMMON_HEADERS, ...extra });

const commonHeaders = apiHeaders();

/** `{"success":true,"data":…}` */
export const success = (data: unknown, headers?: Headers): Response =>
  document(JSON.stringify({ success: true, data }), headers);

/** `{"success":false,"error":…}`. The message is public: it contains no details and no secrets. */
export const failure = (status: number, error: string, extra?: ExtraHeaders): Response =>
  new Response(failureBody(error), { status, headers: extra ? apiHeaders(extra) : commonHeaders });

export const failureBody = (error: string): string => JSON.stringify({ success: false, error });

/** A JSON document that is ready to be sent, with the API's headers. */
export const document = (body: string, headers = commonHeaders): Response =>
  new Response(body, { headers });

export const notFound = (): Response => failure(404, "Not found");
export const internalError = (): Response => failure(500, "Internal server error");
/** The answer while the database cannot be used, see `isPassing` of `db/errors.ts`. */
export const busy = (): Response =>
  failure(503, "The server is busy: try again", { "Retry-After": "1" });

/** @param allowed the methods that the path has */
export const methodNotAllowed = (allowed: string): Response =>
  failure(405, "Method not allowed", { Allow: allowed });

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
