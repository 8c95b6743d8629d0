import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { START_MS } from "../fixtures/clock/fake-clock.ts";
import type { Playback } from "../../src/playback.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";

const PATH = "/api/v1/now-playing";

let server: TestServer;
let ada: AddedUser;

beforeEach(async () => {
  server = await createTestServer({ settings: { rateLimitSeconds: "0" } });
  ada = await server.addUser("ada");
});
afterEach(() => server.close());

const read = () => server.getAs(ada, PATH);

/** Asks, and says what the source plays while the cold channel waits for its first word. */
async function answerTo(playback: Partial<Playback> | null): Promise<Response> {
  const { sourceOf } = server;
  await sourceOf(ada).says(
    playback && aPlayback({ observedAtMs: server.clock.monotonicMs(), ...playback }),
  );
  return read();
}

describe("GET /api/v1/now-playing", () => {
  test("answers exactly the specified fields while playing", async () => {
    const response = await answerTo({});
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      success: true,
      data: {
        is_playing: true,
        progress_ms: 10_000,
        progress_percent: 5,
        time_remaining_ms: 190_000,
        track: { id: "test:1", name: "Paper Lanterns", duration_ms: 200_000, explicit: false },
        artist_name: "Juniper Vale",
        album: { name: "Slow Weather", images: [] },
        device: { name: "Turntable", type: "speaker", volume: 40 },
      },
      meta: { user: "ada", timestamp: START_MS / 1000 },
    });
  });

  test("computes the position when it is read", async () => {
    await answerTo({});
    await server.clock.advance(2_500);
    const { data } = await (await read()).json();
    expect(data.progress_ms).toBe(12_500);
    expect(data.progress_percent).toBe(6.25);
    expect(data.time_remaining_ms).toBe(187_500);
  });

  test("answers exactly null when nothing is playing", async () => {
    const response = await answerTo(null);
    expect(await response.text()).toBe('{"success":true,"data":null}');
  });

  test("freezes the position while paused, with meta", async () => {
    await answerTo({ state: "paused" });
    await server.clock.advance(60_000);
    const { data, meta } = await (await read()).json();
    expect(data.is_playing).toBe(false);
    expect(data.progress_ms).toBe(10_000);
    expect(meta.user).toBe("ada");
  });

  test("counts the position of a stream that has no duration, and says zero for the rest", async () => {
    const track = { id: "radio", title: "News", durationMs: null, explicit: false };
    const { data } = await (await answerTo({ track, positionMs: 5_000 })).json();
    expect(data.track.duration_ms).toBe(0);
    expect(data.progress_ms).toBe(5_000);
    expect(data.progress_percent).toBe(0);
    expect(data.time_remaining_ms).toBe(0);
  });

  test("answers null for a user who has connected nothing", async () => {
    const bob = await server.addUser("bob", false);
    const response = await server.getAs(bob, PATH);
    expect(await response.text()).toBe('{"success":true,"data":null}');
  });

  test("answers null when the music has to be connected again", async () => {
    await answerTo({});
    await server.sourceOf(ada).fails(new SourceFailure({ kind: "unauthorized" }, "no"));
    expect(await (await read()).text()).toBe('{"success":true,"data":null}');
  });

  test("says 503 at once when the source has never answered", async () => {
    await server.sourceOf(ada).fails(new SourceFailure({ kind: "unavailable" }, "refused"));
    expect((await read()).status).toBe(503);
  });

  test("serves art that only we hold below the base URL", async () => {
    const artworks = [{ key: "cover", load: async () => solidPicture("#e07a5f", 8) }];
    const { data } = await (await answerTo({ album: { name: "A", artworks } })).json();
    expect(data.album.images).toHaveLength(1);
    expect(data.album.images[0].url).toMatch(
      /^http:\/\/127\.0\.0\.1:4747\/art\/[\w-]{22}\/640\.jpg$/,
    );
  });
});
