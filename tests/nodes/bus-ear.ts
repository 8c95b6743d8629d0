import { CHANNEL } from "../../src/cluster/postgres/bus.ts";
import { shardOf } from "../../src/cluster/leases.ts";
import { readMessages, type Word } from "../../src/cluster/message.ts";
import type { MessageSeal } from "../../src/cluster/message-seal.ts";
import { openPayload } from "../../src/cluster/payloads.ts";
import { createListener } from "../../src/db/postgres/listener.ts";

/** Hears all that nodes tell each other, and judges it. */
export interface BusEar {
  readonly words: number;
  /** Words of an epoch that is over: every node has to ignore them. */
  readonly late: number;
  /** What must never be, one sentence each. */
  readonly wrongs: readonly string[];
  /** The last two words of a user, for an explanation. */
  lastWordsOf(userId: number): string;
  stop(): Promise<void>;
}

export function openBusEar(url: string, seal: MessageSeal): BusEar {
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
  /** Who has taken a shard in which epoch. */
  const owners = new Map<string, string>();
  const newest = new Map<number, number>();
  const wrongs: string[] = [];
  const lastWords = new Map<number, readonly string[]>();
  let words = 0;
  let late = 0;

  const hearTook = (from: string, shard: number, epoch: number) => {
    const name = `shard ${shard} in epoch ${epoch}`;
    const owner = owners.get(name);
    if (owner !== undefined && owner !== from) wrongs.push(`${name} has two owners`);
    if (epoch <= (newest.get(shard) ?? 0) && owner !== from) wrongs.push(`${name} comes too late`);
    owners.set(name, from);
    newest.set(shard, Math.max(epoch, newest.get(shard) ?? 0));
  };
  const hearWord = (from: string, userId: number, epoch: number, word: Word) => {
    const shard = shardOf(userId);
    words += 1;
    const said = `${from} in epoch ${epoch}: ${describe(word)}`;
    lastWords.set(userId, [...(lastWords.get(userId) ?? []).slice(-1), said]);
    // What was told while the database was down or started was missed here, too.
    const owner = owners.get(`shard ${shard} in epoch ${epoch}`);
    if (owner !== undefined && owner !== from) {
      wrongs.push(`user ${userId} has words of two nodes in epoch ${epoch}`);
    }
    if (epoch < (newest.get(shard) ?? 0)) late += 1;
    else newest.set(shard, epoch);
  };

  const listener = createListener({
    url,
    channels: {
      [CHANNEL]: (payload) => {
        const { from, messages } = unpack(payload);
        for (const message of messages) {
          if (message[0] === "took") {
            for (const [shard, epoch] of message[1]) hearTook(from, shard, epoch);
          }
          if (message[0] === "word") hearWord(from, message[1], message[2], message[3]);
        }
      },
    },
    onUp() {},
    onDown() {},
  });
  listener.start();
  return {
    get words() {
      return words;
    },
    get late() {
      return late;
    },
    wrongs,
    lastWordsOf: (userId) => (lastWords.get(userId) ?? []).join("; "),
    stop: listener.stop,
  };
}

const describe = ({ connections = [] }: Word): string =>
  connections
    .map(({ delivery, state }) => {
      if (state.kind !== "heard") return `${delivery} ${state.kind}`;
      return `${delivery} ${state.playback ? state.playback.state : "nothing"}`;
    })
    .join(", ");
