import { expect, test } from "bun:test";
import { createIdleMemory } from "../src/idle-memory.ts";

/** How often memory is given back while the processor works for these milliseconds in ten seconds each. */
function releasesDuring(...worked: number[]): number[] {
  let [cpuMs, atMs, releases] = [500, 0, 0];
  const check = createIdleMemory({
    cpuMs: () => cpuMs,
    monotonicMs: () => atMs,
    release: () => void (releases += 1),
  });
  return worked.map((ms) => {
    cpuMs += ms;
    atMs += 10_000;
    check();
    return releases;
  });
}

test("memory is given back once when there is little to do", () => {
  expect(releasesDuring(50, 50, 0)).toEqual([1, 1, 1]);
});

test("memory is kept while there is something to do, now and then", () => {
  expect(releasesDuring(9_000, 300, 201)).toEqual([0, 0, 0]);
  expect(releasesDuring(9_000, 20, 20, 201, 20, 20)).toEqual([0, 0, 0, 0, 0, 0]);
});

test("memory is given back again half a minute after there was something to do", () => {
  expect(releasesDuring(20, 4_000, 20, 20, 20, 20)).toEqual([1, 1, 1, 1, 2, 2]);
});
