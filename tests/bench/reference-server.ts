/**
 * Minimal servers, the references for all measurements: `reference-server PORT [BODY [RUNG]]`. Each
 * rung of the ladder does one thing more than the one before. The first one is the reference.
 */
const [port, body = "ok", rung = "empty"] = process.argv.slice(2);
const path = "/api/v1/now-playing";

const headers = new Headers({
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "RateLimit, RateLimit-Policy, Retry-After",
});
const middle = body.length >> 1;
let answers = 0;
/** A body that no answer had before, of about the same size. */
const freshBody = () => body.slice(0, middle) + ++answers + body.slice(middle);

const rungs: Record<string, (request: Request) => Response> = {
  "+ one header is read": (request) => {
    request.headers.get("x-api-key");
    return new Response(body);
  },
  "+ two headers are read": (request) => {
    request.headers.get("host");
    request.headers.get("x-api-key");
    return new Response(body);
  },
  "+ the API's headers": (request) => {
    request.headers.get("host");
    request.headers.get("x-api-key");
    return new Response(body, { headers });
  },
  "+ a fresh body": (request) => {
    request.headers.get("host");
    request.headers.get("x-api-key");
    return new Response(freshBody(), { headers });
  },
};

/** Loaded only for its own rung: the memory of the others must not contain it. */
const elysia = async () => {
  const { Elysia } = await import("elysia");
  return new Elysia().get(path, () => new Response(body)).fetch;
};
const answer = rungs[rung];
Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  ...(answer && { routes: { [path]: { GET: answer } } }),
  fetch: rung === "Elysia instead" ? await elysia() : () => new Response(body),
});
