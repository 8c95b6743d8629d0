import { join } from "node:path";
import { freePort } from "../fixtures/clock/waiting.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { connectProgram, sourceHead } from "../fixtures/ingest/broadcasts.ts";
import { FLOODS } from "../fixtures/streams/floods.ts";
import {
  callSteadily,
  GIVEN_BACK_MS,
  type Measured,
  processorShare,
  restingMemoryKib,
  type Row,
  row,
  runCommand,
  startProduct,
} from "./measure.ts";

/** An encoder's parts of 320 kbit/s. */
const PART = Buffer.alloc(1_000, "U");
export const PART_EVERY_MS = 25;
const SECONDS = 200;
const FLOOD_BEGINS_MS = 1_000;
const FLOOD_SECONDS = 5;
const FLOOD_ENDS_MS = 20_000;
const BROADCASTS = 10;

/** What broadcasts cost, and how long requests take beside floods. */
export async function benchBooth(): Promise<Row[]> {
  const folder = createTempFolder();
  const port = freePort();
  const secrets: string[] = [];
  for (let index = 0; index < BROADCASTS; index++) {
    const name = `dj-${index}`;
    await runCommand(folder.path, "user", "add", name);
    const [connected] = await runCommand(folder.path, "connect", name, "broadcast");
    secrets.push(connected?.["secret"] ?? "");
  }
  const product = await startProduct(folder.path, "--broadcast-port", String(port));
  const rows: Row[] = [];
  const cost = async (what: string, goal: string) => {
    const share = await processorShare(product.pid, 5, SECONDS);
    const kib = await restingMemoryKib(product.pid);
    rows.push(
      row(what, `${(share * 100).toFixed(2)} % of a core, ${(kib / 1024).toFixed(1)} MiB`, goal),
    );
  };
  await Bun.sleep(GIVEN_BACK_MS);
  await cost(`${SECONDS} s without a broadcast`, "");
  const [first = "", ...others] = secrets;
  const ends = [await broadcast(port, first)];
  await cost(`${SECONDS} s of a broadcast`, "≤ 0.50 %, as much memory");
  for (const secret of others) ends.push(await broadcast(port, secret));
  await cost(`${SECONDS} s of ${BROADCASTS} broadcasts`, "as much memory");
  for (const end of ends) end();
  for (const { name } of FLOODS) rows.push(await besideFlood(product, port, name, [first]));
  rows.push(await besideFlood(product, port, "tiny songs", secrets));
  rows.push(await besideFlood(product, port, "connections", []));

  await product.stop();
  folder.remove();
  return rows;
}

/** How long a request takes while others flood. */
async function besideFlood(
  { port, pid }: Measured,
  floodedPort: number,
  flood: string,
  secrets: readonly string[],
): Promise<Row> {
  const before = await restingMemoryKib(pid);
  const program = join(import.meta.dir, "booth-flood.ts");
  const flooding = Bun.spawn([process.execPath, program, String(floodedPort), flood, ...secrets], {
    stderr: "inherit",
  });
  await Bun.sleep(FLOOD_BEGINS_MS);
  const [p99, longest] = await callSteadily(`http://127.0.0.1:${port}/livez`, "", FLOOD_SECONDS);
  flooding.kill();
  await flooding.exited;
  // What it has sent is read to its end.
  await Bun.sleep(FLOOD_ENDS_MS);
  const moreMib = ((await restingMemoryKib(pid)) - before) / 1024;
  return row(
    `/livez beside ${flood}${secrets.length > 1 ? `, ${secrets.length} at once` : ""}: p99, longest, memory after`,
    `${p99.toFixed(1)} ms, ${longest.toFixed(1)} ms, ${moreMib.toFixed(1)} MiB more`,
    "≤ 20 ms, as much memory",
  );
}

/** Sends audio at its pace; what is returned ends it. */
export async function broadcast(port: number, secret: string): Promise<() => void> {
  const program = await connectProgram(port, sourceHead(secret));
  await program.status();
  const timer = setInterval(() => program.send(PART), PART_EVERY_MS);
  return () => {
    clearInterval(timer);
    program.hangUp();
  };
}
