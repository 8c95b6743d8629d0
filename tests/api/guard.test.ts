import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createApiKey } from "../../src/accounts/credential.ts";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const PATH = "/api/v1/user";

let server: TestServer;
let ada: AddedUser;
let bob: AddedUser;

beforeEach(async () => {
  server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
  ada = await server.addUser("ada", false);
  bob = await server.addUser("bob", false);
});
afterEach(() => server.close());

const callWith = (header: string | undefined, query = "") =>
  server.get(PATH + query, header === undefined ? {} : { headers: { "x-api-key": header } });

async function expectRefusal(response: Response, error: string): Promise<void> {
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({ success: false, error });
  expect(response.headers.get("www-authenticate")).toBe('ApiKey realm="marquee"');
}

describe("the key", () => {
  test.each<[how: string, header: () => string | undefined, query: () => string]>([
    ["in the header", () => ada.key, () => ""],
    ["in the query", () => undefined, () => `?api_key=${ada.key}`],
    ["in the query when the header is empty", () => "", () => `?api_key=${ada.key}`],
    ["in the header although the query holds two", () => ada.key, () => "?api_key=a&api_key=b"],
    ["in the header, whoever's is in the query", () => ada.key, () => `?api_key=${bob.key}`],
  ])("works %s", async (_, header, query) => {
    const response = await callWith(header(), query());
    expect((await response.json()).data.username).toBe("ada");
  });

  test("in the header is refused when wrong, whatever the query says", async () => {
    await expectRefusal(await callWith("wrong", `?api_key=${ada.key}`), "Invalid API key");
  });

  test.each([
    ["nowhere", undefined, ""],
    ["with an empty header", "", ""],
    ["with an empty parameter", undefined, "?api_key="],
    ["with both empty", "", "?api_key="],
    ["under another parameter's name", undefined, "?apikey=mq_x&key=mq_y"],
  ])("is missing %s", async (_, header, query) => {
    await expectRefusal(await callWith(header, query), "Missing API key");
  });

  test.each([
    ["nobody's", () => createApiKey()],
    ["of one letter", () => "x"],
    ["null", () => "null"],
    ["too short by one character", () => ada.key.slice(0, -1)],
    ["too long by one character", () => `${ada.key}0`],
    ["of another case", () => ada.key.toUpperCase()],
    ["without its prefix", () => ada.key.slice(3)],
    ["a widget token", () => ada.widgetToken],
    ["followed by a NUL", () => `${ada.key}\u0000`],
    ["of other letters than ASCII", () => `mq_${"ä".repeat(38)}`],
  ])("is invalid when it is %s", async (_, key) => {
    const response = await callWith(undefined, `?api_key=${encodeURIComponent(key())}`);
    await expectRefusal(response, "Invalid API key");
  });

  test("is invalid when it is sent twice in the query, even the right one", async () => {
    const query = `?api_key=${ada.key}&api_key=${ada.key}`;
    await expectRefusal(await callWith(undefined, query), "Invalid API key");
  });

  test("is invalid when it is sent twice in the header", async () => {
    await expectRefusal(await callWith(`${ada.key}, ${ada.key}`), "Invalid API key");
  });
});

describe("guessing keys", () => {
  const guess = (forwardedFor?: string) =>
    server.get(PATH, {
      headers: {
        "x-api-key": createApiKey(),
        ...(forwardedFor !== undefined && { "x-forwarded-for": forwardedFor }),
      },
    });
  const statusesOf = async (calls: (() => Promise<Response>)[]) => {
    const statuses: number[] = [];
    for (const call of calls) statuses.push((await call()).status);
    return statuses;
  };
  const guesses = (count: number, forwardedFor?: (index: number) => string) =>
    statusesOf(Array.from({ length: count }, (_, at) => () => guess(forwardedFor?.(at))));
  const TEN_TOLERATED = Array.from({ length: 10 }, () => 401);

  const restartBehind = async (trustedProxies: string) => {
    server.close();
    server = await createTestServer({ settings: { rateLimitSeconds: "0", trustedProxies } });
    ada = await server.addUser("ada", false);
  };

  test("past the burst is answered with when to come back", async () => {
    await guesses(10);
    const response = await guess();
    expect(await response.json()).toEqual({ success: false, error: "Too many invalid keys" });
    const waitSeconds = Number(response.headers.get("retry-after"));
    expect(waitSeconds).toBeInteger();
    expect(waitSeconds).toBeGreaterThanOrEqual(1);
    expect(waitSeconds).toBeLessThanOrEqual(60);
  });

  test("counts malformed keys as wrong ones", async () => {
    const malformed = () => server.get(`${PATH}?api_key=x`);
    await statusesOf(Array.from({ length: 5 }, () => malformed));
    expect(await guesses(6)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test("counts over both endpoints together", async () => {
    await guesses(10);
    const response = await server.get("/api/v1/now-playing?api_key=x");
    expect(response.status).toBe(429);
  });

  test.each<[what: string, call: () => Promise<Response>]>([
    ["a missing key", () => server.get(PATH)],
    ["a right key", () => server.getAs(ada, PATH)],
  ])("does not count %s", async (_, call) => {
    await statusesOf(Array.from({ length: 20 }, () => call));
    expect(await guesses(11)).toEqual([...TEN_TOLERATED, 429]);
  });

  test("does not keep a right key from that address out", async () => {
    await guesses(20);
    expect((await server.getAs(ada, PATH)).status).toBe(200);
  });

  test("is one limit however X-Forwarded-For varies, where no proxy is trusted", async () => {
    expect(await guesses(11, (at) => `203.0.113.${at}`)).toEqual([...TEN_TOLERATED, 429]);
  });

  test("is limited for each address that a trusted proxy names", async () => {
    await restartBehind("192.0.2.1");
    expect(await guesses(11, () => "203.0.113.1")).toEqual([...TEN_TOLERATED, 429]);
    expect((await guess("203.0.113.2")).status).toBe(401);
  });

  test("is limited for each /64 of IPv6", async () => {
    await restartBehind("192.0.2.1");
    const sameNetwork = (at: number) => `2001:db8:1:2:${at}::${at}`;
    expect(await guesses(11, sameNetwork)).toEqual([...TEN_TOLERATED, 429]);
    expect((await guess("2001:db8:1:3::1")).status).toBe(401);
  });
});
