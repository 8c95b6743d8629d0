import { describe, expect, test } from "bun:test";
import { createBeefweb } from "../../../src/sources/kinds/beefweb/index.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { firstOf, polledDeps } from "../../fixtures/sources/polled.ts";

const clock = createFakeClock();
const SETTINGS = { url: "http://player.test:8880" };
let calls: { url: string; authorization: string | null }[] = [];

const beefweb = (answer: () => Response) =>
  createBeefweb(
    polledDeps(clock, async (url, { headers }) => {
      calls.push({ url, authorization: new Headers(headers).get("Authorization") });
      return url.includes("/artwork/") ? new Response("picture") : answer();
    }),
  );
/** As in https://github.com/hyperblast/beefweb/blob/master/docs/player-api.yml */
const aPlayer = (changes: object = {}, item: object = {}) => ({
  info: { name: "foobar2000", title: "foobar2000", version: "2.1", pluginVersion: "0.8" },
  activeItem: {
    playlistId: "p 1",
    playlistIndex: 0,
    index: 4,
    position: 42.25,
    duration: 200.5,
    columns: ["Paper Lanterns", "Juniper Vale", "Slow Weather"],
    ...item,
  },
  playbackState: "playing",
  volume: { type: "linear", min: 0, max: 100, value: 40, isMuted: false },
  ...changes,
});
const answering = (player: object) => beefweb(() => Response.json({ player }));

describe("Beefweb", () => {
  test("tells title, artist, album, exact position, volume and cover", async () => {
    calls = [];
    const received = await firstOf(answering(aPlayer()), SETTINGS, clock);
    expect(received).toMatchObject({
      source: "Beefweb",
      state: "playing",
      track: { title: "Paper Lanterns", durationMs: 200_500 },
      artists: ["Juniper Vale"],
      album: { name: "Slow Weather" },
      device: { name: "foobar2000", volumePercent: 40 },
      positionMs: 42_250,
    });
    expect(await received?.album.artworks[0]?.load()).toEqual(Buffer.from("picture"));
    expect(calls.map(({ url }) => url)).toEqual([
      "http://player.test:8880/api/player?columns=%25title%25,%25artist%25,%25album%25",
      "http://player.test:8880/api/artwork/p%201/4",
    ]);
    expect(calls[0]?.authorization).toBeNull();
  });

  test("gets user name and password if there are any, for covers too", async () => {
    calls = [];
    const settings = { ...SETTINGS, user: "ada", password: "ünï" };
    const received = await firstOf(answering(aPlayer()), settings, clock);
    await received?.album.artworks[0]?.load();
    const expected = `Basic ${Buffer.from("ada:ünï").toString("base64")}`;
    expect(calls.map(({ authorization }) => authorization)).toEqual([expected, expected]);
  });

  test("names another cover when a playlist was sorted under the same number", async () => {
    const before = await firstOf(answering(aPlayer()), SETTINGS, clock);
    const sorted = aPlayer({}, { columns: ["Other", "Other", "Other"] });
    const after = await firstOf(answering(sorted), SETTINGS, clock);
    expect(after?.album.artworks[0]?.key).not.toBe(before?.album.artworks[0]?.key ?? "");
  });

  test("tells a pause, and nothing when it is stopped", async () => {
    const paused = await firstOf(answering(aPlayer({ playbackState: "paused" })), SETTINGS, clock);
    expect(paused?.state).toBe("paused");
    const stopped = answering(aPlayer({ playbackState: "stopped" }, { index: -1 }));
    expect(await firstOf(stopped, SETTINGS, clock)).toBeNull();
  });

  test("tells a stream outside of playlists, without length and artist", async () => {
    const stream = { playlistId: "", index: -1, duration: -1, columns: ["Radio", "?", "?"] };
    calls = [];
    const received = await firstOf(answering(aPlayer({}, stream)), SETTINGS, clock);
    expect(received).toMatchObject({
      track: { title: "Radio", durationMs: null },
      artists: [],
      album: { name: "" },
    });
    await received?.album.artworks[0]?.load();
    expect(calls.at(-1)?.url).toBe("http://player.test:8880/api/artwork/current");
  });

  test.each([
    { what: "0 dB", volume: { type: "db", min: -100, max: 0, value: 0 }, percent: 100 },
    { what: "-20 dB", volume: { type: "db", min: -100, max: 0, value: -20 }, percent: 10 },
    { what: "the least dB", volume: { type: "db", min: -100, max: 0, value: -100 }, percent: 0 },
    { what: "50 of 200", volume: { type: "linear", min: 0, max: 200, value: 50 }, percent: 25 },
    {
      what: "a muted volume",
      volume: { type: "linear", min: 0, max: 100, value: 40, isMuted: true },
      percent: 0,
    },
    { what: "a volume without a value", volume: { type: "linear" }, percent: null },
  ])("reads $what as a share of the full volume", async ({ volume, percent }) => {
    const received = await firstOf(answering(aPlayer({ volume })), SETTINGS, clock);
    expect(received?.device.volumePercent).toBe(percent);
  });

  test("takes a playlist whose name is broken text", async () => {
    const broken = aPlayer({}, { playlistId: "\ud800" });
    expect((await firstOf(answering(broken), SETTINGS, clock))?.state).toBe("playing");
  });
});
