import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { createApiKey } from "../../src/accounts/credential.ts";
import type { Playback } from "../../src/playback.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { type ApiDescription, readApiDescription } from "../fixtures/http/api-description.ts";
import { readEvents } from "../fixtures/http/event-reader.ts";
import { SEED } from "../fixtures/seed.ts";
import { isThorough } from "../fixtures/thorough.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const REQUESTS = isThorough ? 10_000 : 4_000;
const EVENTS = "/api/v1/now-playing/events";
const NOW_PLAYING = "/api/v1/now-playing";

let server: TestServer;
let ada: AddedUser;
let description: ApiDescription;
beforeAll(async () => {
  server = await createTestServer({ logLevel: "info" });
  ada = await server.addUser("ada");
  description = await readApiDescription(server);
});
afterAll(() => server.close());

/** Numbers that a source may say by mistake. */
const number = fc.oneof(
  fc.constantFrom(0, -1, 1, 1e308, Infinity, -Infinity, NaN, 2 ** 53, 0.1, 200_000),
  fc.double(),
);
const text = fc.oneof(
  fc.constantFrom("", "\0", "\ud800", "__proto__", "x".repeat(3_000), '"}],', "夜"),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const playback: fc.Arbitrary<Playback> = fc
  .record({
    state: fc.constantFrom("playing" as const, "paused" as const),
    positionMs: number,
    durationMs: fc.option(number),
    volumePercent: fc.option(fc.integer({ min: 0, max: 100 })),
    rate: fc.double({ min: 0, max: 4, noNaN: true }),
    words: fc.tuple(text, text, text, text, text),
    artists: fc.array(text, { maxLength: 60 }),
  })
  .map(({ state, positionMs, durationMs, volumePercent, rate, words, artists }) => {
    const [id, title, album, name, type] = words;
    return aPlayback({
      ...{ state, positionMs, rate, artists },
      track: { id, title, durationMs, explicit: false },
      album: { name: album, artworks: [] },
      device: { name, type, volumePercent },
      observedAtMs: server.clock.monotonicMs(),
    });
  });

/** How a key may be sent, from the document's own security schemes, and what is sent as one. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly places: readonly { readonly in: string; readonly name: string }[];
  readonly key: "right" | "wrong" | "text";
  readonly text: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly waitMs: number;
}

function requestsOf({ document }: ApiDescription): fc.Arbitrary<Sent> {
  const schemes = Object.values(document.components.securitySchemes);
  const paths = Object.keys(document.paths);
  const words = fc.string({ maxLength: 12 });
  const headerText = fc
    .string({ unit: "binary-ascii", maxLength: 40 })
    .map((value) => value.replace(/[^\x20-\x7e]/g, "").trim());
  return fc.record({
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant("GET") },
      { weight: 2, arbitrary: fc.constantFrom("HEAD", "OPTIONS", "POST", "PUT", "DELETE") },
    ),
    path: fc.constantFrom(...paths),
    // Neither, one, both, or the query twice.
    places: fc.oneof(fc.subarray(schemes), fc.constant([...schemes, ...schemes])),
    key: fc.oneof(
      { weight: 6, arbitrary: fc.constant("right" as const) },
      { weight: 1, arbitrary: fc.constantFrom("wrong" as const, "text" as const) },
    ),
    text: headerText,
    query: fc.array(fc.tuple(words, words), { maxLength: 3 }),
    headers: fc.dictionary(
      fc.constantFrom("accept", "range", "if-none-match", "content-type", "x-forwarded-for"),
      headerText,
      { maxKeys: 2 },
    ),
    waitMs: fc.constantFrom(0, 10, 4_749, 4_751, 5_000, 6_000, 60_000),
  });
}

async function send(sent: Sent): Promise<Response> {
  const query = new URLSearchParams(sent.query.map(([name, value]) => [name, value]));
  const headers = new Headers(sent.headers);
  const key = { right: ada.key, wrong: createApiKey(), text: sent.text }[sent.key];
  for (const { in: place, name } of sent.places) {
    if (place === "header") headers.set(name, key);
    else query.append(name, key);
  }
  const search = String(query);
  const path = sent.path + (search && `?${search}`);
  return server.get(path, { method: sent.method, headers });
}

/** What differs from the description, one sentence each. */
async function mistakesOf({ path, method }: Sent, response: Response): Promise<string[]> {
  const { status } = response;
  if (method === "OPTIONS") return status === 204 ? [] : [`${status} to OPTIONS`];
  if (method === "HEAD") {
    // Bun's server leaves the body out.
    await response.body?.cancel();
    return description.statusesOf(path).includes(status) ? [] : [`${status} is not described`];
  }
  const missing = description.missingHeaders(path, status, response.headers);
  const headers = missing.map((name) => `${status} has no header ${name}`);
  if (path === EVENTS && status === 200) {
    const events = readEvents(response);
    const data = await events.nextData();
    await events.close();
    const isFailure = typeof data === "object" && data !== null && "error" in data;
    return [...headers, ...description.mistakesIn(NOW_PLAYING, isFailure ? 503 : 200, data)];
  }
  return [...headers, ...description.mistakesIn(path, status, await response.json())];
}

test(`of ${REQUESTS} requests made from the OpenAPI document none is answered 500, and each answer fits its schema`, async () => {
  const requests = fc.sample(requestsOf(description), { numRuns: REQUESTS, seed: SEED });
  const playbacks = fc.sample(playback, { numRuns: REQUESTS / 20, seed: SEED });
  const source = server.sourceOf(ada);
  const statuses = new Map<number, number>();
  for (const [at, sent] of requests.entries()) {
    if (at % 20 === 0) {
      const next = playbacks[at / 20] ?? null;
      const turn = (at / 20) % 10;
      if (turn === 8) await source.says(null);
      else if (turn === 9) await source.fails(new SourceFailure({ kind: "unavailable" }, "gone"));
      else await source.says(next);
    }
    await server.clock.advance(sent.waitMs);
    const response = await send(sent);
    const { status } = response;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const mistakes = await mistakesOf(sent, response);
    expect({ seed: SEED, at, sent, status, mistakes }).toMatchObject({ mistakes: [] });
    expect(status).not.toBe(500);
  }
  // Otherwise the requests were too tame, or none was understood.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 204, 401, 405, 429, 503]));
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 10);
  expect(server.logged.filter((line) => / error /.test(line))).toEqual([]);
});
