import { describe, expect } from "bun:test";
import type { test as bunTest } from "bun:test";
import type { Clock } from "../../src/clock.ts";
import { describeError } from "../../src/log.ts";
import type { Playback } from "../../src/playback.ts";
import { allSources } from "../fixtures/sources/all-sources.ts";
import { watchContext } from "../fixtures/sources/watch-context.ts";
import { Refused } from "../../src/i18n/refused.ts";
import { type Source, SourceFailure } from "../../src/sources/source.ts";

/** What the suite needs to know of a source. */
export interface SourceHarness {
  readonly source: Source;
  readonly test: typeof bunTest;
  readonly clock: Clock;
  /** Settings with which something is playing. */
  goodSettings(): unknown;
  /** Settings that cannot be used, if there are any. */
  readonly badSettings: readonly unknown[];
  /** Settings of an upstream that does not answer, with a secret that must not be told. */
  readonly unreachable?: { readonly settings: unknown; readonly secret: string };
  /** Settings whose secret the upstream does not take. */
  readonly refused?: { settings(): unknown; readonly secret: string };
}

/** Every source keeps these promises. */
export function describeSourceContract({ source, test, ...harness }: SourceHarness): void {
  const watch = (settings: unknown, signal: AbortSignal) =>
    source
      .open(settings)
      .watch(watchContext({ signal, clock: harness.clock }))
      [Symbol.asyncIterator]();

  describe(`the source ${source.id}`, () => {
    test("is listed once, under a name that fits a command line", () => {
      expect(source.id).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(allSources().filter(({ id }) => id === source.id)).toHaveLength(1);
    });

    test("says soon what is playing, in a form that can be shown", async () => {
      const stop = new AbortController();
      const settings = harness.goodSettings();
      const iterator = watch(settings, stop.signal);
      const { value, done } = await iterator.next();
      expect(done).toBeFalsy();
      if (!value) throw new Error("it plays, and the source says that it does not");
      expectSensible(value, harness.clock.monotonicMs());
      expectPublic(value, secretsIn(source, settings));
      if (source.facts.viewersKnow !== undefined) expect(value.source).toBe(source.name);
      stop.abort();
      await iterator.return?.();
    });

    test("ends when it is told to, between two words", async () => {
      const stop = new AbortController();
      const iterator = watch(harness.goodSettings(), stop.signal);
      await iterator.next();
      const rest = iterator.next();
      stop.abort();
      expect((await rest).done).toBe(true);
    });

    test("ends when it was told to before it began", async () => {
      const { done } = await watch(harness.goodSettings(), AbortSignal.abort()).next();
      expect(done).toBe(true);
    });

    for (const settings of harness.badSettings) {
      test(`refuses the settings ${JSON.stringify(settings)} `, () => {
        expect(() => source.open(settings)).toThrow(Refused);
      });
    }

    test("stores settings that it understands again", () => {
      const { settings } = source.open(harness.goodSettings());
      expect(source.open(JSON.parse(JSON.stringify(settings))).settings).toEqual(settings);
    });

    const failureOf = async (settings: unknown): Promise<SourceFailure> => {
      const failure = await watch(settings, new AbortController().signal)
        .next()
        .catch((error: unknown) => error);
      if (failure instanceof SourceFailure) return failure;
      throw new Error(`it came to ${Bun.inspect(failure)}`);
    };

    const { unreachable, refused } = harness;
    if (unreachable) {
      test("fails as unavailable when nobody answers, and tells no secret", async () => {
        const failure = await failureOf(unreachable.settings);
        expect(failure.meaning.kind).toBe("unavailable");
        expect(Bun.inspect(failure)).not.toContain(unreachable.secret);
        // As it stands in the log, with its causes: no reason is told twice.
        const reasons = describeError(failure)
          .split(/[:(),] ?|\)/)
          .filter((part) => part.includes(" "));
        expect(new Set(reasons).size).toBe(reasons.length);
      });
    }

    if (refused) {
      test("has to be connected again where it is refused, and tells no secret", async () => {
        const failure = await failureOf(refused.settings());
        expect(failure.meaning.kind).toBe("unauthorized");
        expect(Bun.inspect(failure)).not.toContain(refused.secret);
      });
    }
  });
}

/** The values of the options that are secret. */
function secretsIn({ options }: Source, settings: unknown): string[] {
  const given = new Map(Object.entries(settings ?? {}));
  return Object.entries(options)
    .filter(([, { secret }]) => secret)
    .map(([name]) => given.get(name))
    .filter((value): value is string => typeof value === "string" && value !== "");
}

/** Others see what plays, and the addresses of its covers. */
function expectPublic(playback: Playback, secrets: readonly string[]): void {
  const told = JSON.stringify(playback);
  for (const secret of secrets) expect(told).not.toContain(secret);
  for (const { url = "https://" } of playback.album.artworks) expect(url).toStartWith("https://");
}

function expectSensible(playback: Playback, nowMs: number): void {
  const { track, album, device, artists, positionMs } = playback;
  expect(track.id).not.toBe("");
  expect(track.title).not.toBe("");
  expect(
    [...artists, album.name, device.name, device.type].every((text) => typeof text === "string"),
  ).toBe(true);
  expect(positionMs).toBeWithin(0, (track.durationMs ?? Number.MAX_SAFE_INTEGER) + 1);
  expect(playback.observedAtMs).toBeLessThanOrEqual(nowMs);
  expect(playback.rate).toBeGreaterThan(0);
  if (device.volumePercent !== null) expect(device.volumePercent).toBeWithin(0, 101);
}
