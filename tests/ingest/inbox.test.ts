import { beforeEach, describe, expect, test } from "bun:test";
import { createInbox, type Inbox } from "../../src/ingest/inbox.ts";
import type { Said } from "../../src/sources/source.ts";
import { createFakeClock, type FakeClock, settle, START_MS } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

let clock: FakeClock;
let inbox: Inbox;
beforeEach(() => {
  clock = createFakeClock();
  inbox = createInbox(clock);
});

const lasting = (ms: number, playback = aPlayback()) => ({
  playback,
  lifetime: { kind: "exactly" as const, ms },
});

/** Everything that a watcher is told. */
function watch(connectionId: number) {
  const stop = new AbortController();
  const told: Said[] = [];
  const ended = (async () => {
    for await (const playback of inbox.watch(connectionId, stop.signal)) told.push(playback);
  })();
  return { told, ended, stop: () => stop.abort() };
}

describe("the inbox", () => {
  test("tells each word at once, and that it has expired", async () => {
    const { told } = watch(1);
    const first = aPlayback();
    const second = aPlayback({ state: "paused" });
    inbox.put(1, lasting(1_000, first));
    await settle();
    inbox.put(1, lasting(1_000, second));
    await clock.advance(999);
    expect(told).toEqual([undefined, first, second]);
    await clock.advance(1);
    expect(told).toEqual([undefined, first, second, null]);
    expect(clock.waiting()).toBe(0);
  });

  test("keeps what was pushed while nobody watched, until it expires", async () => {
    const playback = aPlayback();
    inbox.put(1, lasting(1_000, playback));
    await clock.advance(999);
    const early = watch(1);
    await settle();
    await clock.advance(1);
    const late = watch(1);
    await settle();
    expect(early.told).toEqual([playback, null]);
    expect(late.told).toEqual([undefined]);
  });

  test("tells several watchers of a connection, and none of another", async () => {
    const watchers = [watch(1), watch(1), watch(2)];
    await settle();
    const playback = aPlayback();
    inbox.put(1, lasting(1_000, playback));
    await settle();
    expect(watchers.map(({ told }) => told)).toEqual([
      [undefined, playback],
      [undefined, playback],
      [undefined],
    ]);
  });

  test("ends a word when it is told that nothing plays", async () => {
    const { told } = watch(1);
    inbox.put(1, lasting(1_000));
    await settle();
    inbox.put(1, null);
    await settle();
    expect(told.at(-1)).toBe(null);
    expect(inbox.current(1)).toBe(null);
  });

  test("shortens what counts, and lengthens nothing", async () => {
    const first = aPlayback();
    inbox.put(1, lasting(10_000, first));
    inbox.shorten(1, 60_000);
    await clock.advance(9_999);
    expect(inbox.current(1)).toBe(first);
    await clock.advance(1);
    expect(inbox.current(1)).toBe(null);

    const { told } = watch(1);
    inbox.put(1, lasting(10_000, first));
    await settle();
    inbox.shorten(1, 1_000);
    await clock.advance(1_000);
    expect(told).toEqual([undefined, first, null]);
  });

  test("ends a watcher that is told to, and leaves no timer behind", async () => {
    inbox.put(1, lasting(1_000));
    const { ended, stop } = watch(1);
    await settle();
    expect(clock.waiting()).toBe(1);
    stop();
    await ended;
    expect(clock.waiting()).toBe(0);
  });

  test("remembers when something was received, and why the last message was refused", async () => {
    expect(inbox.postOf(1)).toEqual({ receivedAt: null, refusal: null });
    inbox.noteReceived(1);
    await clock.advance(1_000);
    inbox.noteRefused(1, "title is missing.");
    expect(inbox.postOf(1)).toEqual({
      receivedAt: START_MS,
      refusal: { at: START_MS + 1_000, reason: "title is missing." },
    });
    inbox.noteReceived(1);
    expect(inbox.postOf(1)).toEqual({ receivedAt: START_MS + 1_000, refusal: null });
    expect(inbox.postOf(2)).toEqual({ receivedAt: null, refusal: null });
  });
});
