import { describe, expect, test as plainTest } from "bun:test";
import { systemClock } from "../../../src/clock.ts";
import { createSubsonic } from "../../../src/sources/kinds/subsonic/index.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { silentFlac } from "../../fixtures/mpd/flac.ts";
import {
  createSupysonicServer,
  supysonicIsInstalled,
} from "../../fixtures/players/supysonic-server.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { sharedPart } from "../../fixtures/shared-part.ts";
import { patternPicture } from "../../fixtures/sources/pictures.ts";
import { failureOf, firstOf, listenTo, polledDeps } from "../../fixtures/sources/polled.ts";

describe("a real supysonic", () => {
  const test = testWith("supysonic", supysonicIsInstalled);
  const source = createSubsonic(polledDeps(systemClock));
  const server = sharedPart({
    isInstalled: supysonicIsInstalled,
    start: async () =>
      createSupysonicServer({
        "one.flac": silentFlac({
          seconds: 180,
          cover: await patternPicture("jpeg", 300),
          tags: [
            ["TITLE", "Paper Lanterns"],
            ["ARTIST", "Juniper Vale"],
            ["ALBUM", "Slow Weather"],
          ],
        }),
      }),
    isRunning: (supysonic) => supysonic.isRunning(),
    stop: (supysonic) => supysonic.stop(),
  });
  const settings = () => {
    const { url, user, password } = server();
    return { url, user, password };
  };

  test("is asked with the encoded password, and tells nothing while nothing was streamed", async () => {
    expect(await firstOf(source, settings(), systemClock)).toBeNull();
  });

  test("tells what was streamed, from its first sight on, with its cover", async () => {
    await server().play("Paper Lanterns");
    const received = await firstOf(source, settings(), systemClock);
    expect(received).toMatchObject({
      source: "Subsonic",
      state: "playing",
      track: { title: "Paper Lanterns" },
      artists: ["Juniper Vale"],
      album: { name: "Slow Weather" },
      positionMs: 0,
      positionUnknown: true,
    });
    expect(received?.track.durationMs).toBeWithin(179_000, 182_000);
    const bytes = await received?.album.artworks[0]?.load();
    expect((await new Bun.Image(bytes ?? new Uint8Array()).metadata()).width).toBe(300);
  });

  test("that refuses the password has to be connected again", async () => {
    const wrong = { ...settings(), password: "guessed" };
    expect(await failureOf(source, wrong, systemClock)).toMatchObject({
      meaning: { kind: "unauthorized" },
    });
  });
});

describe("a server with the extension playbackReport", () => {
  const SETTINGS = { url: "http://navidrome.test:4533/music/", user: "Ada", password: "sesame" };
  const clock = createFakeClock();
  /** Entries as Navidrome sends them. */
  const anEntry = (changes: object = {}) => ({
    id: "t1",
    title: "Paper Lanterns",
    artist: "Juniper Vale • Ada",
    displayArtist: "Juniper Vale • Ada",
    artists: [
      { id: "a1", name: "Juniper Vale" },
      { id: "a2", name: "Ada" },
    ],
    album: "Slow Weather",
    duration: 200,
    coverArt: "mf-t1_67",
    username: "ada",
    minutesAgo: 1,
    playerId: 1,
    playerName: "Feishin",
    state: "playing",
    positionMs: 42_000,
    playbackRate: 1,
    ...changes,
  });
  let calls: URL[] = [];
  const answering = (body: object) =>
    createSubsonic(
      polledDeps(clock, async (url) => {
        calls.push(new URL(url));
        return Response.json({ "subsonic-response": { version: "1.16.1", ...body } });
      }),
    );
  const playing = (...entry: object[]) => answering({ status: "ok", nowPlaying: { entry } });

  plainTest("is asked with a salted token, and never gets the password", async () => {
    calls = [];
    await firstOf(playing(anEntry()), SETTINGS, clock);
    const [call] = calls;
    const salt = call?.searchParams.get("s") ?? "";
    const token = new Bun.CryptoHasher("md5").update(`sesame${salt}`).digest("hex");
    expect(salt.length).toBeGreaterThan(5);
    expect(call?.pathname).toBe("/music/rest/getNowPlaying");
    expect(call?.searchParams.get("t")).toBe(token);
    expect(call?.href).not.toContain("sesame");
  });

  plainTest("tells position, pause, speed and every artist", async () => {
    expect(await firstOf(playing(anEntry()), SETTINGS, clock)).toMatchObject({
      state: "playing",
      track: { id: "t1", title: "Paper Lanterns", durationMs: 200_000 },
      artists: ["Juniper Vale", "Ada"],
      device: { name: "Feishin" },
      positionMs: 42_000,
      rate: 1,
    });
    const paused = anEntry({ state: "paused", positionMs: 900_000, playbackRate: 1.5 });
    const received = await firstOf(playing(paused), SETTINGS, clock);
    expect(received).toMatchObject({ state: "paused", positionMs: 200_000, rate: 1.5 });
    expect(received?.positionUnknown).toBeUndefined();
  });

  plainTest("names a song without a title by its file", async () => {
    const untagged = { title: "\u200b", path: "Juniper Vale/01 - Lanterns.flac" };
    expect(await firstOf(playing(anEntry(untagged)), SETTINGS, clock)).toMatchObject({
      track: { id: "t1", title: "01 - Lanterns" },
    });
  });

  plainTest("tells nothing of other users, nor of what was stopped", async () => {
    const others = [anEntry({ username: "grace" }), anEntry({ state: "stopped" })];
    expect(await firstOf(playing(...others), SETTINGS, clock)).toBeNull();
    expect(await firstOf(answering({ status: "ok", nowPlaying: {} }), SETTINGS, clock)).toBeNull();
  });

  plainTest("tells of the player that plays, before one that is paused", async () => {
    const paused = anEntry({ id: "t2", state: "paused", minutesAgo: 0 });
    const received = await firstOf(playing(paused, anEntry()), SETTINGS, clock);
    expect(received?.track.id).toBe("t1");
  });

  plainTest.each([
    { code: 40, kind: "unauthorized" },
    { code: 41, kind: "unauthorized" },
    { code: 50, kind: "unauthorized" },
    { code: 70, kind: "unavailable" },
    { code: 0, kind: "unavailable" },
  ])("that answers with error $code is $kind", async ({ code, kind }) => {
    const failed = answering({ status: "failed", error: { code, message: "sesame" } });
    const failure = await failureOf(failed, SETTINGS, clock);
    expect(failure).toMatchObject({ meaning: { kind } });
    expect(String(failure)).not.toContain("sesame");
  });
});

describe("a server without positions", () => {
  const clock = createFakeClock();
  let minutesAgo = 0;
  const source = createSubsonic(
    polledDeps(clock, async () =>
      Response.json({
        "subsonic-response": {
          status: "ok",
          nowPlaying: {
            entry: { id: "t1", title: "One", duration: 120, username: "ada", minutesAgo },
          },
        },
      }),
    ),
  );
  const SETTINGS = { url: "http://old.test", user: "ada", password: "x" };

  plainTest("says that it knows none", async () => {
    expect(await firstOf(source, SETTINGS, clock)).toMatchObject({
      positionUnknown: true,
      positionMs: 0,
      observedAtMs: clock.monotonicMs(),
    });
  });

  plainTest("is believed no longer than the track can last", async () => {
    minutesAgo = 3;
    expect(await firstOf(source, SETTINGS, clock)).not.toBeNull();
    minutesAgo = 4;
    expect(await firstOf(source, SETTINGS, clock)).toBeNull();
  });

  plainTest(
    "is asked every five seconds, and not more often at an end that is a guess",
    async () => {
      minutesAgo = 0;
      const listener = listenTo(source, SETTINGS, clock);
      await listener.next();
      const startMs = clock.monotonicMs();
      for (let polls = 1; polls <= 30; polls++) {
        const next = listener.next();
        await clock.advance(5_000);
        await next;
      }
      expect(clock.monotonicMs() - startMs).toBe(150_000);
      await listener.stop();
    },
  );
});
