import { describe, expect, test } from "bun:test";
import { createListenBrainzReader } from "../../../src/sources/kinds/listenbrainz-reader.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { failureOf, firstOf, noPauses, polledDeps } from "../../fixtures/sources/polled.ts";

const clock = createFakeClock();
const SETTINGS = { user: "a da" };
let calls: string[] = [];

const reader = (answer: () => Response) =>
  createListenBrainzReader({
    ...polledDeps(clock, async (url) => {
      calls.push(url);
      return answer();
    }),
    apiUrl: "https://api.listenbrainz.org",
    pauses: noPauses(),
  });
/** As in https://listenbrainz.readthedocs.io/en/latest/users/api/core.html */
const answering = (...metadata: object[]) =>
  reader(() =>
    Response.json({
      payload: {
        count: metadata.length,
        listens: metadata.map((one) => ({ playing_now: true, track_metadata: one })),
        playing_now: true,
        user_id: "ada",
      },
    }),
  );
const METADATA = {
  track_name: "Paper Lanterns",
  artist_name: "Juniper Vale feat. Ada",
  release_name: "Slow Weather",
};

describe("ListenBrainz, read", () => {
  test("is asked for what the user plays now", async () => {
    calls = [];
    expect(await firstOf(answering(), SETTINGS, clock)).toBeNull();
    expect(calls).toEqual(["https://api.listenbrainz.org/1/user/a%20da/playing-now"]);
  });

  test("tells title, artist and album, without position and cover", async () => {
    expect(await firstOf(answering(METADATA), SETTINGS, clock)).toMatchObject({
      source: "ListenBrainz",
      state: "playing",
      track: { title: "Paper Lanterns", durationMs: null },
      artists: ["Juniper Vale feat. Ada"],
      album: { name: "Slow Weather", artworks: [] },
      positionUnknown: true,
    });
  });

  test.each([
    { what: "milliseconds", info: { duration_ms: 200_000 }, durationMs: 200_000 },
    { what: "seconds", info: { duration: 200 }, durationMs: 200_000 },
    {
      what: "a word beside seconds",
      info: { duration_ms: "long", duration: 200 },
      durationMs: 200_000,
    },
  ])("reads $what as a length", async ({ info, durationMs }) => {
    const metadata = { ...METADATA, additional_info: info };
    const received = await firstOf(answering(metadata), SETTINGS, clock);
    expect(received?.track.durationMs).toBe(durationMs);
  });

  test("tells every artist and the player where they are known", async () => {
    const additional_info = { artist_names: ["Juniper Vale", "Ada"], media_player: "Navidrome" };
    const received = await firstOf(answering({ ...METADATA, additional_info }), SETTINGS, clock);
    expect(received?.artists).toEqual(["Juniper Vale", "Ada"]);
    expect(received?.device.name).toBe("Navidrome");
  });

  test("has to be connected again where it does not know the user", async () => {
    const source = reader(() => Response.json({ code: 404, error: "x" }, { status: 404 }));
    expect(await failureOf(source, SETTINGS, clock)).toMatchObject({
      meaning: { kind: "unauthorized" },
    });
  });

  test("is left alone as long as it asks for, in its own header", async () => {
    const headers = { "X-RateLimit-Reset-In": "7" };
    const source = reader(() => new Response("", { status: 429, headers }));
    expect(await failureOf(source, SETTINGS, clock)).toMatchObject({
      meaning: { kind: "retryLater", reason: "limited", afterMs: 7_000 },
    });
  });
});
