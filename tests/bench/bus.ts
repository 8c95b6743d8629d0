import { readdirSync, readFileSync } from "node:fs";
import { createVault } from "../../src/vault/vault.ts";
import { systemClock } from "../../src/clock.ts";
import { createMessageSeal } from "../../src/cluster/message-seal.ts";
import type { Message } from "../../src/cluster/message.ts";
import { createPostgresBus } from "../../src/cluster/postgres/bus.ts";
import { createListener } from "../../src/db/postgres/listener.ts";
import { createPool } from "../../src/db/postgres/pool.ts";
import { createLog } from "../../src/log.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { isPostgresThere, startCluster } from "../fixtures/postgres/cluster.ts";
import { quantile } from "./measure.ts";

/** A node with its own connections to the database, as each server has them. */
const NODES = 4;
const RATES = [300, 1_200];
const SECONDS = 8;
const SEND_EVERY_MS = 10;
const TICKS_PER_SECOND = 100;

/**
 * What reports between nodes cost: processor time of PostgreSQL, and from sending one until all nodes
 * have received it. Each report is as large as one of a song with two covers.
 */
export async function busTable(): Promise<string[]> {
  if (!isPostgresThere) return ["PostgreSQL is not installed."];
  const postgres = await startCluster();
  const url = await postgres.createDatabase();
  const log = createLog({ level: "error", format: "text", write: () => {}, wallMs: Date.now });
  const seal = createMessageSeal(createVault(Buffer.alloc(32).toString("base64")), () => 0);
  const nodes = Array.from({ length: NODES }, (_, at) => {
    const pool = createPool(url, 4);
    const listen: Parameters<typeof createPostgresBus>[0]["listen"] = (options) =>
      createListener({ url, ...options });
    const node = `node-${at}`;
    const bus = createPostgresBus({ clock: systemClock, log, pool, listen, node, seal });
    return { bus, pool };
  });
  await until(() => nodes.every(({ bus }) => bus.up) || undefined);

  const sentAtMs: number[] = [];
  let delaysMs: number[] = [];
  for (const { bus } of nodes) {
    bus.onMessage((message) => {
      if (message[0] !== "report") return;
      delaysMs.push(performance.now() - (sentAtMs[message[1]] ?? NaN));
    });
  }
  const lines = [
    `| reports/s, ${NODES} nodes | PostgreSQL, of a core | delay p50 | p99 | max |`,
    "|---|---|---|---|---|",
  ];
  for (const rate of RATES) {
    delaysMs = [];
    const before = ticksBelow(postgres.pid);
    const beganAtMs = performance.now();
    const count = rate * SECONDS;
    const first = sentAtMs.length;
    while (sentAtMs.length - first < count) {
      const due = Math.min(count, ((performance.now() - beganAtMs) / 1000) * rate);
      while (sentAtMs.length - first < due) {
        const number = sentAtMs.push(performance.now()) - 1;
        nodes[number % NODES]?.bus.send(reportOf(number));
      }
      await Bun.sleep(SEND_EVERY_MS);
    }
    await until(() => delaysMs.length === count * NODES || undefined);
    const seconds = (performance.now() - beganAtMs) / 1000;
    const share = (ticksBelow(postgres.pid) - before) / TICKS_PER_SECOND / seconds;
    const delay = [0.5, 0.99, 1].map((part) => `${quantile(delaysMs, part).toFixed(1)} ms`);
    lines.push(`| ${rate} | ${(share * 100).toFixed(1)} % | ${delay.join(" | ")} |`);
  }
  for (const { bus, pool } of nodes) {
    await bus.close();
    await pool.close();
  }
  await postgres.remove();
  return lines;
}

function reportOf(number: number): Message {
  const artwork = (size: string) => ({
    key: `spotify:https://i.scdn.co/image/${size}${"0123456789abcdef".repeat(2)}`,
    url: `https://i.scdn.co/image/${size}${"0123456789abcdef".repeat(2)}`,
    origin: "spotify",
  });
  const playback = {
    source: "Spotify",
    state: "playing" as const,
    track: { id: "4uLU6hMCjMI75M1A2tKUQC", title: "Paper Lantern", durationMs: 1, explicit: false },
    artists: ["Juniper Vale"],
    album: { name: "Slow Weather", artworks: [artwork("ab67616d0000"), artwork("ab67616d0001")] },
    device: { name: "Kitchen", type: "Speaker", volumePercent: 40 },
    positionMs: 0,
    observedAtMs: 12.5,
    rate: 1,
  };
  const state = { kind: "reported" as const, playback, reportedAtMs: 12.5 };
  const connections = [{ connectionId: number, delivery: "polled" as const, state }];
  return ["report", number, 1, { nowMs: 60_000, watchedSinceMs: 0, onStream: 1, connections }];
}

/** Processor time of a process and its children, in clock ticks. */
function ticksBelow(pid: number): number {
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, fields = ""] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ");
      const [, parent, ...rest] = fields.split(" ");
      if (Number(name) !== pid && Number(parent) !== pid) continue;
      // Fields 14 and 15 of the file, of which the first three are gone here.
      ticks += Number(rest[9]) + Number(rest[10]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks;
}
