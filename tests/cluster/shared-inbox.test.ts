import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createInbox, type Inbox } from "../../src/ingest/inbox.ts";
import { NotStoredError } from "../../src/cluster/report-store.ts";
import { shareInbox } from "../../src/cluster/shared-inbox.ts";
import { createReportRows, type ReportRows } from "../fixtures/cluster/report-rows.ts";
import { createWire, type Wire, type WireBus } from "../fixtures/cluster/wire.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const ADAS = 4;

interface TestNode {
  readonly name: string;
  readonly bus: WireBus;
  readonly inbox: Inbox;
  readonly kept: string[];
  readonly leases: { lapses: number };
}

let clock: FakeClock;
let wire: Wire;
let table: ReportRows;
let nodes: TestNode[];
let alive: string[];
let beats: (() => void)[];

function start(name: string): TestNode {
  const bus = wire.connect(name, clock);
  const kept: string[] = [];
  const leases = {
    standing: true,
    lapses: 0,
    get nodes() {
      return alive;
    },
    onChange: (listener: () => void) => void beats.push(listener),
  };
  const node: TestNode = {
    name,
    bus,
    kept,
    leases,
    inbox: shareInbox(createInbox(clock), {
      clock,
      log: { error() {} },
      bus,
      table,
      leases,
      artworkFrom: (named) => ({ ...named, load: () => Promise.reject(new Error("not here")) }),
      keep: (_, { key }) => void kept.push(key),
    }),
  };
  bus.restore();
  return node;
}

const at = (index: number): TestNode => {
  const node = nodes[index];
  if (!node) throw new Error(`there is no node ${index}`);
  return node;
};

beforeEach(async () => {
  clock = createFakeClock();
  wire = createWire(() => 1);
  table = createReportRows(clock.monotonicMs);
  alive = ["a", "b"];
  beats = [];
  nodes = alive.map(start);
  await clock.advance(10);
});

const beat = async (times: number) => {
  for (let count = 0; count < times; count++) {
    for (const play of beats) play();
    await clock.advance(2_000);
  }
};

const song = (title: string) =>
  aPlayback({
    track: { id: title, title, durationMs: 100_000, explicit: false },
    positionMs: 0,
    observedAtMs: clock.monotonicMs(),
  });
const playing = (title: string) =>
  ({ playback: song(title), lifetime: { kind: "untilItsEnd" } }) as const;
/** Its length is unknown, so it ends only with the program's connection. */
const stream = (title: string) => {
  const playback = song(title);
  const endless = { ...playback, track: { ...playback.track, durationMs: null } };
  return { playback: endless, lifetime: { kind: "whileConnected" } } as const;
};
/** Pushes, and waits for the answer. */
const push = async (node: number, word: Parameters<Inbox["put"]>[1]) => {
  const answered = at(node).inbox.put(ADAS, word);
  let isAnswered = false;
  void answered.finally(() => (isAnswered = true)).catch(() => {});
  for (let step = 0; step < 60 && !isAnswered; step++) await clock.advance(step < 10 ? 1 : 100);
  return answered;
};
/** Bun's `rejects` turns the event loop itself, which is slow where other tests have left sockets. */
const failureOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
const titles = () => nodes.map(({ inbox }) => inbox.current(ADAS)?.track.title);

describe("a report", () => {
  test("is in the inbox of all nodes when its program is answered, until it ends", async () => {
    await push(0, playing("one"));
    expect(at(0).inbox.current(ADAS)?.track.title).toBe("one");
    await clock.advance(2);
    expect(titles()).toEqual(["one", "one"]);
    await clock.advance(116_000);
    expect(titles()).toEqual([undefined, undefined]);
  });

  test("counts if it was the last one, whichever node it came to", async () => {
    await push(0, playing("one"));
    await push(1, playing("two"));
    await clock.advance(2);
    expect(titles()).toEqual(["two", "two"]);
    await push(0, null);
    await clock.advance(2);
    expect(titles()).toEqual([undefined, undefined]);
  });

  test("counts on all nodes or on none, however slow each message is", async () => {
    const pushes = fc.array(fc.record({ node: fc.nat(1), pauseMs: fc.nat(4) }), { maxLength: 12 });
    const delays = fc.array(fc.nat(30), { minLength: 8, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(pushes, delays, async (order, delaysMs) => {
        let turn = 0;
        wire = createWire(() => delaysMs[turn++ % delaysMs.length] ?? 0);
        table = createReportRows(clock.monotonicMs);
        nodes = alive.map(start);
        await clock.advance(100);
        let last: string | undefined;
        const answers = order.map(async ({ node, pauseMs }, index) => {
          await clock.sleep(index * pauseMs, new AbortController().signal);
          last = `song ${index}`;
          await at(node).inbox.put(ADAS, playing(last));
        });
        for (let ms = 0; ms < 400; ms++) await clock.advance(1);
        await Promise.all(answers);
        const [first, second] = titles();
        expect(first).toBe(second);
        if (order.length > 0) expect(first).toBeDefined();
      }),
      { numRuns: 40 },
    );
  });

  test("that is pushed after another one was answered replaces it, at once and for good", async () => {
    for (let pair = 0; pair < 48; pair++) {
      await push(pair % 2, playing(`earlier ${pair}`));
      await push((pair + 1) % 2, playing(`later ${pair}`));
      expect(at((pair + 1) % 2).inbox.current(ADAS)?.track.title).toBe(`later ${pair}`);
      await clock.advance(100);
      expect(titles()).toEqual([`later ${pair}`, `later ${pair}`]);
    }
  });

  test("is shortened on all nodes when its program has gone", async () => {
    await push(0, stream("one"));
    void at(0).inbox.shorten(ADAS, 5_000);
    await clock.advance(4_900);
    expect(titles()).toEqual(["one", "one"]);
    await clock.advance(200);
    expect(titles()).toEqual([undefined, undefined]);
  });

  test("is not shortened by a node to which the program no longer reports", async () => {
    await push(0, stream("one"));
    await push(1, stream("two"));
    void at(0).inbox.shorten(ADAS, 5_000);
    await clock.advance(10_000);
    expect(titles()).toEqual(["two", "two"]);
  });

  test("that is still on its way is shortened too", async () => {
    void at(0).inbox.put(ADAS, stream("one"));
    void at(0).inbox.shorten(ADAS, 5_000);
    await clock.advance(4_000);
    expect(titles()).toEqual(["one", "one"]);
    await clock.advance(2_000);
    expect(titles()).toEqual([undefined, undefined]);
  });

  test("that was refused is seen in the dashboard of any node", async () => {
    at(0).inbox.noteRefused(ADAS, "no title");
    await clock.advance(10);
    expect(at(1).inbox.postOf(ADAS).refusal?.reason).toBe("no title");
    at(0).inbox.noteReceived(ADAS);
    await clock.advance(10);
    expect(at(1).inbox.postOf(ADAS).refusal).toBeNull();
  });

  test("waits with others for one statement, and only the last one is stored", async () => {
    const stored: number[] = [];
    const { store } = table;
    table.store = (node, reports) => {
      stored.push(reports.length);
      return store(node, reports);
    };
    const answers = Array.from({ length: 100 }, (_, index) =>
      at(0).inbox.put(ADAS, playing(`song ${index}`)),
    );
    await clock.advance(10);
    await Promise.all(answers);
    expect(stored).toEqual([1, 1]);
    expect(titles()).toEqual(["song 99", "song 99"]);
  });
});

describe("a node that was away", () => {
  test("reads the last reports, for as long as they still count", async () => {
    at(1).bus.cut();
    await push(0, playing("one"));
    await clock.advance(60_000);
    at(1).bus.restore();
    await clock.advance(10);
    expect(titles()).toEqual(["one", "one"]);
    await clock.advance(54_000);
    expect(titles()).toEqual(["one", "one"]);
    await clock.advance(2_000);
    expect(titles()).toEqual([undefined, undefined]);
  });

  test("reads that nothing plays any more", async () => {
    await push(0, playing("one"));
    at(0).bus.cut();
    await push(1, null);
    at(0).bus.restore();
    await clock.advance(10);
    expect(titles()).toEqual([undefined, undefined]);
  });

  test("is not believed before it has read what it missed", async () => {
    await push(1, playing("one"));
    at(1).bus.cut();
    await push(0, playing("two"));
    at(1).bus.restore();
    const watching = at(1).inbox.watch(ADAS, new AbortController().signal)[Symbol.asyncIterator]();
    const first = watching.next();
    await clock.advance(1_000);
    expect((await first).value?.track.title).toBe("two");
  });

  test("does not replace what is newer with what it received before", async () => {
    table.isReachable = false;
    expect(await failureOf(push(0, playing("old")))).toBeInstanceOf(NotStoredError);
    table.isReachable = true;
    await clock.advance(2_000);
    await push(1, playing("new"));
    await clock.advance(2_000);
    at(0).bus.cut();
    at(0).bus.restore();
    await clock.advance(1_000);
    expect(titles()).toEqual(["new", "new"]);
  });

  test("keeps an answer from a program until nobody's end can lose the report", async () => {
    let isAnswered = false;
    void at(0)
      .inbox.put(ADAS, playing("one"))
      .then(() => (isAnswered = true));
    await settle();
    expect(isAnswered).toBe(false);
    expect(at(0).inbox.current(ADAS)).toBeNull();
    await clock.advance(2);
    expect(isAnswered).toBe(true);
  });
});

describe("while the database cannot be reached", () => {
  test("a program gets an error, and its report is stored once it is back", async () => {
    table.isReachable = false;
    expect(await failureOf(push(0, playing("one")))).toBeInstanceOf(NotStoredError);
    table.isReachable = true;
    at(0).bus.cut();
    at(0).bus.restore();
    await clock.advance(10);
    expect(titles()).toEqual(["one", "one"]);
  });

  test("a report that no node gets is not answered with success", async () => {
    at(0).bus.cut();
    expect(await failureOf(push(0, playing("one")))).toBeInstanceOf(NotStoredError);
  });

  test("what a crash has lost is stored again by the node that received it", async () => {
    await push(0, playing("one"));
    await clock.advance(10);
    table.crash();
    for (const { bus } of nodes) {
      bus.cut();
      bus.restore();
    }
    await clock.advance(100);
    nodes.push(start("c"));
    await clock.advance(100);
    expect(titles()).toEqual(["one", "one", "one"]);
  });
});

test("what a crash has lost is stored again although the node that received it is gone", async () => {
  await push(0, playing("one"));
  await clock.advance(10);
  at(0).bus.cut();
  alive = ["b"];
  table.crash();
  at(1).bus.cut();
  at(1).bus.restore();
  await clock.advance(100);
  nodes = [at(1), start("c")];
  await clock.advance(100);
  expect(titles()).toEqual(["one", "one"]);
});

describe("a node that ends", () => {
  test("takes no report with it that was answered, whoever ends after it", async () => {
    await push(0, playing("one"));
    at(0).bus.cut();
    alive = ["b", "c"];
    nodes = [at(1), start("c")];
    await clock.advance(10);
    at(0).bus.cut();
    nodes = [at(1), start("d")];
    await clock.advance(10);
    at(0).bus.cut();
    nodes = [at(1), start("e")];
    await clock.advance(10);
    expect(at(1).inbox.current(ADAS)?.track.title).toBe("one");
  });

  test("ends what counted because a program was connected to it", async () => {
    await push(0, stream("one"));
    await clock.advance(10);
    at(0).bus.cut();
    alive = ["b", "c"];
    nodes = [at(1), start("c")];
    await clock.advance(10);
    await beat(3);
    expect(titles()).toEqual(["one", "one"]);
    await clock.advance(5_000);
    expect(titles()).toEqual([undefined, undefined]);
  });

  test("and returns in time keeps what programs are connected to", async () => {
    await push(0, stream("one"));
    await clock.advance(10);
    alive = ["b"];
    await beat(1);
    alive = ["a", "b"];
    await beat(8);
    expect(titles()).toEqual(["one", "one"]);
  });

  test("and returns late says again what programs are connected to", async () => {
    await push(0, stream("one"));
    await clock.advance(10);
    alive = ["b"];
    await beat(8);
    expect(titles()).toEqual(["one", undefined]);
    alive = ["a", "b"];
    at(0).leases.lapses += 1;
    await beat(1);
    expect(titles()).toEqual(["one", "one"]);
  });
});

test("a cover is kept for all by the node that has it, when another one wants it", async () => {
  const playback = song("one");
  const artwork = { key: "picture of one", load: async () => new Uint8Array() };
  const album = { ...playback.album, artworks: [artwork] };
  await push(0, { playback: { ...playback, album }, lifetime: { kind: "untilItsEnd" } });
  expect(at(0).kept).toEqual([]);
  at(1).bus.send(["wanted", 7, "picture of one"]);
  at(1).bus.send(["wanted", 7, "another picture"]);
  await clock.advance(10);
  expect(nodes.map(({ kept }) => kept)).toEqual([["picture of one"], []]);
});
