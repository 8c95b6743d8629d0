import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createVault } from "../../src/vault/vault.ts";
import type { Message } from "../../src/cluster/message.ts";
import { createMessageSeal } from "../../src/cluster/message-seal.ts";
import { createPayloads, type Payloads } from "../../src/cluster/payloads.ts";

const KEY = Buffer.alloc(32, 1).toString("base64");
const ANOTHER_KEY = Buffer.alloc(32, 2).toString("base64");

/** A channel of notices, which a role without any other right can read and write. */
interface Node {
  readonly payloads: Payloads;
  readonly received: Message[];
  missed: number;
  send(...messages: Message[]): void;
}

let nowMs: number;
/** Everything that was ever sent, for whoever wants to send it again. */
let recorded: string[];
let nodes: Map<string, Node>;

function connect(name: string, key = KEY): Node {
  const vault = createVault(key);
  const seal = createMessageSeal(vault, () => nowMs);
  const node: Node = {
    missed: 0,
    received: [],
    send(...messages) {
      for (const payload of node.payloads.pack(messages.map((one) => JSON.stringify(one)))) {
        notify(payload);
      }
    },
    payloads: createPayloads({
      node: name,
      seal,
      monotonicMs: () => nowMs,
      send: (message) => void queue.set(name, [...(queue.get(name) ?? []), message]),
      onMissed: () => (node.missed += 1),
    }),
  };
  nodes.set(name, node);
  node.payloads.reconnect();
  settleAll();
  return node;
}

/** What nodes answer each other waits for a moment, and goes together. */
let queue: Map<string, Message[]>;
function settle(): void {
  while (queue.size > 0) {
    const sending = queue;
    queue = new Map();
    for (const [name, messages] of sending) nodes.get(name)?.send(...messages);
  }
}
let settleAll = settle;
const nodeNamed = (name: string): Node => {
  const node = nodes.get(name);
  if (!node) throw new Error(`there is no node ${name}`);
  return node;
};

function notify(payload: string): void {
  recorded.push(payload);
  for (const { payloads, received } of nodes.values()) {
    received.push(...payloads.unpack(payload).messages);
  }
}

const ask = (userId: number): Message => ["ask", userId];
const send = (node: Node, ...messages: Message[]) => {
  node.send(...messages);
  settle();
};

let a: Node;
let b: Node;

beforeEach(() => {
  nowMs = 0;
  recorded = [];
  queue = new Map();
  nodes = new Map();
  a = connect("a");
  nowMs += 1_000;
  b = connect("b");
});

describe("sealed payloads", () => {
  test("reach all nodes, the sender too, in one order", () => {
    send(a, ask(1), ask(2));
    send(b, ask(3));
    expect(a.received).toEqual([ask(1), ask(2), ask(3)]);
    expect(b.received).toEqual(a.received);
  });

  test("carry any text in pieces that PostgreSQL takes", () => {
    const text = fc.string({ unit: "binary", maxLength: 12_000 });
    fc.assert(
      fc.property(text, (reason) => {
        recorded = [];
        a.received.length = 0;
        send(b, ["post", 1, reason], ask(5));
        expect(a.received).toEqual([JSON.parse(JSON.stringify(["post", 1, reason])), ask(5)]);
        for (const payload of recorded) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
      }),
      { numRuns: 60 },
    );
  });

  test("show nothing to who has no key", () => {
    send(a, ["post", 1, "a very private reason"]);
    expect(recorded.join("\n")).not.toContain("private");
    expect(Buffer.from(recorded.at(-1) ?? "", "base64").toString("latin1")).not.toContain(
      "private",
    );
  });

  test("change nothing when they are altered, wherever", () => {
    send(a, ask(1));
    const payload = recorded.at(-1) ?? "";
    const digit = fc.constantFrom(..."0123456789abcdefABCDEF+/. ");
    b.received.length = 0;
    fc.assert(
      fc.property(fc.nat(payload.length - 1), digit, (place, other) => {
        const next = `a ${Number(payload.split(" ")[1]) + 1} `;
        const forged = payload.slice(0, place) + other + payload.slice(place + 1);
        for (const text of [forged, next + payload.split(" ")[2]]) {
          if (text !== payload) notify(text);
        }
        expect(b.received).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("of another server on the same database change nothing", () => {
    const foreign = connect("c", ANOTHER_KEY);
    a.received.length = 0;
    send(foreign, ask(9));
    expect(a.received).toEqual([]);
    expect(foreign.received).toEqual([ask(9)]);
  });

  test("change nothing when they are sent again", () => {
    send(a, ask(1));
    send(b, ask(2));
    for (const payload of [...recorded]) notify(payload);
    settle();
    expect(a.received).toEqual([ask(1), ask(2)]);
    expect(b.received).toEqual([ask(1), ask(2)]);
  });

  test("of a node that is gone change nothing on one that starts later", () => {
    send(a, ask(1));
    nodes.delete("a");
    const old = [...recorded];
    nowMs += 1_000;
    const late = connect("late");
    for (const payload of old) notify(payload);
    settle();
    expect(late.received).toEqual([]);
  });

  test("that were sent while a node was away change nothing when they are sent again", () => {
    nodes.delete("b");
    send(a, ask(1));
    const meanwhile = recorded.at(-1) ?? "";
    nodes.set("b", b);
    nowMs += 1_000;
    b.payloads.reconnect();
    settle();
    notify(meanwhile);
    settle();
    expect(b.received).toEqual([]);
    send(a, ask(2));
    expect(b.received).toEqual([ask(2)]);
  });

  test("that are replayed for ever make nobody send much", () => {
    nodes.delete("a");
    const late = connect("late");
    const old = recorded.filter((payload) => payload.startsWith("a "));
    const before = recorded.length;
    for (let turn = 0; turn < 200; turn++) {
      for (const payload of old) notify(payload);
      settle();
    }
    const sent = recorded.slice(before).filter((payload) => !payload.startsWith("a "));
    expect(late.received).toEqual([]);
    expect(sent.length).toBeLessThan(10);
  });

  test("of many nodes that start at once greet each other with few messages", () => {
    const before = recorded.length;
    const starting = Array.from({ length: 12 }, (_, index) => `n${index}`);
    // All connect before anybody's greeting is sent.
    const settleNow = settleAll;
    settleAll = () => {};
    for (const name of starting) connect(name);
    settleAll = settleNow;
    settleAll();
    expect(recorded.length - before).toBeLessThan(12 * 12 * 4);
    for (const node of nodes.values()) node.received.length = 0;
    for (const name of starting) send(nodeNamed(name), ask(1));
    for (const node of nodes.values()) expect(node.received).toHaveLength(12);
  });

  test("that came before a node was known are asked for again", () => {
    nodes.delete("b");
    nowMs += 1_000;
    nodes.set("b", b);
    b.payloads.reconnect();
    queue.clear();
    nowMs += 1_000;
    send(a, ask(1));
    expect(b.received).toEqual([]);
    expect(b.missed).toBe(1);
    send(a, ask(2));
    expect(b.received).toEqual([ask(2)]);
  });
});
