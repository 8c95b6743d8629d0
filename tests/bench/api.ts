import { runMarquee } from "../fixtures/servers/marquee-process.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { applyLoad, type LoadResult } from "./load.ts";
import { median, ratio, type Row, startProduct, startReference } from "./measure.ts";

const USERS = 2_000;
const ROUNDS = 5;
const SECONDS = 3;

/** Authenticated now-playing of 2,000 users, against a minimal server with a body of equal size. */
export async function benchApi(): Promise<Row[]> {
  const folder = createTempFolder();
  const names = Array.from({ length: USERS }, (_, index) => `user-${index}`);
  const added = await runMarquee({
    folder: folder.path,
    arguments: ["user", "add", ...names, "--source", "demo", "--json", "--data", folder.path],
  });
  const keys = added.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).api_key as string);
  const product = await startProduct(folder.path, "--rate-limit-seconds", "0");
  const bodies = await Promise.all(
    keys.map(async (key) => {
      const url = `http://127.0.0.1:${product.port}/api/v1/now-playing`;
      return (await fetch(url, { headers: { "X-Api-Key": key } })).text();
    }),
  );
  const reference = await startReference("x".repeat(median(bodies.map((body) => body.length))));

  const rounds: { product: LoadResult; reference: LoadResult }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      reference: await applyLoad(reference.port, keys, SECONDS, folder.path),
      product: await applyLoad(product.port, keys, SECONDS, folder.path),
    });
  }
  await Promise.all([product.stop(), reference.stop()]);
  folder.remove();

  const failures = rounds.reduce((sum, round) => sum + round.product.failures, 0);
  if (failures > 0) throw new Error(`${failures} answers were not 200`);
  const row = (
    what: string,
    goal: string,
    unit: string,
    of: (result: LoadResult) => number,
  ): Row => ({
    what,
    product: `${of0(rounds.map((round) => of(round.product)))} ${unit}`,
    reference: `${of0(rounds.map((round) => of(round.reference)))} ${unit}`,
    ratio: ratio(median(rounds.map((round) => of(round.product) / of(round.reference)))),
    goal,
  });
  return [
    row("now-playing, requests a second", "≥ 0.60", "/s", (result) => result.requestsPerSecond),
    row("now-playing, median latency", "", "ms", (result) => result.p50Ms),
    row("now-playing, p99 latency", "", "ms", (result) => result.p99Ms),
  ];
}

function of0(values: readonly number[]): string {
  const value = median(values);
  return value >= 100 ? String(Math.round(value)) : value.toFixed(3);
}
