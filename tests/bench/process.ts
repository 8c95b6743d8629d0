import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import {
  GIVEN_BACK_MS,
  median,
  privateMemoryKib,
  ratio,
  restingMemoryKib,
  type Row,
  runCommand,
  startProduct,
  startReference,
} from "./measure.ts";

const STARTS = 11;

/** Cold start and idle memory. */
export async function benchProcess(): Promise<Row[]> {
  const folder = createTempFolder();
  await runCommand(folder.path, "user", "add", "ada", "--source", "demo");

  const starts: { product: number; reference: number }[] = [];
  const idle: typeof starts = [];
  const idleAlone: typeof starts = [];
  for (let round = 0; round < STARTS; round++) {
    const reference = await startReference();
    const product = await startProduct(folder.path);
    starts.push({ product: product.startedInMs, reference: reference.startedInMs });
    if (round % 4 === 0) {
      await Bun.sleep(GIVEN_BACK_MS);
      idle.push({
        product: await restingMemoryKib(product.pid),
        reference: await restingMemoryKib(reference.pid),
      });
      idleAlone.push({
        product: privateMemoryKib(product.pid),
        reference: privateMemoryKib(reference.pid),
      });
    }
    await Promise.all([product.stop(), reference.stop()]);
  }

  folder.remove();

  const row = (what: string, goal: string, unit: string, rounds: typeof starts): Row => ({
    what,
    product: `${median(rounds.map((round) => round.product)).toFixed(1)} ${unit}`,
    reference: `${median(rounds.map((round) => round.reference)).toFixed(1)} ${unit}`,
    ratio: ratio(median(rounds.map((round) => round.product / round.reference))),
    goal,
  });
  const inMebibytes = (rounds: typeof starts) =>
    rounds.map(({ product, reference }) => ({
      product: product / 1024,
      reference: reference / 1024,
    }));
  return [
    row("cold start to the first 200", "≤ 5", "ms", starts),
    row("idle memory", "≤ 2.0", "MiB", inMebibytes(idle)),
    row("of it in no file", "≤ 12 MiB", "MiB", inMebibytes(idleAlone)),
  ];
}
