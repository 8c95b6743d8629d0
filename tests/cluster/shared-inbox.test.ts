import { beforeEach, expect, test } from "bun:test";
import { createInbox, type Inbox } from "../../src/ingest/inbox.ts";
import { shareInbox } from "../../src/cluster/shared-inbox.ts";
import { createWire, type Wire, type WireBus } from "../fixtures/cluster/wire.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const ADAS = 4;

let clock: FakeClock;
let wire: Wire;
let buses: WireBus[];
let inboxes: Inbox[];
let alive: string[];
let beats: (() => void)[];

const share = (bus: WireBus): Inbox =>
  shareInbox(createInbox(clock), {
    clock,
    bus,
    leases: {
      standing: true,
      get nodes() {
        return alive;
      },
      onChange: (listener) => void beats.push(listener),
    },
    artworkFrom: (told) => ({ ...told, load: () => Promise.reject(new Error("not here")) }),
    keep() {},
  });

beforeEach(() => {
  clock = createFakeClock();
  wire = createWire(() => 1);
  alive = ["a", "b"];
  beats = [];
  buses = alive.map((name) => wire.connect(name, clock));
  inboxes = buses.map(share);
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

test("what a node that was away repeats does not replace what is newer", async () => {
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(10);
  buses[0]?.cut();
  inboxes[1]?.put(ADAS, { playback: song("two"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(1_000);
  buses[0]?.restore();
  buses[0]?.tell(["hello"]);
  await clock.advance(10);
  expect(titles()).toEqual(["two", "two"]);
});

test("a node that was away hears that nothing plays any more", async () => {
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(10);
  buses[0]?.cut();
  inboxes[1]?.put(ADAS, null);
  await clock.advance(1_000);
  buses[0]?.restore();
  buses[0]?.tell(["hello"]);
  await clock.advance(10);
  expect(titles()).toEqual([undefined, undefined]);
});

/** The first node is gone for good, and another one starts some time later. */
async function replaceTheFirst(name = "c") {
  buses[0]?.cut();
  await clock.advance(10_000);
  const bus = wire.connect(name, clock);
  const inbox = share(bus);
  bus.restore();
  bus.tell(["hello"]);
  alive = ["b", name];
  for (let beat = 0; beat < 3; beat++) {
    for (const hear of beats) hear();
    await clock.advance(2_000);
  }
  return inbox;
}

test("a node that starts hears the words that came to a node which is gone", async () => {
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(10);
  expect((await replaceTheFirst()).current(ADAS)?.track.title).toBe("one");
});

test("words of a node that is gone are repeated for each node that starts", async () => {
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(10);
  buses[0]?.cut();
  alive = ["b", "c"];
  for (const name of ["c", "d", "e"]) {
    const bus = wire.connect(name, clock);
    const inbox = share(bus);
    bus.restore();
    bus.tell(["hello"]);
    await clock.advance(100);
    expect(inbox.current(ADAS)?.track.title).toBe("one");
    alive = [...new Set([...alive, name])];
  }
});

test("words of a node that is gone are repeated also if the first of the others knows none", async () => {
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(10);
  expect((await replaceTheFirst("aa")).current(ADAS)?.track.title).toBe("one");
});

test("a node that was away is not believed before it has heard what it missed", async () => {
  inboxes[1]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(10);
  buses[1]?.cut();
  inboxes[0]?.put(ADAS, { playback: song("two"), lifetime: { kind: "untilItsEnd" } });
  await clock.advance(1_000);
  buses[1]?.restore();
  buses[1]?.tell(["hello"]);
  const watching = inboxes[1]?.watch(ADAS, new AbortController().signal)[Symbol.asyncIterator]();
  const first = watching?.next();
  await clock.advance(1_000);
  expect((await first)?.value?.track.title).toBe("two");
});

test("a program stays connected to a node that only seemed to be gone", async () => {
  const stream = { ...song("one"), track: { ...song("one").track, durationMs: null } };
  inboxes[0]?.put(ADAS, { playback: stream, lifetime: { kind: "whileConnected" } });
  await clock.advance(10);
  alive = ["b"];
  for (let beat = 0; beat < 10; beat++) {
    for (const hear of beats) hear();
    await clock.advance(2_000);
  }
  expect(titles()).toEqual(["one", "one"]);
});

test("a program that was connected to a node which is gone has soon ended", async () => {
  const stream = { ...song("one"), track: { ...song("one").track, durationMs: null } };
  inboxes[0]?.put(ADAS, { playback: stream, lifetime: { kind: "whileConnected" } });
  await clock.advance(10);
  const inbox = await replaceTheFirst();
  await clock.advance(5_000);
  expect(inboxes[1]?.current(ADAS)).toBeNull();
  expect(inbox.current(ADAS)).toBeNull();
});

test("a node that lacks time for a moment reads its inbox all the same", async () => {
  inboxes[0]?.put(ADAS, { playback: song("one"), lifetime: { kind: "untilItsEnd" } });
  const bus = wire.connect("c", clock);
  // It has not heard itself for a second, but nothing was missed.
  const inbox = share({
    ...bus,
    get up() {
      return false;
    },
  });
  bus.restore();
  bus.tell(["hello"]);
  const heard = inbox.watch(ADAS, new AbortController().signal)[Symbol.asyncIterator]().next();
  await clock.advance(1_000);
  expect(await Promise.race([heard, "nothing"])).toMatchObject({ value: { track: { id: "one" } } });
});
