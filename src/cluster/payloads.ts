import { createBoundedMap } from "../bounded-map.ts";
import { type Message, type Node, readMessages } from "./message.ts";
import { type MessageSeal, SEAL_BYTES } from "./message-seal.ts";

/** PostgreSQL takes 7,999 bytes a notice. The rest is for the payload's head. */
const MOST_SEALED_BYTES = 7_900;
/** How many bytes of text fit: sealing adds some, and base64 makes four of three. */
const MOST_BYTES = (MOST_SEALED_BYTES / 4) * 3 - SEAL_BYTES;
/** How many nodes are remembered, including those that have left. */
const MOST_NODES = 1_000;
/** How often a node is greeted that sends messages and is not known yet. */
const GREET_EVERY_MS = 200;
/** How many of this node's greetings may still be answered. */
const MOST_GREETINGS = 16;
const MOST_WELCOMED = 10_000;
/** A message of pieces is larger than this only if something is wrong. */
const MOST_UNFINISHED_BYTES = 1024 * 1024;

/** Messages of one node, in the order in which it sent them. */
export interface Received {
  readonly from: Node;
  readonly messages: readonly Message[];
}

/** Makes sealed payloads of messages, and reads those of all nodes. */
export interface Payloads {
  /** Messages as JSON in payloads of limited size. One that is too large goes in pieces. */
  pack(messages: readonly string[]): string[];
  /**
   * The messages of a payload. Nothing comes from one that was forged, altered, sent before, or
   * sealed with another server's key.
   */
  unpack(payload: string): Received;
  /** Begins anew after a time in which messages may have been missed: asks all nodes to answer. */
  reconnect(): void;
}

export interface PayloadsDeps {
  readonly node: Node;
  readonly seal: MessageSeal;
  monotonicMs(): number;
  /** Sends greetings and welcomes. */
  send(message: Message): void;
  /** Is called when messages of a node were left out, because it was not known yet. */
  onMissed(): void;
}

/** A part of what a node has sent. */
export interface OpenedPayload {
  readonly from: Node;
  readonly number: number;
  /** Whether the next payload of the same node continues this text. */
  readonly hasMore: boolean;
  readonly text: string;
}

/** Stands in the clear before what is sealed. */
const headOf = (from: Node, number: number, hasMore: boolean): string =>
  `${from} ${number} ${hasMore ? "+" : "."}`;
const HEAD = /^(\S+) (\d+) ([+.])/;

/** Opens a payload, whoever has sent it, and whenever; `undefined` if it is none of ours. */
export function openPayload(seal: MessageSeal, payload: string): OpenedPayload | undefined {
  const [head = "", from = "", digits, more] = HEAD.exec(payload) ?? [];
  const text = head === "" ? undefined : seal.open(head, payload.slice(head.length));
  return text === undefined
    ? undefined
    : { from, number: Number(digits), hasMore: more === "+", text };
}

/** Greetings and welcomes are for the payloads themselves. */
const isForOthers = ([kind]: Message): boolean => kind !== "greet" && kind !== "welcome";

/**
 * Each payload begins with the sender, a rising number of its own, and whether more of the same text
 * follows. The head is sealed with the text. A number that is not higher than the last one of the
 * same node is ignored, so that nothing can be replayed. A node that connects knows no last numbers:
 * it greets with a random text, and believes a node from the payload on that repeats the text.
 */
export function createPayloads(deps: PayloadsDeps): Payloads {
  const { node, seal, monotonicMs, send, onMissed } = deps;
  const packer = createPacker(node, seal);
  let lastOwn = 0;
  /** The last number of each other node that has welcomed this one. */
  const lastNumbers = createBoundedMap<Node, number>(MOST_NODES);
  const pieces = createBoundedMap<Node, { readonly number: number; readonly text: string }>(
    MOST_NODES,
  );
  const greetings = createBoundedMap<string, true>(MOST_GREETINGS);
  let greetedAtMs = -Infinity;
  /** The last number before the last greeting. */
  let greetedAfter = -1;
  /** A greeting is answered once: a replayed one must not make all nodes talk. */
  const welcomed = createBoundedMap<string, true>(MOST_WELCOMED);
  /** Nodes whose messages were left out. */
  const missed = createBoundedMap<Node, true>(MOST_NODES);

  const greet = () => {
    // One that still waits to be sent greets all who are new by then.
    const nowMs = monotonicMs();
    if (greetedAfter === packer.lastSent && nowMs - greetedAtMs < GREET_EVERY_MS) return;
    greetedAfter = packer.lastSent;
    greetedAtMs = nowMs;
    const greeting = crypto.randomUUID();
    greetings.set(greeting, true);
    send(["greet", greeting]);
  };

  /** Answers greetings. A node that greets for the first time is greeted too. */
  const welcome = (messages: readonly Message[], isKnown: boolean) => {
    for (const message of messages) {
      if (message[0] !== "greet" || welcomed.get(message[1])) continue;
      welcomed.set(message[1], true);
      send(["welcome", message[1]]);
      if (!isKnown) greet();
    }
  };

  /** The messages of a node that is not known: none before it has answered a greeting. */
  const meet = (from: Node, number: number, messages: readonly Message[]): readonly Message[] => {
    if (messages.some((message) => message[0] === "welcome" && greetings.get(message[1]))) {
      lastNumbers.set(from, number);
      if (missed.take(from)) onMissed();
      return messages;
    }
    if (!messages.some((message) => message[0] !== "pulse" && isForOthers(message))) return [];
    missed.set(from, true);
    if (monotonicMs() - greetedAtMs >= GREET_EVERY_MS) greet();
    return [];
  };

  return {
    pack: packer.pack,
    unpack(sealed) {
      const opened = openPayload(seal, sealed);
      if (!opened) return { from: "", messages: [] };
      const { from, number, hasMore } = opened;
      const nothing: Received = { from, messages: [] };
      const last = from === node ? lastOwn : lastNumbers.get(from);
      if (last !== undefined && number <= last) return nothing;
      if (from === node) lastOwn = number;
      else if (last !== undefined) lastNumbers.set(from, number);
      const before = pieces.take(from);
      const text = (before?.number === number - 1 ? before.text : "") + opened.text;
      if (hasMore) {
        if (text.length <= MOST_UNFINISHED_BYTES) pieces.set(from, { number, text });
        return nothing;
      }
      const all = readMessages(text);
      const believed = last === undefined ? meet(from, number, all) : all;
      if (from !== node) welcome(all, lastNumbers.get(from) !== undefined);
      return { from, messages: believed.filter(isForOthers) };
    },
    reconnect() {
      lastOwn = packer.lastSent;
      lastNumbers.clear();
      pieces.clear();
      greetings.clear();
      missed.clear();
      greetedAfter = -1;
      greet();
    },
  };
}

interface Packer extends Pick<Payloads, "pack"> {
  /** The number of the last payload. */
  readonly lastSent: number;
}

function createPacker(node: Node, seal: MessageSeal): Packer {
  const buffer = new Uint8Array(MOST_BYTES);
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let lastSent = 0;

  const payload = (text: string, hasMore: boolean): string => {
    lastSent += 1;
    const head = headOf(node, lastSent, hasMore);
    return head + seal.seal(head, text);
  };

  /** Cuts between characters. */
  const piecesOf = (text: string): string[] => {
    const cut: string[] = [];
    for (let rest = text; rest !== "";) {
      const { read, written } = encoder.encodeInto(rest, buffer);
      cut.push(decoder.decode(buffer.subarray(0, written)));
      rest = rest.slice(read);
    }
    return cut;
  };

  return {
    get lastSent() {
      return lastSent;
    },
    pack(messages) {
      const payloads: string[] = [];
      let texts: string[] = [];
      let bytes = 2;
      const finish = () => {
        if (texts.length > 0) payloads.push(payload(`[${texts.join(",")}]`, false));
        texts = [];
        bytes = 2;
      };
      for (const text of messages) {
        const length = Buffer.byteLength(text) + 1;
        if (bytes + length > MOST_BYTES) finish();
        if (length + 2 > MOST_BYTES) {
          const cut = piecesOf(`[${text}]`);
          cut.forEach((piece, index) => payloads.push(payload(piece, index < cut.length - 1)));
        } else {
          texts.push(text);
          bytes += length;
        }
      }
      finish();
      return payloads;
    },
  };
}
