import { describe, expect, test } from "bun:test";
import { createAzuraCast } from "../../../src/sources/kinds/azuracast.ts";
import { positionAt } from "../../../src/playback.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { firstOf, listenTo, polledDeps } from "../../fixtures/sources/polled.ts";

const clock = createFakeClock();
const SETTINGS = { url: "https://radio.example/", station: "lantern" };
let calls: string[] = [];
/** Where every cover redirects to. */
let redirect: string | undefined;

const azuracast = (answer: () => Response) =>
  createAzuraCast(
    polledDeps(clock, async (url) => {
      calls.push(url);
      if (url.endsWith("generic_song.jpg")) return new Response("the usual one");
      if (!url.includes("/art/")) return answer();
      return redirect === undefined
        ? new Response("picture")
        : new Response(null, { status: 302, headers: { location: redirect } });
    }),
  );
/** As in `web/static/openapi.yml` of https://github.com/AzuraCast/AzuraCast */
const anAnswer = (changes: object = {}, current: object = {}, song: object = {}) => ({
  station: { id: 1, name: "Radio Lantern", shortcode: "lantern" },
  live: { is_live: false, streamer_name: "", broadcast_start: null, art: null },
  now_playing: {
    song: {
      id: "9f33",
      text: "Juniper Vale - Paper Lanterns",
      artist: "Juniper Vale",
      title: "Paper Lanterns",
      album: "Slow Weather",
      art: "https://radio.example/api/station/lantern/art/9f33-1700000000.jpg",
      ...song,
    },
    sh_id: 7,
    played_at: 1_700_000_000,
    duration: 200,
    elapsed: 25,
    remaining: 175,
    ...current,
  },
  is_online: true,
  ...changes,
});
const answering = (body: object) => azuracast(() => Response.json(body));

describe("AzuraCast", () => {
  test("tells what is on the air, with position and public cover", async () => {
    calls = [];
    const received = await firstOf(answering(anAnswer()), SETTINGS, clock);
    expect(received).toMatchObject({
      source: "AzuraCast",
      state: "playing",
      track: { title: "Paper Lanterns", durationMs: 200_000 },
      artists: ["Juniper Vale"],
      album: {
        name: "Slow Weather",
        artworks: [{ url: "https://radio.example/api/station/lantern/art/9f33-1700000000.jpg" }],
      },
      device: { name: "Radio Lantern" },
      positionMs: 25_000,
    });
    expect(await received?.album.artworks[0]?.load()).toEqual(Buffer.from("picture"));
    expect(calls[0]).toBe("https://radio.example/api/nowplaying/lantern");
  });

  test("that has only http passes its covers on by this server alone", async () => {
    const art = "http://radio.test/api/station/lantern/art/1.jpg";
    const received = await firstOf(
      answering(anAnswer({}, {}, { art })),
      { ...SETTINGS, url: "http://radio.test" },
      clock,
    );
    expect(received?.album.artworks[0]?.url).toBeUndefined();
    expect(await received?.album.artworks[0]?.load()).toEqual(Buffer.from("picture"));
  });

  test("may redirect to a cover of its own", async () => {
    const source = azuracast(() => Response.json(anAnswer()));
    const received = await firstOf(source, SETTINGS, clock);
    redirect = "/static/img/generic_song.jpg";
    expect(await received?.album.artworks[0]?.load()).toEqual(Buffer.from("the usual one"));
    redirect = undefined;
  });

  test("tells nothing while it is off the air or between two songs", async () => {
    for (const body of [anAnswer({ is_online: false }), anAnswer({ now_playing: null })]) {
      expect(await firstOf(answering(body), SETTINGS, clock)).toBeNull();
    }
  });

  test("tells a live broadcast, which has no length", async () => {
    const live = { title: "", artist: "", text: "A live evening", art: "" };
    const received = await firstOf(answering(anAnswer({}, { duration: 0 }, live)), SETTINGS, clock);
    expect(received).toMatchObject({
      track: { title: "A live evening", durationMs: null },
      artists: [],
      album: { artworks: [] },
    });
  });

  test("tells the same song played again as another track", async () => {
    const first = await firstOf(answering(anAnswer()), SETTINGS, clock);
    const again = answering(anAnswer({}, { played_at: 1_700_000_200, elapsed: 0 }));
    expect((await firstOf(again, SETTINGS, clock))?.track.id).not.toBe(first?.track.id ?? "");
  });

  test("has whole seconds, which do not make the position jump to and fro", async () => {
    // The song began at a moment that is no whole second of the station's clock.
    const startMs = clock.monotonicMs() - 25_700;
    const source = azuracast(() => {
      const elapsed = Math.floor((clock.monotonicMs() - startMs) / 1000);
      return Response.json(anAnswer({}, { elapsed }));
    });
    const listener = listenTo(source, SETTINGS, clock);
    let last = await listener.next();
    for (let polls = 0; polls < 10; polls++) {
      const next = listener.next();
      await clock.advance(5_150);
      const received = await next;
      if (!last || !received) throw new Error("it plays");
      const stepMs = received.positionMs - positionAt(last, received.observedAtMs);
      // Each answer can only show that the song began earlier than was thought.
      expect(stepMs).toBeWithin(0, 1_000);
      last = received;
    }
    expect(last && positionAt(last, clock.monotonicMs())).toBeWithin(
      clock.monotonicMs() - startMs - 1_000,
      clock.monotonicMs() - startMs + 1,
    );
    await listener.stop();
  });

  test("is asked again right after the end of a song", async () => {
    const startMs = clock.monotonicMs() - 197_500;
    const source = azuracast(() => {
      const elapsed = Math.floor((clock.monotonicMs() - startMs) / 1000);
      const isNext = elapsed >= 200;
      return Response.json(
        isNext
          ? anAnswer({}, { played_at: 1_700_000_200, elapsed: elapsed - 200 })
          : anAnswer({}, { elapsed }),
      );
    });
    const listener = listenTo(source, SETTINGS, clock);
    const first = await listener.next();
    const next = listener.next();
    await clock.advance(3_400);
    expect((await next)?.track.id).not.toBe(first?.track.id ?? "");
    await listener.stop();
  });
});
