import { beforeEach, describe, expect, test } from "bun:test";
import {
  type Beat,
  createLeases,
  type Leases,
  SHARDS,
  type Standing,
} from "../../src/cluster/leases.ts";
import type { Message, Node } from "../../src/cluster/message.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";

const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);
const HOLDS_MS = 7_000;

/** What the table says to a node that leases these shards, with as many nodes alive. */
const standing = (held: readonly number[], nodes = 1): Standing => ({
  nodes: Array.from({ length: nodes }, (_, at) => ({ name: `node ${at}`, watched: {} })),
  held: new Map(held.map((shard) => [shard, 3])),
  terms: ALL.map(() => 3),
});

let clock: FakeClock;
let beats: Beat[];
let answer: () => Promise<Standing>;
let deliver: (message: Message, from: Node) => void;
let sent: Message[];
let errors: string[];
let changes: number;
let leases: Leases;

const never = () => new Promise<Standing>(() => {});
/** Answers after so long. */
const slowly = (ms: number, says: Standing) => async () => {
  await clock.sleep(ms, new AbortController().signal);
  return says;
};

beforeEach(() => {
  clock = createFakeClock();
  beats = [];
  sent = [];
  errors = [];
  changes = 0;
  answer = async () => standing(ALL);
});

async function begin(): Promise<void> {
  leases = createLeases({
    clock,
    log: { info() {}, error: (message) => void errors.push(message) },
    bus: {
      node: "me",
      onMessage: (listener) => void (deliver = listener),
      send: (message) => void sent.push(message),
    },
    table: {
      beat(beat) {
        beats.push(beat);
        return answer();
      },
      leave: async () => {},
    },
    watched: () => ({}),
  });
  leases.onChange(() => (changes += 1));
  await settle();
}

describe("a lease", () => {
  test("holds for seven seconds from when its beat was sent, a second less than in the table", async () => {
    answer = slowly(2_500, standing(ALL));
    await begin();
    await clock.advance(2_500);
    answer = never;
    expect(leases.termOf(0)).toBe(3);
    await clock.advance(HOLDS_MS - 2_500 - 1);
    expect(leases.termOf(0)).toBe(3);
    const before = changes;
    await clock.advance(1);
    expect(leases.termOf(0)).toBeUndefined();
    expect(leases.held()).toBe(0);
    expect(changes).toBe(before + 1);
  });

  test("whose answer is read after its end is over at once", async () => {
    const delays: number[] = [];
    const { after } = clock;
    clock.after = (ms, call) => {
      delays.push(ms);
      return after(ms, call);
    };
    const { monotonicMs } = clock;
    // The program stands still while the answer is on its way.
    answer = async () => {
      clock.monotonicMs = () => monotonicMs() + HOLDS_MS + 500;
      return standing(ALL);
    };
    await begin();
    expect(leases.termOf(0)).toBeUndefined();
    expect(delays.filter((ms) => ms < 0)).toEqual([]);
  });

  test("is not watched from the moment it is to be given, before the table knows", async () => {
    answer = async () => standing(ALL, 2);
    await begin();
    const watched = ALL.filter((shard) => leases.termOf(shard) !== undefined);
    // A quarter of the half that is too much.
    expect(watched).toHaveLength(SHARDS - 32);
    expect(leases.held()).toBe(SHARDS - 32);
    await clock.advance(0);
    expect(beats[1]?.give).toEqual(ALL.filter((shard) => !watched.includes(shard)));
  });

  test("ends with the release, and a late answer changes nothing", async () => {
    await begin();
    answer = slowly(1_000, standing(ALL));
    void leases.beat();
    void leases.release();
    expect(leases.termOf(0)).toBeUndefined();
    const before = changes;
    await clock.advance(HOLDS_MS * 2);
    expect(leases.termOf(0)).toBeUndefined();
    expect(changes).toBe(before);
  });

  test("that has ended and begun again is a lapse, noticed or not", async () => {
    await begin();
    const before = leases.lapses;
    await clock.advance(4_000);
    expect(leases.lapses).toBe(before);
    answer = () => Promise.reject(new Error("nobody is there"));
    await clock.advance(20_000);
    answer = async () => standing(ALL);
    await clock.advance(2_000);
    expect(leases.lapses).toBe(before + 1);
    expect(errors).toHaveLength(1);
  });
});

describe("a beat", () => {
  test("without an answer fails after three seconds, and another follows", async () => {
    answer = never;
    await begin();
    await clock.advance(2_999);
    expect(beats).toHaveLength(1);
    await clock.advance(501);
    expect(beats).toHaveLength(2);
    expect(errors).toEqual(["the table of leases cannot be reached"]);
  });

  test("that is asked for while one is under way begins after that one", async () => {
    answer = slowly(1_000, standing([]));
    await begin();
    answer = async () => standing([7]);
    const asked = leases.beat();
    await clock.advance(1_000);
    expect(await asked).toBe(true);
    expect(beats).toHaveLength(2);
    expect(leases.termOf(7)).toBe(3);
  });

  test("follows when another node gives shards back, not when this one does", async () => {
    await begin();
    deliver(["resigned"], "me");
    await settle();
    expect(beats).toHaveLength(1);
    deliver(["resigned"], "another");
    await settle();
    expect(beats).toHaveLength(2);
  });
});

test("tells the others what it has taken, and what it has given back", async () => {
  answer = async () => standing([3, 4]);
  await begin();
  expect(sent).toEqual([
    [
      "holds",
      [
        [3, 3],
        [4, 3],
      ],
    ],
  ]);
  answer = async () => standing([3, 4, 5]);
  await clock.advance(2_000);
  expect(sent.slice(1)).toEqual([["holds", [[5, 3]]]]);
  await leases.release();
  expect(sent.at(-1)).toEqual(["resigned"]);
});
