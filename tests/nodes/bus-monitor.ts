import { CHANNEL } from "../../src/cluster/postgres/outgoing.ts";
import { shardOf } from "../../src/cluster/leases.ts";
import { readMessages, type UserReport } from "../../src/cluster/message.ts";
import type { MessageSeal } from "../../src/cluster/message-seal.ts";
import { openPayload } from "../../src/cluster/payloads.ts";
import { createListener } from "../../src/db/postgres/listener.ts";

/** Receives all that nodes send each other, and judges it. */
export interface BusMonitor {
  readonly reports: number;
  /** Reports of a term that is over: every node has to ignore them. */
  readonly late: number;
  /** What must never be, one sentence each. */
  readonly wrongs: readonly string[];
  /** The last two reports of a user, for an explanation. */
  lastReportsOf(userId: number): string;
  stop(): Promise<void>;
}

export function openBusMonitor(url: string, seal: MessageSeal): BusMonitor {
  /** The begun text of each node. */
  const pieces = new Map<string, string>();
  const unpack = (payload: string) => {
    const opened = openPayload(seal, payload);
    if (!opened) return { from: "", messages: [] };
    const { from, hasMore } = opened;
    const text = (pieces.get(from) ?? "") + opened.text;
    pieces.set(from, hasMore ? text : "");
    return { from, messages: hasMore ? [] : readMessages(text) };
  };
  /** Who holds a shard in which term. */
  const holders = new Map<string, string>();
  const newest = new Map<number, number>();
  const wrongs: string[] = [];
  const lastReports = new Map<number, readonly string[]>();
  let reports = 0;
  let late = 0;

  const receiveHolds = (from: string, shard: number, term: number) => {
    const name = `shard ${shard} in term ${term}`;
    const holder = holders.get(name);
    if (holder !== undefined && holder !== from) wrongs.push(`${name} has two holders`);
    if (term <= (newest.get(shard) ?? 0) && holder !== from) wrongs.push(`${name} comes too late`);
    holders.set(name, from);
    newest.set(shard, Math.max(term, newest.get(shard) ?? 0));
  };
  const receiveReport = (from: string, userId: number, term: number, report: UserReport) => {
    const shard = shardOf(userId);
    reports += 1;
    const published = `${from} in term ${term}: ${describe(report)}`;
    lastReports.set(userId, [...(lastReports.get(userId) ?? []).slice(-1), published]);
    // What was sent while the database was down or started was missed here, too.
    const holder = holders.get(`shard ${shard} in term ${term}`);
    if (holder !== undefined && holder !== from) {
      wrongs.push(`user ${userId} has reports of two nodes in term ${term}`);
    }
    if (term < (newest.get(shard) ?? 0)) late += 1;
    else newest.set(shard, term);
  };

  const listener = createListener({
    url,
    channels: {
      [CHANNEL]: (payload) => {
        const { from, messages } = unpack(payload);
        for (const message of messages) {
          if (message[0] === "holds") {
            for (const [shard, term] of message[1]) receiveHolds(from, shard, term);
          }
          if (message[0] === "report") receiveReport(from, message[1], message[2], message[3]);
        }
      },
    },
    onUp() {},
    onDown() {},
  });
  listener.start();
  return {
    get reports() {
      return reports;
    },
    get late() {
      return late;
    },
    wrongs,
    lastReportsOf: (userId) => (lastReports.get(userId) ?? []).join("; "),
    stop: listener.stop,
  };
}

const describe = ({ connections = [] }: UserReport): string =>
  connections
    .map(({ delivery, state }) => {
      if (state.kind !== "reported") return `${delivery} ${state.kind}`;
      return `${delivery} ${state.playback ? state.playback.state : "nothing"}`;
    })
    .join(", ");
