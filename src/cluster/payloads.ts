import { type Message, type Node, readMessages } from "./message.ts";

/** PostgreSQL takes 7,999 bytes a notice. The rest is for the payload's head. */
const MOST_BYTES = 7_900;

/** Packs messages into payloads of limited size. One that is too large is told in pieces. */
export interface Packer {
  pack(messages: readonly Message[]): string[];
}

/**
 * Each payload begins with the sender, a number of its own (PostgreSQL drops a notice that equals
 * another of its transaction), and whether more of the same text follows.
 */
export function createPacker(node: Node): Packer {
  const buffer = new Uint8Array(MOST_BYTES);
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let number = 0;
  const payload = (text: string, hasMore: boolean) => {
    number += 1;
    return `${node} ${number} ${hasMore ? "+" : "."}${text}`;
  };

  /** Cuts between characters. */
  const piecesOf = (text: string): string[] => {
    const pieces: string[] = [];
    for (let rest = text; rest !== "";) {
      const { read, written } = encoder.encodeInto(rest, buffer);
      pieces.push(decoder.decode(buffer.subarray(0, written)));
      rest = rest.slice(read);
    }
    return pieces;
  };

  return {
    pack(messages) {
      const payloads: string[] = [];
      let texts: string[] = [];
      let bytes = 2;
      const finish = () => {
        if (texts.length > 0) payloads.push(payload(`[${texts.join(",")}]`, false));
        texts = [];
        bytes = 2;
      };
      for (const message of messages) {
        const text = JSON.stringify(message);
        const length = Buffer.byteLength(text) + 1;
        if (bytes + length > MOST_BYTES) finish();
        if (length + 2 > MOST_BYTES) {
          const pieces = piecesOf(`[${text}]`);
          pieces.forEach((piece, index) =>
            payloads.push(payload(piece, index < pieces.length - 1)),
          );
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

const HEAD = /^(\S+) (\d+) ([+.])/;

/** Reads payloads of all nodes, and puts pieces together. */
export function createUnpacker(): (payload: string) => { from: Node; messages: Message[] } {
  const pieces = new Map<Node, { readonly number: number; readonly text: string }>();
  return (payload) => {
    const [head = "", from = "", digits, more] = HEAD.exec(payload) ?? [];
    if (head === "") return { from, messages: [] };
    const number = Number(digits);
    const before = pieces.get(from);
    const text = (before?.number === number - 1 ? before.text : "") + payload.slice(head.length);
    if (more === "+") pieces.set(from, { number, text });
    else pieces.delete(from);
    return { from, messages: more === "+" ? [] : readMessages(text) };
  };
}
