import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Reading } from "../../src/channels/reading.ts";
import type { WatchedConnection } from "../../src/channels/watcher.ts";
import type { Clock } from "../../src/clock.ts";
import { createTestCluster, type TestNode } from "../fixtures/cluster/test-cluster.ts";
import { createFakeClock } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

/** Whatever befalls the nodes: what two watchers say is never believed in turns. */

const USERS = [3, 4];

const events = ["pause", "resume", "cut", "restore", "cutBus", "crash", "stop", "wait"] as const;
const schedules = fc.array(
  fc.record({
    event: fc.constantFrom(...events),
    node: fc.nat(2),
    thenMs: fc.constantFrom(1, 5, 100, 900, 3_000, 7_001, 9_000, 12_000),
  }),
  { minLength: 1, maxLength: 14 },
);
const delays = fc.array(fc.constantFrom(1, 2, 10, 80, 400, 900), { minLength: 5, maxLength: 20 });

test(
  "no report of an earlier watcher is believed after one of a later watcher",
  async () => {
    await fc.assert(
      fc.asyncProperty(schedules, delays, async (schedule, delaysMs) => {
        const clock = createFakeClock();
        let watchers = 0;
        const running = new Map<string, Set<number>>();
        /** A source that says every second which of all watchers it is. */
        const sourceOn = (node: string): WatchedConnection => ({
          connectionId: 1,
          wasOk: false,
          delivery: "streamed",
          async *watch({ signal, clock: own }) {
            const watcher = ++watchers;
            const mine = running.get(node) ?? new Set();
            running.set(node, mine.add(watcher));
            try {
              for (let turn = 0; !signal.aborted; turn++) {
                yield reportedBy(watcher, turn, own);
                await own.sleep(1_000, signal);
              }
            } finally {
              mine.delete(watcher);
            }
          },
        });
        let turn = 0;
        const cluster = createTestCluster(clock, {
          connectionsOf: (_, node) => [sourceOn(node)],
          delayMs: () => delaysMs[turn++ % delaysMs.length] ?? 1,
        });
        /** Who said what each node believed of each user, in order. */
        const believed: number[][] = [];
        let born = 0;
        const addNode = (): TestNode => {
          const node = cluster.addNode(`node${++born}`);
          for (const userId of USERS) {
            const said: number[] = [];
            believed.push(said);
            node.hub.subscribe(userId, (reading) => {
              const watcher = watcherOf(reading);
              if (watcher !== undefined) said.push(watcher);
            });
          }
          return node;
        };
        const nodes = [addNode(), addNode(), addNode()];
        await clock.advance(5_000);

        for (const { event, node: index, thenMs } of schedule) {
          const node = nodes[index];
          if (!node) continue;
          if (event === "crash" || event === "stop") {
            if (event === "crash") node.crash();
            else await node.stop();
            running.delete(node.name);
            nodes[index] = addNode();
          } else if (event === "cutBus") node.bus.cut();
          else if (event !== "wait") await node[event]();
          await clock.advance(thenMs);
        }
        for (const node of nodes) {
          await node.resume();
          node.restore();
        }
        await clock.advance(60_000);

        for (const said of believed) expect(said).toEqual(said.toSorted((a, b) => a - b));
        // In the end all is well again: one watcher a user, whom every node shows.
        const watching = [...running.values()].flatMap((mine) => [...mine]);
        expect(watching).toHaveLength(USERS.length);
        for (const userId of USERS) {
          const shown = nodes.map(({ hub }) => watcherOf(hub.peek(userId)));
          expect(new Set(shown).size).toBe(1);
          expect(watching).toContain(shown[0] ?? -1);
        }
      }),
      { numRuns: Number(process.env["RUNS"] ?? 10) },
    );
  },
  Number(process.env["RUNS"] ?? 10) * 6_000,
);

const reportedBy = (watcher: number, turn: number, { monotonicMs }: Clock) =>
  aPlayback({
    track: { id: `${watcher} ${turn}`, title: String(watcher), durationMs: null, explicit: false },
    observedAtMs: monotonicMs(),
  });

const watcherOf = (reading: Reading | undefined): number | undefined =>
  reading?.kind === "playback" ? Number(reading.playback.track.title) : undefined;
