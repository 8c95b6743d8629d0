import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createAzuraCast } from "../../../src/sources/kinds/azuracast.ts";
import { createBeefweb } from "../../../src/sources/kinds/beefweb/index.ts";
import { createIcecast } from "../../../src/sources/kinds/icecast.ts";
import { createLastfm } from "../../../src/sources/kinds/lastfm/index.ts";
import { createListenBrainzReader } from "../../../src/sources/kinds/listenbrainz-reader.ts";
import type { PolledSourceDeps } from "../../../src/sources/polling/polled-source.ts";
import { type Source, SourceFailure } from "../../../src/sources/source.ts";
import { createSubsonic } from "../../../src/sources/kinds/subsonic/index.ts";
import { createVlc } from "../../../src/sources/kinds/vlc/index.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { firstOf, noPauses, polledDeps } from "../../fixtures/sources/polled.ts";

/** Every source with an answer of its upstream, in which the test changes things at random. */
const apiUrl = "http://upstream.test";
const upstreams: readonly {
  readonly create: (deps: PolledSourceDeps) => Source;
  readonly answer: object;
}[] = [
  {
    create: createVlc,
    answer: {
      state: "playing",
      time: 1,
      length: 60,
      position: 0.1,
      rate: 1,
      volume: 256,
      currentplid: 3,
      information: {
        category: { meta: { filename: "a", title: "A", artist: "B", artwork_url: "file:///a" } },
      },
    },
  },
  {
    create: createBeefweb,
    answer: {
      player: {
        playbackState: "playing",
        info: { title: "foobar2000" },
        activeItem: { playlistId: "p", index: 1, position: 1, duration: 60, columns: ["A", "B"] },
        volume: { type: "db", min: -100, max: 0, value: -3, isMuted: false },
      },
    },
  },
  {
    create: createSubsonic,
    answer: {
      "subsonic-response": {
        status: "ok",
        nowPlaying: {
          entry: [
            {
              ...{ id: "1", title: "A", artists: [{ name: "B" }], album: "C", username: "ada" },
              ...{ duration: 60, coverArt: "1", minutesAgo: 0, playerName: "P" },
              ...{ state: "playing", positionMs: 1_000, playbackRate: 1 },
            },
          ],
        },
      },
    },
  },
  {
    create: (deps) => createLastfm({ ...deps, apiUrl, apiKey: "key", pauses: noPauses() }),
    answer: {
      recenttracks: {
        "@attr": { user: "ada" },
        track: [
          {
            ...{ name: "A", url: "https://a.test", artist: { "#text": "B" } },
            ...{ album: { "#text": "C" }, image: [{ "#text": "https://a.test/1.jpg" }] },
            "@attr": { nowplaying: "true" },
          },
        ],
      },
    },
  },
  {
    create: (deps) => createListenBrainzReader({ ...deps, apiUrl, pauses: noPauses() }),
    answer: {
      payload: {
        listens: [
          {
            track_metadata: {
              ...{ track_name: "A", artist_name: "B", release_name: "C" },
              additional_info: { duration_ms: 60_000, artist_names: ["B"], media_player: "P" },
            },
          },
        ],
      },
    },
  },
  {
    create: createAzuraCast,
    answer: {
      station: { name: "S" },
      is_online: true,
      now_playing: {
        song: { id: "1", title: "A", artist: "B", album: "C", art: "https://a.test/1.jpg" },
        ...{ elapsed: 1, duration: 60, played_at: 1 },
      },
    },
  },
  {
    create: createIcecast,
    answer: {
      icestats: {
        source: { listenurl: "http://upstream.test/live", title: "A - B", server_name: "S" },
      },
    },
  },
];

const SETTINGS = { url: apiUrl, user: "ada", password: "correct-horse", station: "s", mount: "" };

/** The answer with one of its values, at any depth, replaced. */
function replaced(value: unknown, steps: readonly number[], by: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== "object" || value === null) return by;
  const entries = Object.entries(value);
  const at = step % Math.max(1, entries.length);
  const changed = entries.map(([key, one], index) => [
    key,
    index === at ? replaced(one, rest, by) : one,
  ]);
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
}

const nonsense = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(-1, 1e308, -0, 1e-320, "", "\ud800", "http://[", [], {}, [[]], [null]),
);
const path = fc.array(fc.nat(20), { maxLength: 8 });

const named = upstreams.map((upstream) => ({
  ...upstream,
  id: upstream.create(polledDeps(createFakeClock())).id,
}));

describe.each(named)("the upstream of $id", ({ create, answer }) => {
  test("that answers nonsense breaks nothing", async () => {
    await fc.assert(
      fc.asyncProperty(path, nonsense, async (steps, by) => {
        const clock = createFakeClock();
        const body = JSON.stringify(replaced(answer, steps, by)) ?? "";
        const source = create(polledDeps(clock, async () => new Response(body)));
        const received = await firstOf(source, SETTINGS, clock).catch((error: unknown) => error);
        if (received instanceof SourceFailure) {
          // Only what was not foreseen has a cause.
          expect(received.cause).toBe(undefined);
          return;
        }
        if (received instanceof Error) throw received;
        if (received === null) return;
        expect(received).toMatchObject({ source: expect.any(String) });
        expectFinite(received);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Every number is one that can be shown. */
function expectFinite(value: unknown): void {
  if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
  if (typeof value !== "object" || value === null) return;
  for (const one of Object.values(value)) expectFinite(one);
}
