import { beforeEach, describe, expect, test } from "bun:test";
import type { Message, Node } from "../../src/cluster/message.ts";
import { createPostgresAdmissions } from "../../src/cluster/postgres/admissions.ts";
import { createPostgresLedgers } from "../../src/cluster/postgres/ledger.ts";
import type { Ledger } from "../../src/sources/polling/ledger.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { inTime } from "../fixtures/clock/waiting.ts";

/** What nodes do with the answers of the database that counts for all of them. */

describe("a grant of calls", () => {
  let clock: FakeClock;
  let answersAfterMs: number;
  let ledger: Ledger;
  let deliver: (message: Message, from: Node) => void;
  beforeEach(() => {
    clock = createFakeClock();
    const pool = {
      async query() {
        await clock.advance(answersAfterMs);
        return [["{2,1,500}"]];
      },
    };
    const bus = {
      node: "me",
      send() {},
      onMessage: (listener: typeof deliver) => void (deliver = listener),
    };
    const ledgers = createPostgresLedgers({ clock, pool, bus, watchedElsewhere: () => 0 });
    ledger = ledgers.ledgerOf({ upstream: "Spotify", limits: [9, 9], windowMs: 1_000 });
  });

  test("counts while it is young, with when there is room again", async () => {
    answersAfterMs = 800;
    expect(await ledger.take([2, 1])).toEqual({ granted: [2, 1], roomInMs: 500 });
  });

  test("that comes late is left unused: its call would fall into another window", async () => {
    answersAfterMs = 801;
    expect((await ledger.take([2, 1])).granted).toEqual([0, 0]);
  });

  test("ends with a pause of this upstream that another node was asked for", () => {
    const pauses: number[] = [];
    ledger.onClose((pauseMs) => pauses.push(pauseMs));
    deliver(["closed", "Spotify", 1_000], "me");
    deliver(["closed", "Last.fm", 2_000], "another");
    expect(pauses).toEqual([]);
    deliver(["closed", "Spotify", 3_000], "another");
    expect(pauses).toEqual([3_000]);
  });
});

describe("admissions", () => {
  test("that are asked for meanwhile are asked for together, each limit by itself", async () => {
    const asked: unknown[] = [];
    const admissions = createPostgresAdmissions({
      async query(_, [callers, everyMs] = []) {
        asked.push([JSON.parse(String(callers)), everyMs]);
        return [["{0,7}"]];
      },
    });
    const waits = await Promise.all([
      admissions.admit("first", 5_000),
      admissions.admit("a", 5_000),
      admissions.admit("b", 5_000),
      admissions.admit("c", 1_000),
    ]);
    expect(asked).toEqual([
      [["first"], 5_000],
      [["a", "b"], 5_000],
      [["c"], 1_000],
    ]);
    expect(waits).toEqual([0, 0, 7, 0]);
  });

  test("are refused at once when the database refuses, and in time when it says nothing", async () => {
    const failing = createPostgresAdmissions({ query: () => Promise.reject(new Error("no room")) });
    await expect(failing.admit("a", 5_000)).rejects.toThrow("no room");
    const silent = createPostgresAdmissions({ query: () => new Promise(() => {}) });
    await expect(inTime("an answer", silent.admit("a", 5_000))).rejects.toThrow(
      "did not answer in time",
    );
  });
});
