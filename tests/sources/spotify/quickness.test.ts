import { beforeAll, expect, test } from "bun:test";
import { measureDetection } from "../../bench/detection.ts";
import { quantile } from "../../bench/measure.ts";

/** Simulated listening against the stand-in, which answers late. The seed makes it repeatable. */
const ALONE = { seed: 3, users: 1, hours: 1, budget: 180, watch: { kind: "marquee" } } as const;

// What is loaded when it is first used takes real time, for which the frozen clock does not wait.
beforeAll(async () => {
  await measureDetection({ ...ALONE, hours: 0.05 });
});

test("a lone user's changes are seen soon, and no call is refused", async () => {
  const { latencies, wrongShare, refusals, callsPerHour } = await measureDetection(ALONE);
  expect(quantile(latencies.skip, 0.5)).toBeLessThanOrEqual(0.9);
  expect(quantile(latencies.skip, 0.95)).toBeLessThanOrEqual(2);
  expect(quantile(latencies.naturalEnd, 0.5)).toBeLessThanOrEqual(0.55);
  // Something changes every 23 seconds: less than half of what the usual pace shows wrong.
  expect(wrongShare).toBeLessThanOrEqual(0.04);
  expect(refusals).toBe(0);
  expect(callsPerHour).toBeLessThanOrEqual(3_000);
});
