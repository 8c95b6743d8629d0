import { expect, test } from "bun:test";
import { createEventLoopDelay } from "../src/event-loop-delay.ts";
import { createFakeClock } from "./fixtures/clock/fake-clock.ts";

/** A histogram that a test fills, in milliseconds. */
function createHistogram() {
  let isOn = false;
  let late: number[] = [];
  const histogram = {
    get count() {
      return late.length;
    },
    enable: () => (isOn = true),
    disable: () => (isOn = false),
    reset: () => void (late = []),
    percentile: (share: number) =>
      (late.toSorted((a, b) => a - b)[Math.ceil((share / 100) * late.length) - 1] ?? 0) * 1e6,
  };
  return { histogram, isOn: () => isOn, was: (...ms: number[]) => void late.push(...ms) };
}

test("the delay of the event loop is that since the reading before, and unknown at first", () => {
  const { histogram, was } = createHistogram();
  const read = createEventLoopDelay(createFakeClock(), histogram);
  expect(read()).toEqual({ median: NaN, p99: NaN });
  was(...Array<number>(98).fill(1), 80, 90);
  expect(read()).toEqual({ median: 0.001, p99: 0.08 });
  was(2);
  expect(read()).toEqual({ median: 0.002, p99: 0.002 });
  expect(read()).toEqual({ median: NaN, p99: NaN });
});

test("the event loop is measured only while somebody reads", async () => {
  const { histogram, isOn, was } = createHistogram();
  const clock = createFakeClock();
  const read = createEventLoopDelay(clock, histogram);
  expect(isOn()).toBe(false);
  read();
  expect(isOn()).toBe(true);
  await clock.advance(299_000);
  read();
  await clock.advance(299_000);
  expect(isOn()).toBe(true);
  await clock.advance(1_000);
  expect(isOn()).toBe(false);
  was(7);
  expect(read()).toEqual({ median: NaN, p99: NaN });
  expect(isOn()).toBe(true);
});
