import { expect, test } from "bun:test";
import { delayed } from "../../src/sources/delay.ts";
import type { Playback } from "../../src/playback.ts";
import { createFakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

/** A source that says what it is given, until it is ended. */
function createSaid() {
  const queue: (Playback | null | Error)[] = [];
  let wake = () => {};
  let hasEnded = false;
  return {
    hasEnded: () => hasEnded,
    say(next: Playback | null | Error) {
      queue.push(next);
      wake();
    },
    async *watch(signal: AbortSignal) {
      signal.addEventListener("abort", () => wake());
      try {
        while (!signal.aborted) {
          const next = queue.shift();
          if (next instanceof Error) throw next;
          if (next !== undefined) yield next;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        hasEnded = true;
      }
    },
  };
}

function start(delay: number) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const said = createSaid();
  const received: (Playback | null)[] = [];
  const ended = (async () => {
    const playbacks = delayed(said.watch, { delay }, { clock, signal: stop.signal });
    for await (const playback of playbacks) received.push(playback);
  })();
  const song = (title: string, ageMs = 0) => ({
    ...aPlayback({ track: { id: title, title, durationMs: null, explicit: false } }),
    observedAtMs: clock.monotonicMs() - ageMs,
  });
  const titles = () => received.map((one) => one && one.track.title);
  return { clock, stop, said, received, ended, song, titles };
}

test("each word is said later, in its order, with the position of what is heard then", async () => {
  const { clock, said, received, song, titles } = start(3);
  said.say(null);
  await settle();
  expect(titles()).toEqual([null]);
  const [one, two] = [song("One"), song("Two")];
  said.say(one);
  await clock.advance(1_000);
  said.say({ ...two, observedAtMs: clock.monotonicMs() });
  said.say(null);
  await clock.advance(1_999);
  expect(titles()).toEqual([null]);
  await clock.advance(1);
  expect(titles()).toEqual([null, "One"]);
  expect(received[1]?.observedAtMs).toBe(one.observedAtMs + 3_000);
  await clock.advance(1_000);
  expect(titles()).toEqual([null, "One", "Two", null]);
});

test("what began before that is said at once", async () => {
  const { said, song, titles } = start(3);
  said.say(song("One", 5_000));
  await settle();
  expect(titles()).toEqual(["One"]);
});

test("nothing waits without a delay", async () => {
  const { said, song, titles } = start(0);
  said.say(song("One"));
  await settle();
  expect(titles()).toEqual(["One"]);
});

test("a failure comes after what was said before it", async () => {
  const { clock, said, song, ended, titles } = start(1);
  said.say(song("One"));
  said.say(new Error("lost"));
  const failure = ended.catch((error: unknown) => error);
  await clock.advance(1_000);
  expect(await failure).toEqual(new Error("lost"));
  expect(titles()).toEqual(["One"]);
});

test("whoever stops ends the source too, also while something waits", async () => {
  const { clock, stop, said, song, ended, titles } = start(30);
  said.say(song("One"));
  await settle();
  stop.abort();
  await ended;
  await settle();
  expect(said.hasEnded()).toBe(true);
  await clock.advance(60_000);
  expect(titles()).toEqual([]);
});
