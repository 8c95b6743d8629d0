import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Reading } from "../../src/channels/reading.ts";
import { createAnnouncements } from "../../src/chat/announcements.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const song = (id: string, state: "playing" | "paused" = "playing"): Reading => ({
  kind: "playback",
  connectionId: 1,
  playback: aPlayback({
    state,
    track: { id, title: id, durationMs: null, explicit: false },
  }),
});
const HIDDEN: Reading = { kind: "nothing", hides: "song" };
const SHARING_PAUSED: Reading = { kind: "nothing", hides: "all" };

function announcing(everyMs = 60_000) {
  const clock = createFakeClock();
  const announced: { readonly id: string; readonly atMs: number }[] = [];
  let followed: ((reading: Reading) => void) | undefined;
  let playing = "";
  const announcements = createAnnouncements({
    ...{ clock, everyMs },
    subscribe(note) {
      followed = note;
      return () => (followed = undefined);
    },
    announce: () => announced.push({ id: playing, atMs: clock.monotonicMs() }),
  });
  return {
    ...{ clock, announced, announcements },
    isFollowed: () => followed !== undefined,
    ids: () => announced.map(({ id }) => id),
    async plays(reading: Reading, ms: number) {
      if (reading.kind === "playback") playing = reading.playback.track.id;
      followed?.(reading);
      await clock.advance(ms);
    },
  };
}

describe("announcements", () => {
  test("follow the user's music only while the stream is live", () => {
    const { announcements, isFollowed } = announcing();
    expect(isFollowed()).toBe(false);
    announcements.setLive(true);
    expect(isFollowed()).toBe(true);
    announcements.setLive(false);
    expect(isFollowed()).toBe(false);
  });

  test("name a new song after ten seconds, but not the first one", async () => {
    const { announcements, plays, ids, clock } = announcing();
    announcements.setLive(true);
    await plays(song("a"), 60_000);
    await plays(song("b"), 9_999);
    expect(ids()).toEqual([]);
    await clock.advance(1);
    expect(ids()).toEqual(["b"]);
  });

  test("name no song that was skipped, and none twice", async () => {
    const { announcements, plays, ids } = announcing();
    announcements.setLive(true);
    await plays(song("a"), 0);
    await plays(song("b"), 9_000);
    await plays(song("c"), 10_000);
    await plays(song("c", "paused"), 90_000);
    await plays(song("c"), 90_000);
    expect(ids()).toEqual(["c"]);
  });

  test("wait for a minute after the last one, with the newest song alone", async () => {
    const { announcements, plays, announced } = announcing();
    announcements.setLive(true);
    await plays(song("a"), 0);
    await plays(song("b"), 25_000);
    await plays(song("c"), 20_000);
    await plays(song("d"), 90_000);
    const [first, second] = announced;
    expect([first?.id, second?.id]).toEqual(["b", "d"]);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBe(60_000);
  });

  test("do not name the song at which sharing is resumed, nor a hidden one", async () => {
    const { announcements, plays, ids } = announcing();
    announcements.setLive(true);
    await plays(song("a"), 0);
    await plays(song("b"), 9_000);
    await plays(HIDDEN, 60_000);
    await plays(SHARING_PAUSED, 60_000);
    await plays(song("c"), 60_000);
    await plays(song("d"), 60_000);
    expect(ids()).toEqual(["d"]);
  });

  test("outlast a source that cannot be asked for a moment", async () => {
    const { announcements, plays, ids } = announcing();
    announcements.setLive(true);
    await plays(song("a"), 0);
    await plays(song("b"), 5_000);
    await plays({ kind: "unavailable", retryAfterMs: 1_000 }, 5_000);
    expect(ids()).toEqual(["b"]);
  });

  test("keep their distance whatever plays", async () => {
    const step = fc.record({
      reading: fc.oneof(
        fc.constantFrom("a", "b", "c").map((id) => song(id)),
        fc.constantFrom(HIDDEN, SHARING_PAUSED, song("a", "paused")),
      ),
      ms: fc.integer({ min: 0, max: 90_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { announcements, plays, announced } = announcing(30_000);
        announcements.setLive(true);
        for (const { reading, ms } of steps) await plays(reading, ms);
        for (const [index, { id, atMs }] of announced.entries()) {
          const before = announced[index - 1];
          if (!before) continue;
          expect(atMs - before.atMs).toBeGreaterThanOrEqual(30_000);
          expect(id).not.toBe(before.id);
        }
      }),
    );
  });
});
