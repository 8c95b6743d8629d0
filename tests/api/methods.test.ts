import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { ENDPOINT_PATHS } from "../fixtures/http/api-description.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { openPort } from "../fixtures/servers/real-port.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const NOW_PLAYING = "/api/v1/now-playing";
const USER = "/api/v1/user";
const DESCRIPTION = "/api/v1/openapi.json";
const PATHS = [...ENDPOINT_PATHS, DESCRIPTION];

let server: TestServer;
let ada: AddedUser;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(aPlayback());
});
afterEach(() => server.close());

describe("a path below /api/ that does not exist", () => {
  test.each([
    "/api/",
    "/api/v1",
    "/api/v1/",
    "/api/v2/now-playing",
    "/api/v1/now-playing/more",
    "/api/v1/Now-Playing",
    "/api/v1/__proto__",
    "/api/widget/mqw_x",
    "/api/widget/mqw_x/live",
    "/api/v1/%00",
    "/api/v1/..%2f..%2flivez",
  ])("is answered 404 with an envelope: %s", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const response = await server.get(path, { method });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ success: false, error: "Not found" });
    }
  });
});

describe.each(PATHS)("%s", (path) => {
  test("does not allow a POST whose body is no JSON either", async () => {
    const headers = { "content-type": "application/json" };
    const response = await server.getAs(ada, path, { method: "POST", body: "{", headers });
    expect(response.status).toBe(405);
  });

  test("lets other sites' pages call", async () => {
    const response = await server.get(path, {
      method: "OPTIONS",
      headers: {
        origin: "https://example.org",
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-api-key",
      },
    });
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-headers")).toBe("X-Api-Key");
    expect(response.headers.get("access-control-allow-methods")).toBe("GET, HEAD");
  });
});

describe("HEAD", () => {
  const withoutTime = (headers: Headers) =>
    [...headers].filter(([name]) => name !== "date").toSorted();

  test.each([
    ...PATHS.map((path) => [path, 200, true] as const),
    ["/api/v1/user", 401, false] as const,
    ["/api/v1/nothing", 404, true] as const,
  ])("of %s answers %i like GET, without a body", async (path, status, withKey) => {
    const port = openPort(server);
    const other = await server.accounts.keys.add(ada.user, "other");
    const headersFor = (key: string) => (withKey ? { "x-api-key": key } : {});
    const get = await fetch(port.origin + path, { headers: headersFor(ada.key) });
    const head = await fetch(port.origin + path, {
      headers: headersFor(other.key),
      method: "HEAD",
    });
    expect(get.status).toBe(status);
    expect(head.status).toBe(status);
    expect(withoutTime(head.headers)).toEqual(withoutTime(get.headers));
    expect(await head.text()).toBe("");
    // Some answers never end.
    expect((await get.body?.getReader().read())?.value).not.toBeEmpty();
    await port.end();
  });

  test("sends no byte of a body", async () => {
    const port = openPort(server);
    const { status, body } = await port.sendRaw(
      `HEAD /api/v1/user HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${ada.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(200);
    expect(body).toBe("");
    await port.end();
  });
});

describe("every answer of the API", () => {
  const unavailable = async () => {
    await server.sourceOf(ada).fails(new SourceFailure({ kind: "unavailable" }, "gone"));
    await server.getAs(ada, NOW_PLAYING);
    await server.clock.advance(30_000);
    return server.getAs(ada, NOW_PLAYING);
  };
  const limited = async () => {
    await server.getAs(ada, USER);
    return server.getAs(ada, USER);
  };
  const guessed = async () => {
    for (let guesses = 0; guesses < 10; guesses++) await server.get("/api/v1/user?api_key=x");
    return server.get("/api/v1/user?api_key=x");
  };
  const broken = async () => {
    server.store.queries.run(sql`DROP TABLE api_keys`);
    return server.getAs(ada, USER);
  };
  const large = {
    method: "POST",
    body: "x".repeat(100_000),
    headers: { "content-length": "100000" },
  };
  const answers: [name: string, status: number, answer: () => Promise<Response>][] = [
    ["now-playing", 200, () => server.getAs(ada, NOW_PLAYING)],
    ["user", 200, () => server.getAs(ada, USER)],
    ["description", 200, () => server.get(DESCRIPTION)],
    ["missing key", 401, () => server.get(NOW_PLAYING)],
    ["unknown path", 404, () => server.get("/api/v1/nothing")],
    ["other method", 405, () => server.get(NOW_PLAYING, { method: "POST" })],
    ["unknown path and a large body", 404, () => server.get("/api/v1/nothing", large)],
    ["other method and a large body", 405, () => server.get(NOW_PLAYING, large)],
    ["limit", 429, limited],
    ["guesses", 429, guessed],
    ["failure inside", 500, broken],
    ["failed source", 503, unavailable],
  ];

  test.each(answers)("carries the same headers: %s, %i", async (_, status, answer) => {
    const response = await answer();
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const exposed = response.headers.get("access-control-expose-headers")?.split(", ").toSorted();
    expect(exposed).toEqual(["RateLimit", "RateLimit-Policy", "Retry-After"]);
    expect(await response.json()).toBeObject();
  });

  test("tells when to come back after a source failed, at least as long as the limit lasts", async () => {
    const response = await unavailable();
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(5);
  });

  test("says nothing of what failed inside, which the log does", async () => {
    const response = await broken();
    expect(await response.json()).toEqual({ success: false, error: "Internal server error" });
    const headers = JSON.stringify([...response.headers]);
    const line = server.logged.find((one) => one.includes("a request failed"));
    expect(line).toContain("no such table");
    expect(line).toContain("/api/v1/user");
    expect(headers).not.toContain("table");
  });
});
