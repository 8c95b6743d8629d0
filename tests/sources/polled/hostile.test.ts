import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SourceFailure } from "../../../src/sources/source.ts";
import { createVlc } from "../../../src/sources/kinds/vlc/index.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { failureOf, firstOf, noPauses, polledDeps } from "../../fixtures/sources/polled.ts";
import {
  LOST,
  PLAYS,
  polledSources,
  type PolledSource,
} from "../../fixtures/sources/polled-sources.ts";
import { HOSTILE_RUNS } from "../../fixtures/thorough.ts";

/** Sources, and answers in which the test changes things at random. */
const upstreams: readonly Pick<PolledSource, "create" | "answer" | "good">[] = [
  {
    create: createVlc,
    answer: {
      state: "playing",
      time: 1,
      length: 60,
      position: 0.1,
      rate: 1,
      volume: 256,
      currentplid: 3,
      information: {
        category: { meta: { filename: "a", title: "A", artist: "B", artwork_url: "file:///a" } },
      },
    },
    good: { url: PLAYS, password: LOST },
  },
  ...polledSources,
];

/** The answer with one of its values, at any depth, replaced. */
function replaced(value: unknown, steps: readonly number[], by: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== "object" || value === null) return by;
  const entries = Object.entries(value);
  const at = step % Math.max(1, entries.length);
  const changed = entries.map(([key, one], index) => [
    key,
    index === at ? replaced(one, rest, by) : one,
  ]);
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
}

const nonsense = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(-1, 1e308, -0, 1e-320, "", "\ud800", "http://[", [], {}, [[]], [null]),
);
const path = fc.array(fc.nat(20), { maxLength: 8 });

const depsOf = (...given: Parameters<typeof polledDeps>) => ({
  ...polledDeps(...given),
  pauses: noPauses(),
});
const named = upstreams.map((upstream) => ({
  ...upstream,
  id: upstream.create(depsOf(createFakeClock())).id,
}));

describe.each(named)("the upstream of $id", ({ create, answer, good }) => {
  test.each([
    [401, { kind: "unauthorized" }],
    [429, { kind: "retryLater", reason: "limited", afterMs: 30_000 }],
    [500, { kind: "unavailable" }],
  ])("that answers %d says what that means", async (status, meaning) => {
    const clock = createFakeClock();
    const source = create(depsOf(clock, async () => Response.json(answer, { status })));
    expect(await failureOf(source, good, clock)).toMatchObject({ meaning });
  });

  test("that answers nonsense breaks nothing", async () => {
    await fc.assert(
      fc.asyncProperty(path, nonsense, async (steps, by) => {
        const clock = createFakeClock();
        const body = JSON.stringify(replaced(answer, steps, by)) ?? "";
        const source = create(depsOf(clock, async () => new Response(body)));
        const received = await firstOf(source, good, clock).catch((error: unknown) => error);
        if (received instanceof SourceFailure) {
          // Only what was not foreseen has a cause.
          expect(received.cause).toBe(undefined);
          return;
        }
        if (received instanceof Error) throw received;
        if (received === null) return;
        expect(received).toMatchObject({ source: expect.any(String) });
        expectFinite(received);
      }),
      { numRuns: HOSTILE_RUNS / 4 },
    );
  });
});

/** Every number is one that can be shown. */
function expectFinite(value: unknown): void {
  if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
  if (typeof value !== "object" || value === null) return;
  for (const one of Object.values(value)) expectFinite(one);
}
