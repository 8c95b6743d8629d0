import { expect, test } from "bun:test";
import { delayed } from "../../src/sources/delay.ts";
import { type Said, type StoredConnection, UNSTORED } from "../../src/sources/source.ts";
import type { Playback } from "../../src/playback.ts";
import { createFakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createScriptedSource } from "../fixtures/sources/scripted-source.ts";
import { watchContext } from "../fixtures/sources/watch-context.ts";

function start(delay: number, connection?: StoredConnection) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const source = createScriptedSource();
  const watch = (signal: AbortSignal) => source.listening.watch(watchContext({ signal, clock }));
  const received: Said[] = [];
  const ended = (async () => {
    const context = watchContext({ signal: stop.signal, clock, ...(connection && { connection }) });
    const playbacks = delayed(watch, { delay }, context);
    for await (const playback of playbacks) received.push(playback);
  })();
  const song = (title: string, ageMs = 0): Playback => ({
    ...aPlayback({ track: { id: title, title, durationMs: null, explicit: false } }),
    observedAtMs: clock.monotonicMs() - ageMs,
  });
  const titles = () => received.map((one) => one && one.track.title);
  return { clock, stop, source, received, ended, song, titles };
}

test("each word is said later, in its order, with the position of what is heard then", async () => {
  const { clock, source, received, song, titles } = start(3);
  await source.says(null);
  expect(titles()).toEqual([null]);
  const [one, two] = [song("One"), song("Two")];
  await source.says(one);
  await clock.advance(1_000);
  await source.says({ ...two, observedAtMs: clock.monotonicMs() });
  await source.says(null);
  await clock.advance(1_999);
  expect(titles()).toEqual([null]);
  await clock.advance(1);
  expect(titles()).toEqual([null, "One"]);
  expect(received[1]?.observedAtMs).toBe(one.observedAtMs + 3_000);
  await clock.advance(1_000);
  expect(titles()).toEqual([null, "One", "Two", null]);
});

test("what began before that is said at once", async () => {
  const { source, song, titles } = start(3);
  await source.says(song("One", 5_000));
  expect(titles()).toEqual(["One"]);
});

test("until the first word is due, nothing can be said yet", async () => {
  const { clock, source, song, titles } = start(3);
  await source.says(song("One", 1_000));
  expect(titles()).toEqual([undefined]);
  await clock.advance(2_000);
  expect(titles()).toEqual([undefined, "One"]);
});

test("nothing waits without a delay", async () => {
  const { source, song, titles } = start(0);
  await source.says(song("One"));
  expect(titles()).toEqual(["One"]);
});

test("nothing waits in a first try", async () => {
  const { source, song, titles } = start(30, UNSTORED);
  await source.says(song("One"));
  expect(titles()).toEqual(["One"]);
});

test("a failure comes after what was said before it", async () => {
  const { clock, source, song, ended, titles } = start(1);
  await source.says(song("One"));
  await source.fails(new Error("lost"));
  const failure = ended.catch((error: unknown) => error);
  await clock.advance(1_000);
  expect(await failure).toEqual(new Error("lost"));
  expect(titles()).toEqual([undefined, "One"]);
});

test("whoever stops ends the source too, also while something waits", async () => {
  const { clock, stop, source, song, ended, titles } = start(30);
  await source.says(song("One"));
  stop.abort();
  await ended;
  await settle();
  expect(source.listeners()).toBe(0);
  await clock.advance(60_000);
  expect(titles()).toEqual([undefined]);
});
