import { afterEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { startTestServer } from "../fixtures/servers/listening-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const ORIGIN = "https://music.example";
const PATHS = [
  "/api/v1/now-playing",
  "/api/v1/recently-played",
  "/api/v1/user",
  "/api/v1/openapi.json",
];
const HEALTH_PATHS = ["/livez", "/readyz"];

let server: TestServer;
let ada: AddedUser;
afterEach(() => server.close());

async function start(settings: Record<string, string> = {}) {
  server = await createTestServer({
    baseUrl: `${ORIGIN}/music`,
    logLevel: "info",
    settings: { rateLimitSeconds: "0", ...settings },
  });
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(aPlayback({ positionMs: 61_250 }));
}

/** Everything that a client sees of an answer. */
const seenOf = async (answer: Response | undefined) =>
  answer && {
    status: answer.status,
    headers: [...answer.headers],
    body: await answer.text(),
  };

/** The proxy speaks HTTPS with the world and HTTP with us. */
const request = (path: string, headers: Record<string, string>) =>
  new Request(`http://music.example${path}`, { headers: { host: "music.example", ...headers } });

const answerDirectly = (path: string, headers: Record<string, string>) =>
  server.app.direct[path.split("?", 1)[0] ?? ""]?.(request(path, headers));

describe("what Bun's router answers", () => {
  test("is every path of the API and of health checks, with and without the base path", async () => {
    await start();
    expect(Object.keys(server.app.direct).toSorted()).toEqual(
      [...PATHS, ...HEALTH_PATHS, "/api/v1/now-playing/events"]
        .flatMap((path) => [path, `/music${path}`])
        .toSorted(),
    );
  });

  test.each([...PATHS, ...HEALTH_PATHS].flatMap((path) => [path, `/music${path}`]))(
    "is what the app answers: %s",
    async (path) => {
      await start();
      const variants: [string, Record<string, string>][] = [
        [path, { "x-api-key": ada.key }],
        [`${path}?api_key=${ada.key}`, {}],
        [path, {}],
        [path, { "x-api-key": "mq_wrong" }],
        [path, { "x-api-key": ada.key, host: "evil.example" }],
      ];
      for (const [at, headers] of variants) {
        const direct = await seenOf(await answerDirectly(at, headers));
        expect(direct).toBeDefined();
        expect(direct).toEqual(await seenOf(await server.app.handle(request(at, headers))));
      }
    },
  );

  test("counts towards the same limit", async () => {
    await start({ rateLimitSeconds: "5" });
    const headers = { "x-api-key": ada.key };
    expect((await answerDirectly("/api/v1/now-playing", headers))?.status).toBe(200);
    expect((await server.app.handle(request("/api/v1/now-playing", headers)))?.status).toBe(429);
    const refused = await answerDirectly("/music/api/v1/now-playing", headers);
    expect(refused?.status).toBe(429);
    expect(refused?.headers.get("retry-after")).toBe("5");
  });

  test.each([
    ["now", "/api/v1/user"],
    ["later", "/api/v1/user"],
    ["now", "/music/api/v1/user"],
    ["later", "/music/api/v1/user"],
  ])("is 500 without details when it fails %s at %s", async (when, path) => {
    await start();
    const secret = new Error("correct-horse");
    server.accounts.connections.allOf = () => {
      if (when === "now") throw secret;
      return Promise.reject(secret);
    };
    const failed = await seenOf(await answerDirectly(path, { "x-api-key": ada.key }));
    expect(failed?.status).toBe(500);
    expect(failed?.body).toBe('{"success":false,"error":"Internal server error"}');
  });

  test("is logged and counted like everything else", async () => {
    await start({ metricsToken: "a-token-of-enough-characters" });
    expect((await answerDirectly("/api/v1/user", {}))?.status).toBe(401);
    const evil = { host: "evil.example" };
    expect((await answerDirectly("/api/v1/user", evil))?.status).toBe(421);
    const metrics = await server.app.handle(
      request("/metrics", { authorization: "Bearer a-token-of-enough-characters" }),
    );
    const text = await metrics?.text();
    expect(text).toContain('marquee_http_requests_total{route="/api/v1/user",status="401"} 1');
    expect(text).toContain('marquee_http_requests_total{route="other",status="421"} 1');
    server.close();

    server = await createTestServer({ baseUrl: `${ORIGIN}/music`, logLevel: "debug" });
    await answerDirectly("/api/v1/user?api_key=mq_secret", {});
    const [line] = server.logged.filter((logged) => logged.includes("request"));
    expect(line).toContain("status=401");
    expect(line).not.toContain("mq_secret");
  });
});

test("every method reaches its answer over the network", async () => {
  await start();
  const listening = await startTestServer({ logLevel: "info", basePath: "/music" });
  const url = `${listening.url}/api/v1/now-playing`;
  const statuses: Record<string, number> = {};
  for (const method of ["GET", "HEAD", "OPTIONS", "POST", "PUT"]) {
    statuses[method] = (await fetch(url, { method })).status;
  }
  expect(statuses).toEqual({ GET: 401, HEAD: 401, OPTIONS: 204, POST: 405, PUT: 405 });
  await listening.stop();
});
