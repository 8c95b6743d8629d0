import { expect, test } from "bun:test";
import fc from "fast-check";
import { hostileTexts } from "../fixtures/ingest/hostile.ts";
import { createPushedServer } from "../fixtures/ingest/pushed-server.ts";

/** Of each protocol. The readers alone are tried with more, in the protocols' own tests. */
const MESSAGES = 1_000;

const SONG = { title: "A", artists: ["B"], album: "C", duration: 60_000, progress: 1_000 };
const parsed = { track: "A", artist: "B", album: "C", duration: 60, currentTime: 1 };

interface Protocol {
  readonly source: string;
  /** Real messages, the first of which plays something. */
  readonly samples: readonly unknown[];
  readonly path: (secret: string) => string;
  readonly headers?: (secret: string) => Record<string, string>;
}

const inboxOf = (name: string) => (secret: string) => `/in/${secret}/${name}`;

const protocols: readonly Protocol[] = [
  {
    source: "json",
    samples: [
      { title: "A", artist: ["B"], duration_ms: 60_000, position_ms: 1_000, volume: 5 },
      { title: "A", state: "paused", cover_url: "https://a.test/a.png", ttl_s: 30, id: "1" },
    ],
    path: inboxOf("json"),
  },
  {
    source: "tuna",
    samples: [{ data: { ...SONG, status: "playing" }, hostname: "a", date: 1 }],
    path: inboxOf("tuna"),
  },
  {
    source: "webscrobbler",
    samples: [
      { eventName: "nowplaying", time: 1, data: { song: { parsed, processed: {}, metadata: {} } } },
      { eventName: "paused", time: 1, data: { song: { parsed, processed: {}, metadata: {} } } },
    ],
    path: inboxOf("webscrobbler"),
  },
  {
    source: "listenbrainz",
    samples: [
      {
        listen_type: "playing_now",
        payload: [
          {
            track_metadata: {
              ...{ track_name: "A", artist_name: "B", release_name: "C" },
              additional_info: { duration_ms: 60_000, media_player: "D" },
            },
          },
        ],
      },
    ],
    path: () => "/listenbrainz/1/submit-listens",
    headers: (secret) => ({ authorization: `Token ${secret}` }),
  },
];

test.each(protocols)(
  "hostile requests to $source answer no 500, end nothing when refused and tell no secret",
  async ({ source, samples, path, headers }) => {
    const server = await createPushedServer(source, { logLevel: "debug" });
    const { secret } = server;
    const send = (body: unknown) => server.post(path(secret), body, headers?.(secret));
    expect((await send(samples[0])).status).toBe(200);
    expect(await server.shown()).toMatchObject({ track: { name: "A" } });
    const statuses = new Set<number>();
    for (const body of fc.sample(hostileTexts(samples), MESSAGES)) {
      // A program that sends slower than the limit.
      await server.clock.advance(60);
      const before = await server.shown();
      const response = await send(body);
      statuses.add(response.status);
      expect(await response.text()).not.toContain(secret);
      if (response.status === 200) continue;
      const now = await server.shown();
      expect(now?.track ?? null).toEqual(before?.track ?? null);
    }
    expect([...statuses].filter((status) => status >= 500)).toEqual([]);
    expect(statuses).toContain(200);
    expect([...statuses].some((status) => status >= 400)).toBe(true);
    expect(server.logged.filter((line) => line.includes(secret))).toEqual([]);
    expect((await send(samples[0])).status).toBe(200);
    expect(await server.shown()).toMatchObject({ track: { name: "A" } });
    await server.close();
  },
  60_000,
);
