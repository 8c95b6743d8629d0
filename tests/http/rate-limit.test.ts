import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createRateLimit } from "../../src/http/rate-limit.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const USER = "/api/v1/user";
const NOW_PLAYING = "/api/v1/now-playing";

let server: TestServer;
let ada: AddedUser;

async function restart(settings: Record<string, string> = {}): Promise<void> {
  server?.close();
  server = await createTestServer({ settings });
  ada = await server.addUser("ada", false);
}
beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada", false);
});
afterEach(() => server.close());

const call = () => server.getAs(ada, USER);
const statusAfter = async (ms: number) => {
  await server.clock.advance(ms);
  return (await call()).status;
};

describe("the limit", () => {
  test("says how long is left on the answer that refuses", async () => {
    await call();
    await server.clock.advance(1_500);
    const { headers } = await call();
    expect(headers.get("ratelimit-policy")).toBe('"default";q=1;w=5');
    expect(headers.get("ratelimit")).toBe('"default";r=0;t=4');
    expect(headers.get("retry-after")).toBe("4");
  });

  test("counts each endpoint by itself", async () => {
    expect((await call()).status).toBe(200);
    expect((await server.getAs(ada, NOW_PLAYING)).status).toBe(200);
    expect((await server.getAs(ada, NOW_PLAYING)).status).toBe(429);
  });

  test("counts each key by itself, also of one user", async () => {
    const second = await server.accounts.keys.add(ada.user, "second");
    await call();
    const response = await server.get(USER, { headers: { "x-api-key": second.key } });
    expect(response.status).toBe(200);
  });

  test("counts HEAD as GET", async () => {
    await server.getAs(ada, USER, { method: "HEAD" });
    expect((await call()).status).toBe(429);
  });

  test("does not count a preflight or a method that is not allowed", async () => {
    await server.getAs(ada, USER, { method: "OPTIONS" });
    await server.getAs(ada, USER, { method: "POST" });
    expect((await call()).status).toBe(200);
  });

  test("lets exactly one of fifty calls at once pass", async () => {
    const calls = Array.from({ length: 50 }, (_, at) =>
      at % 2 === 0 ? call() : server.get(`${USER}?api_key=${ada.key}`),
    );

    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 429)).toHaveLength(49);
  });

  test.each([
    ["forwards", START_MS + 86_400_000],
    ["backwards", START_MS - 86_400_000],
  ])("does not mind the wall clock jumping %s", async (_, wallMs) => {
    await call();
    server.clock.setWallMs(wallMs);
    expect(await statusAfter(4_749)).toBe(429);
    expect(await statusAfter(1)).toBe(200);
  });

  test.each([
    ["1", "1 second", 750],
    ["5", "5 seconds", 4_750],
    ["10", "10 seconds", 9_750],
    ["3600", "3600 seconds", 3_599_750],
  ])(
    "lets one call pass and refuses the next, with a setting of %s seconds",
    async (rateLimitSeconds, every, opensAfterMs) => {
      await restart({ rateLimitSeconds });
      const { headers } = await call();
      expect(headers.get("ratelimit-policy")).toBe(`"default";q=1;w=${rateLimitSeconds}`);
      expect(headers.get("ratelimit")).toBe(`"default";r=0;t=${rateLimitSeconds}`);
      expect(headers.has("retry-after")).toBe(false);
      const refused = await call();
      const error = `Rate limit exceeded: one call every ${every}`;
      expect(await refused.json()).toEqual({ success: false, error });
      expect(await statusAfter(opensAfterMs - 1)).toBe(429);
      expect(await statusAfter(1)).toBe(200);
    },
  );

  test("is off at 0, and its headers with it", async () => {
    await restart({ rateLimitSeconds: "0" });
    for (let calls = 0; calls < 20; calls++) {
      const response = await call();
      expect(response.status).toBe(200);
      expect(response.headers.has("ratelimit")).toBe(false);
      expect(response.headers.has("ratelimit-policy")).toBe(false);
    }
  });
});

describe("createRateLimit", () => {
  /** Calls as they come: who, and how long after the one before. */
  const schedule = fc.array(
    fc.record({
      caller: fc.constantFrom("a", "b", "c"),
      gapMs: fc.oneof(
        fc.integer({ min: 0, max: 7_000 }),
        fc.constantFrom(4_749, 4_750, 4_751, 4_999, 5_000),
        fc.double({ min: 0, max: 6_000, noNaN: true }),
      ),
    }),
    { maxLength: 60 },
  );

  test("admits a call exactly when the caller's last admitted one is 4.75 seconds past", () => {
    fc.assert(
      fc.property(schedule, (calls) => {
        const limit = createRateLimit(5);
        const admitted: { caller: string; atMs: number }[] = [];
        let nowMs = 0;
        for (const { caller, gapMs } of calls) {
          nowMs += gapMs;
          const mayPass = admitted.every(
            (past) => past.caller !== caller || nowMs - past.atMs >= 4_750,
          );
          if (mayPass) admitted.push({ caller, atMs: nowMs });
          expect(limit.count(caller, nowMs) === undefined).toBe(mayPass);
        }
      }),
    );
  });

  test("admits a caller who waits as long as Retry-After says, whatever else is called", () => {
    const anySchedule = fc.tuple(schedule, fc.integer({ min: 1, max: 120 }), schedule);
    fc.assert(
      fc.property(anySchedule, ([before, windowSeconds, meanwhile]) => {
        const limit = createRateLimit(windowSeconds);
        let nowMs = 0;
        for (const { caller, gapMs } of before) limit.count(caller, (nowMs += gapMs));
        const waitMs = limit.count("a", nowMs) ?? limit.count("a", nowMs);
        const waitSeconds = Number(limit.headers(waitMs)["Retry-After"]);
        expect(waitSeconds).toBeInteger();
        expect(waitSeconds).toBeWithin(1, windowSeconds + 1);
        const comesBackAtMs = nowMs + waitSeconds * 1000;
        for (const { caller, gapMs } of meanwhile) {
          nowMs = Math.min(nowMs + gapMs, comesBackAtMs);
          if (caller !== "a") limit.count(caller, nowMs);
        }
        expect(limit.count("a", comesBackAtMs)).toBeUndefined();
      }),
    );
  });

  test("holds the limit for each of a hundred thousand keys", () => {
    const limit = createRateLimit(5);
    const keys = Array.from({ length: 100_000 }, (_, at) => `key ${at}`);
    for (const key of keys) limit.count(key, 0);
    expect(keys.filter((key) => limit.count(key, 4_749) === undefined)).toEqual([]);
  });
});
