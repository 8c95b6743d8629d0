import { describe, expect, test } from "bun:test";
import { createLastfm } from "../../../src/sources/kinds/lastfm/index.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { useCommandLine } from "../../fixtures/servers/command-line.ts";
import { failureOf, firstOf, noPauses, polledDeps } from "../../fixtures/sources/polled.ts";

const clock = createFakeClock();
const SETTINGS = { user: "frikandel_" };
const KEY = "b25b959554ed76058ac220b7b2e0a026";
const COVER = "https://lastfm.freetls.fastly.net/i/u/300x300/7c9c4d1009514b178c82f2201e3a1fce.jpg";
const STAR = "https://lastfm.freetls.fastly.net/i/u/300x300/2a96cbd8b46e442fc41c2b86b821562f.png";

/** As in https://github.com/lastfm-docs/api-docs/blob/master/docs/user/getRecentTracks.md */
const aTrack = (changes: object = {}) => ({
  "@attr": { nowplaying: "true" },
  artist: { mbid: "63aa26c3", "#text": "Tame Impala" },
  album: { mbid: "0d2cb66c", "#text": "Lonerism" },
  image: [
    { size: "small", "#text": COVER.replace("300x300", "34s") },
    { size: "extralarge", "#text": COVER },
  ],
  streamable: "0",
  url: "https://www.last.fm/music/Tame+Impala/_/Apocalypse+Dreams",
  name: "Apocalypse Dreams",
  mbid: "08b8e930",
  ...changes,
});
const HEARD_BEFORE = aTrack({
  "@attr": undefined,
  date: { uts: "1603186824", "#text": "20 Oct 2020, 09:40" },
  name: "Endors Toi",
});

let calls: URL[] = [];
const lastfm = (answer: () => Response, apiKey: string | null = KEY) =>
  createLastfm({
    ...polledDeps(clock, async (url) => {
      calls.push(new URL(url));
      return url.includes("/i/u/") ? new Response("picture") : answer();
    }),
    apiUrl: "https://ws.audioscrobbler.com",
    apiKey,
    pauses: noPauses(),
  });
const answering = (track: unknown, user = "Frikandel_") =>
  lastfm(() =>
    Response.json({ recenttracks: { "@attr": { user, page: "1", total: "94613" }, track } }),
  );
const failing = (error: number, status = 200) =>
  lastfm(() => Response.json({ error, message: `about ${KEY}` }, { status }));

describe("Last.fm", () => {
  test("is asked for one track of the user, with the operator's key", async () => {
    calls = [];
    await firstOf(answering([HEARD_BEFORE]), SETTINGS, clock);
    expect(calls.map(({ origin, pathname }) => origin + pathname)).toEqual([
      "https://ws.audioscrobbler.com/2.0/",
    ]);
    expect(Object.fromEntries(calls[0]?.searchParams ?? [])).toEqual({
      method: "user.getrecenttracks",
      user: "frikandel_",
      api_key: KEY,
      format: "json",
      limit: "1",
    });
  });

  test("tells what is scrobbled now, with its cover and without a position", async () => {
    const received = await firstOf(answering([aTrack(), HEARD_BEFORE]), SETTINGS, clock);
    expect(received).toMatchObject({
      source: "Last.fm",
      state: "playing",
      track: { title: "Apocalypse Dreams", durationMs: null },
      artists: ["Tame Impala"],
      album: { name: "Lonerism", artworks: [{ url: COVER }] },
      positionMs: 0,
      positionUnknown: true,
    });
    expect(await received?.album.artworks[0]?.load()).toEqual(Buffer.from("picture"));
  });

  test("may send one track instead of a list, and none at all", async () => {
    const received = await firstOf(answering(aTrack()), SETTINGS, clock);
    expect(received?.track.title).toBe("Apocalypse Dreams");
    for (const track of [HEARD_BEFORE, [], undefined]) {
      expect(await firstOf(answering(track), SETTINGS, clock)).toBeNull();
    }
  });

  test.each([
    [{}, "Tame Impala Apocalypse Dreams"],
    [{ artist: undefined }, " Apocalypse Dreams"],
  ])("without an address is known by its names: %j", async (changes, id) => {
    const received = await firstOf(
      answering(aTrack({ url: undefined, ...changes })),
      SETTINGS,
      clock,
    );
    expect(received?.track.id).toBe(id);
  });

  test("plays nothing where it marks a track with something that is no text", async () => {
    const nowplaying = { toString: null };
    const source = answering(aTrack({ "@attr": { nowplaying } }));
    expect(await firstOf(source, SETTINGS, clock)).toBeNull();
  });

  test("has no cover where it sends its star, an http address or nothing", async () => {
    for (const url of [STAR, COVER.replace("https", "http"), ""]) {
      const image = [{ size: "extralarge", "#text": url }];
      const received = await firstOf(answering([aTrack({ image })]), SETTINGS, clock);
      expect(received?.album.artworks).toEqual([]);
    }
  });

  test("that answers with another user's tracks is not believed", async () => {
    expect(await failureOf(answering([aTrack()], "grace"), SETTINGS, clock)).toMatchObject({
      meaning: { kind: "unavailable" },
    });
  });

  test.each([
    { error: 6, status: 404, meaning: { kind: "unauthorized" } },
    { error: 17, status: 403, meaning: { kind: "unauthorized" } },
    { error: 10, status: 403, meaning: { kind: "retryLater", reason: "keyRefused" } },
    { error: 26, status: 403, meaning: { kind: "retryLater", reason: "keyRefused" } },
    { error: 29, status: 200, meaning: { kind: "retryLater", reason: "limited" } },
    { error: 11, status: 200, meaning: { kind: "unavailable" } },
    { error: 16, status: 500, meaning: { kind: "unavailable" } },
  ])("with error $error is $meaning.kind and tells no key", async ({ error, status, meaning }) => {
    const failure = await failureOf(failing(error, status), SETTINGS, clock);
    expect(failure).toMatchObject({ meaning });
    expect(Bun.inspect(failure)).not.toContain(KEY);
  });

  test("that asks for a pause gets it, whichever user asks next", async () => {
    let answers = 0;
    const source = lastfm(() => {
      answers += 1;
      return new Response("", { status: 429, headers: { "retry-after": "60" } });
    });
    await failureOf(source, SETTINGS, clock);
    expect(await failureOf(source, { user: "grace" }, clock)).toMatchObject({
      meaning: { kind: "retryLater", afterMs: 60_000 },
    });
    expect(answers).toBe(1);
  });

  test("without a key says what the operator has to do", async () => {
    const failure = await failureOf(
      lastfm(() => new Response(), null),
      SETTINGS,
      clock,
    );
    expect(failure).toMatchObject({ meaning: { kind: "retryLater", reason: "keyMissing" } });
    expect(String(failure)).toContain("--lastfm-api-key");
  });
});

describe("marquee connect USER lastfm", () => {
  const { marquee } = useCommandLine();
  test("says what the operator has to do while there is no key", async () => {
    await marquee("user", "add", "ada");
    const { code, errors } = await marquee("connect", "ada", "lastfm", "--user", "ada");
    expect(code).toBe(0);
    expect(errors).toContain("--lastfm-api-key");
    expect(errors).toContain("last.fm/api/account/create");
  });
});
