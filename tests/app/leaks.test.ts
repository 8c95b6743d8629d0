import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createApiKey, createWidgetToken } from "../../src/accounts/credential.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer;
let ada: AddedUser;
/** All that was answered: status lines are no place for a secret, headers and bodies might be. */
let answered: string[];

beforeEach(async () => {
  server = await createTestServer({ settings: { logLevel: "debug" }, logLevel: "debug" });
  ada = await server.addUser("ada");
  await server.sourceOf(ada).says(aPlayback());
  answered = [];
});
afterEach(() => server.close());

const call = async (path: string, init: RequestInit = {}) => {
  const response = await server.get(path, init);
  answered.push(JSON.stringify([...response.headers]), await response.text());
  return response.status;
};

const FOREIGN = "hunter2-correct-horse-battery-staple-hunter2";

/** The middle of a credential: enough to know it by, and left over when only its ends are masked. */
const coreOf = (credential: string) => credential.slice(8, 28);

function expectNoTrace(...credentials: string[]): void {
  expect(server.logged.length).toBeGreaterThan(0);
  const traces = [...answered, ...server.logged].filter((text) =>
    credentials.some((one) => text.toLowerCase().includes(coreOf(one).toLowerCase())),
  );
  expect(traces).toEqual([]);
}

const percent = (text: string) =>
  [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");

/** Every way to send a key, to right and wrong places. */
async function sendEverywhere(key: string): Promise<number[]> {
  const headers = { "x-api-key": key };
  return Promise.all([
    call("/api/v1/now-playing", { headers }),
    call("/api/v1/user", { headers }),
    call(`/api/v1/now-playing?api_key=${key}`),
    call(`/api/v1/user?api_key=${key}&api_key=${key}`),
    call(`/api/v1/user?x=1&API_KEY=${key}`),
    call(`/api/v1/user?api%5Fkey=${key}`),
    call("/api/v1/user", { headers, method: "POST" }),
    call(`/api/v1/openapi.json?api_key=${key}`),
    call(`/api/v1/nothing?api_key=${key}`, { headers }),
    call("/api/v1/user", { headers: { ...headers, host: "evil.example" } }),
    call(`/?api_key=${key}`, { headers }),
    call(`/en/?api_key=${key}`),
    call(`/livez?api_key=${key}`),
    call(`/xx/nothing?api_key=${key}`),
  ]);
}

async function showEverywhere(token: string): Promise<number[]> {
  return Promise.all([
    call(`/en/widget/${token}`),
    call(`/fr/widget/${token}?theme=x&font=y`),
    call(`/xx/widget/${token}`),
    call(`/en/widget/${token}/live`),
    call(`/en/widget/${token}/live`, { headers: { origin: "https://evil.example" } }),
    call(`/en/widget/${token}/nothing`),
    call(`/en/widget/${token}`, { method: "POST" }),
    call(`/en/widget/${token}`, { headers: { host: "evil.example" } }),
    call(`/en/widget/${token}`, { headers: { referer: `http://localhost/en/widget/${token}` } }),
  ]);
}

describe("no body, header or log line, at debug level, shows", () => {
  const guessTooOften = async () => {
    for (let guesses = 0; guesses < 10; guesses++) await call("/api/v1/user?api_key=x");
    return createApiKey();
  };
  const revoke = async () => {
    await server.accounts.keys.rotate(ada.user, undefined, 0);
    return ada.key;
  };
  const withoutTable = (table: string, credential: string) => {
    server.store.queries.run(`DROP TABLE ${table}`);
    return credential;
  };

  test.each<[what: string, keyOf: () => string | Promise<string>, statuses: number[]]>([
    ["a working key", () => ada.key, [200, 429]],
    ["a well-formed key of nobody's", createApiKey, [401]],
    ["a wrong key past the limit on guesses", guessTooOften, [429]],
    ["a revoked key", revoke, [401]],
    ["a key that has no form of ours", () => FOREIGN, [401]],
    ["a key when something inside fails", () => withoutTable("api_keys", ada.key), [500]],
  ])("%s", async (_, keyOf, statuses) => {
    const key = await keyOf();
    expect(await sendEverywhere(key)).toEqual(expect.arrayContaining(statuses));
    expectNoTrace(key);
  });

  test("a key sent in a path", async () => {
    expect(await call(`/api/v1/${ada.key}`)).toBe(404);
    expect(await call(`/${ada.key}`)).toBe(404);
    expectNoTrace(ada.key);
  });

  test("a key or a parameter's name in percent-encoding", async () => {
    for (const name of ["api_key", "api%5Fkey", percent("api_key")]) {
      for (const key of [ada.key, ada.key.replace("_", "%5F"), percent(ada.key)]) {
        await call(`/api/v1/user?${name}=${key}`);
      }
    }
    expectNoTrace(ada.key, percent(ada.key).slice(9));
  });

  test.each<[what: string, tokenOf: () => string, status: number]>([
    ["a working widget token", () => ada.widgetToken, 200],
    ["a well-formed widget token of nobody's", createWidgetToken, 404],
    ["a widget token that has no form of ours", () => FOREIGN, 404],
    [
      "a widget token when something inside fails",
      () => withoutTable("widgets", ada.widgetToken),
      500,
    ],
  ])("%s", async (_, tokenOf, status) => {
    const token = tokenOf();
    expect(await showEverywhere(token)).toContain(status);
    expectNoTrace(token);
  });

  test("a rotated widget token, or the one in its place", async () => {
    const next = await server.accounts.widgets.rotate(ada.user, 1);
    await showEverywhere(ada.widgetToken);
    await showEverywhere(next);
    expectNoTrace(ada.widgetToken, next);
  });
});
