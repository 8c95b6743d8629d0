import { beforeEach, expect, test } from "bun:test";
import { createInbox, type Inbox } from "../../src/ingest/inbox.ts";
import { shareInbox } from "../../src/ingest/shared-inbox.ts";
import { createWire, type WireBus } from "../fixtures/cluster/wire.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const ADAS = 4;

let clock: FakeClock;
let buses: WireBus[];
let inboxes: Inbox[];

beforeEach(() => {
  clock = createFakeClock();
  const wire = createWire(() => 1);
  buses = ["a", "b"].map((name) => wire.connect(name, clock));
  inboxes = buses.map((bus) =>
    shareInbox(createInbox(clock), {
      clock,
      bus,
      artworkFrom: (told) => ({ ...told, load: () => Promise.reject(new Error("not here")) }),
      keep() {},
    }),
  );
  for (const bus of buses) bus.restore();
});

const song = (title: string) =>
  aPlayback({
    track: { id: title, title, durationMs: 100_000, explicit: false },
    positionMs: 0,
    observedAtMs: clock.monotonicMs(),
  });
const titles = () => inboxes.map((inbox) => inbox.current(ADAS)?.track.title);

test("what is pushed to one node is in the inbox of all, until it ends", async () => {
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(10);
  expect(titles()).toEqual(["one", "one"]);
  await clock.advance(116_000);
  expect(titles()).toEqual([undefined, undefined]);
});

test("the last word counts, whichever node it came to", async () => {
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(10);
  inboxes[1]?.put(ADAS, { playback: song("two"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(10);
  expect(titles()).toEqual(["two", "two"]);
  inboxes[0]?.put(ADAS, null);
  await clock.advance(10);
  expect(titles()).toEqual([undefined, undefined]);
});

test("a word is shortened on all nodes when its program has gone", async () => {
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "whileConnected" } });
  await clock.advance(10);
  const last = inboxes[0]?.current(ADAS);
  if (last) inboxes[0]?.shorten(ADAS, last, 5_000);
  await clock.advance(4_900);
  expect(titles()).toEqual(["one", "one"]);
  await clock.advance(200);
  expect(titles()).toEqual([undefined, undefined]);
});

test("a node that was away hears the last words again, for as long as they still count", async () => {
  buses[1]?.cut();
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(60_000);
  buses[1]?.restore();
  buses[1]?.tell(["hello"]);
  await clock.advance(10);
  expect(titles()).toEqual(["one", "one"]);
  await clock.advance(54_000);
  expect(titles()).toEqual(["one", "one"]);
  await clock.advance(2_000);
  expect(titles()).toEqual([undefined, undefined]);
});

test("the dashboard of any node says what became of a message", async () => {
  inboxes[0]?.noteRefused(ADAS, "no title");
  await clock.advance(10);
  expect(inboxes[1]?.postOf(ADAS).refusal?.reason).toBe("no title");
  inboxes[0]?.noteReceived(ADAS);
  await clock.advance(10);
  expect(inboxes[1]?.postOf(ADAS).refusal).toBeNull();
});

test("what was pushed to a node that was cut off is told when it is back", async () => {
  buses[0]?.cut();
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(1_000);
  expect(titles()).toEqual(["one", undefined]);
  buses[0]?.restore();
  await clock.advance(10);
  expect(titles()).toEqual(["one", "one"]);
});
