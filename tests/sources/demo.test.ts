import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { playlist } from "../../src/sources/kinds/demo/playlist.ts";
import { DEMO_SONGS } from "../../widget/options.ts";
import { demo, demoAt, watchDemoSong } from "../../src/sources/kinds/demo/index.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { watchContext } from "../fixtures/sources/watch-context.ts";

const instant = fc.integer({ min: 0, max: 100 * 365 * 86_400_000 });

describe("the demo", () => {
  test("plays the same for everybody at any time, within a track", () => {
    fc.assert(
      fc.property(instant, (wallMs) => {
        const moment = demoAt(wallMs);
        expect(moment).toEqual(demoAt(wallMs));
        expect(moment.positionMs).toBeWithin(0, moment.track.durationMs);
        expect(moment.changesInMs).toBeGreaterThan(0);
      }),
    );
  });

  test("goes on exactly as it announced", () => {
    fc.assert(
      fc.property(instant, fc.double({ min: 0, max: 0.999, noNaN: true }), (wallMs, share) => {
        const before = demoAt(wallMs);
        const elapsedMs = Math.floor(before.changesInMs * share);
        const after = demoAt(wallMs + elapsedMs);
        const expected =
          before.state === "playing" ? before.positionMs + elapsedMs : before.positionMs;
        expect(after).toMatchObject({
          track: before.track,
          state: before.state,
          positionMs: expected,
        });
        expect(demoAt(wallMs + before.changesInMs)).not.toMatchObject({
          track: before.track,
          state: before.state,
        });
      }),
    );
  });

  test("has several lengths, pauses, a title too long for a card, CJK and right-to-left text", () => {
    const titles = playlist.map(({ title }) => title);
    expect(new Set(playlist.map(({ durationMs }) => durationMs)).size).toBeGreaterThan(4);
    expect(playlist.some(({ pause }) => pause)).toBe(true);
    expect(titles.some((title) => title.length >= 100)).toBe(true);
    expect(titles.some((title) => /\p{Script=Han}|\p{Script=Hiragana}/u.test(title))).toBe(true);
    expect(titles.some((title) => /\p{Script=Arabic}/u.test(title))).toBe(true);
  });

  test("has a picture for every track", async () => {
    const sizes = await Promise.all(
      playlist.map(({ cover = "" }) => new Bun.Image(Bun.file(cover)).metadata()),
    );
    for (const { width, height } of sizes) expect([width, height]).toEqual([480, 480]);
  });

  test("begins with an ordinary title, however long the server has run", async () => {
    const clock = createFakeClock();
    await clock.advance(1_234_567_890);
    const ended = new AbortController();
    for await (const playback of demo
      .open(null)
      .watch(watchContext({ clock, signal: ended.signal }))) {
      expect(playback).toMatchObject({ track: { title: "Paper Lanterns" }, positionMs: 0 });
      ended.abort();
    }
  });

  test.each(DEMO_SONGS)("plays the song %s alone, again and again", async (song) => {
    const clock = createFakeClock();
    const ended = new AbortController();
    const watching = watchDemoSong(song, { clock, signal: ended.signal });
    const { value: first } = await watching.next();
    const next = watching.next();
    await clock.advance(300_000);
    const { value: again } = await next;
    expect(again).toMatchObject({ track: { id: first?.track.id }, positionMs: 0 });
    expect(first?.album.artworks.length).toBe(song === "coverless" ? 0 : 1);
    ended.abort();
  });

  test("is one object for all who watch it at the same time", async () => {
    const clock = createFakeClock();
    const first = async () => {
      const ended = new AbortController();
      const watching = demo.open(null).watch(watchContext({ clock, signal: ended.signal }));
      for await (const playback of watching) {
        ended.abort();
        return playback;
      }
      return undefined;
    };
    const playback = await first();
    await clock.advance(1_000);
    expect(await first()).toBe(playback);
    await clock.advance(600_000);
    expect(await first()).not.toBe(playback);
  });

  test("tells each change when it comes", async () => {
    const clock = createFakeClock();
    const stop = new AbortController();
    const received = demo
      .open(null)
      .watch(watchContext({ signal: stop.signal, clock }))
      [Symbol.asyncIterator]();
    const first = (await received.next()).value;
    const change = received.next();
    await clock.advance(demoAt(0).changesInMs);
    const second = (await change).value;
    expect([second?.track.id, second?.state]).not.toEqual([first?.track.id, first?.state]);
    stop.abort();
  });
});
