import { createIcyReader } from "../../src/sources/streams/icy.ts";
import { createOggReader } from "../../src/sources/streams/ogg.ts";
import { createHeadReader, LARGEST_HEAD_BYTES } from "../../src/upstream/head.ts";
import { floodOf, FLOODS } from "../fixtures/streams/floods.ts";
import { icyFlood, ICY_FLOODS } from "../fixtures/streams/icy-floods.ts";
import { median, ratio, type Row } from "./measure.ts";

/** What it costs to read streams that no radio sends. The reference reads four megabytes byte by byte. */

const ROUNDS = 16;
const BYTES = new Uint8Array(4 * 1024 * 1024).fill(1);
const ONE_BYTE = BYTES.subarray(0, 1);
let sum = 0;

function readFourMegabytes(): void {
  for (let at = 0; at < BYTES.length; at += 1) sum += BYTES[at] ?? 0;
}

export async function benchFloods(): Promise<Row[]> {
  const ogg = FLOODS.map((flood) => {
    const read = createOggReader();
    const part = floodOf(flood);
    read(flood.beginning);
    return rowOf(`half a megabyte of Ogg: ${flood.name}`, () => read(part), "≤ 12");
  });
  const icy = ICY_FLOODS.map(({ name, block }) => {
    const read = createIcyReader(1);
    const part = icyFlood(block);
    return rowOf(`half a megabyte of ICY: ${name}`, () => read(part), "≤ 20");
  });
  const head = rowOf("a head that comes byte by byte", readSlowHead, "≤ 10");
  return [...ogg, ...icy, head];
}

function readSlowHead(): void {
  const reader = createHeadReader();
  for (let sent = 1; sent < LARGEST_HEAD_BYTES; sent += 1) reader.push(ONE_BYTE);
}

/** Both in alternation, so that a busy machine makes both slower. */
function rowOf(what: string, work: () => unknown, goal: string): Row {
  const rounds = Array.from({ length: ROUNDS }, () => ({
    reference: processorMsOf(readFourMegabytes),
    product: processorMsOf(work),
  }));
  const product = median(rounds.map((round) => round.product));
  const reference = median(rounds.map((round) => round.reference));
  return {
    what,
    product: `${product.toFixed(1)} ms`,
    reference: `${reference.toFixed(1)} ms`,
    ratio: ratio(product / reference),
    goal,
  };
}

/** How long work keeps the processor busy: other programs do not make it longer, as they do on a clock. */
function processorMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
