import { cpSync, rmSync } from "node:fs";
import { createTempFolder, type TempFolder } from "../fixtures/data/temp-folder.ts";
import { applyLoad, type LoadResult } from "./load.ts";
import {
  type Measured,
  median,
  ratio,
  runCommand,
  startProduct,
  startReference,
} from "./measure.ts";

const USERS = 2_000;
const ROUNDS = 7;
const SECONDS = 2;
const WARM_UP_SECONDS = 3;
const COLD_ROUNDS = 5;
const COLD_SECONDS = 5;

/** A server under load. The first one of a table is what the others are compared with. */
interface Contender {
  readonly name: string;
  readonly keys: readonly string[];
  start(): Promise<Measured>;
}

/** What each layer costs: servers that do ever more, and Marquee. Lines of a table. */
export async function apiLadder(): Promise<string[]> {
  const folder = createTempFolder();
  const copies: string[] = [];
  try {
    const keys = await addUsers(folder);
    const oneKey = keys.slice(0, 1);
    // Several run at once, and a data folder has one server.
    const serverOnCopy = (...flags: string[]) => {
      const copy = `${folder.path}-${copies.length}`;
      cpSync(folder.path, copy, { recursive: true });
      copies.push(copy);
      return () => startProduct(copy, ...flags);
    };
    const unlimited = serverOnCopy("--rate-limit-seconds", "0");
    const body = await typicalBody(unlimited, keys);
    const rung = (name: string): Contender => ({
      name,
      keys,
      start: () => startReference(body, name),
    });
    const empty: Contender = { ...rung("empty"), name: "an empty Bun.serve" };
    const product: Contender = { name: `Marquee, ${USERS} keys`, keys, start: unlimited };
    const warm = await measureWarm(
      [
        empty,
        rung("Elysia instead"),
        rung("+ one header is read"),
        rung("+ two headers are read"),
        rung("+ the API's headers"),
        rung("+ a fresh body"),
        {
          name: "Marquee, one key",
          keys: oneKey,
          start: serverOnCopy("--rate-limit-seconds", "0"),
        },
        product,
        { name: `Marquee, ${USERS} keys, mostly 429`, keys, start: serverOnCopy() },
      ],
      folder,
    );
    const cold = await measureCold([empty, product], folder);
    return [
      ...table(`Warm, ${ROUNDS} rounds of ${SECONDS} s in turn`, warm),
      "",
      ...table(`The first ${COLD_SECONDS} seconds after a start, ${COLD_ROUNDS} rounds`, cold),
    ];
  } finally {
    folder.remove();
    for (const copy of copies) rmSync(copy, { recursive: true });
  }
}

async function addUsers(folder: TempFolder): Promise<string[]> {
  const names = Array.from({ length: USERS }, (_, index) => `user-${index}`);
  const added = await runCommand(folder.path, "user", "add", ...names, "--source", "demo");
  return added.map(({ api_key = "" }) => api_key);
}

/** An answer of Marquee, which the references send too. */
async function typicalBody(
  start: Contender["start"],
  [key = ""]: readonly string[],
): Promise<string> {
  const product = await start();
  const url = `http://127.0.0.1:${product.port}/api/v1/now-playing`;
  const response = await fetch(url, { headers: { "X-Api-Key": key } });
  const body = await response.text();
  await product.stop();
  return body;
}

type Results = ReadonlyMap<Contender, readonly LoadResult[]>;

/** All run at once, each is loaded in turn, and every second round in reverse. */
async function measureWarm(contenders: readonly Contender[], folder: TempFolder): Promise<Results> {
  const running = new Map<Contender, Measured>();
  const results = new Map<Contender, LoadResult[]>();
  const load = (contender: Contender, port: number, seconds: number) =>
    applyLoad(port, contender.keys, seconds, folder.path);
  for (const contender of contenders) {
    const server = await contender.start();
    running.set(contender, server);
    results.set(contender, []);
    await load(contender, server.port, WARM_UP_SECONDS);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const inTurn = round % 2 === 0 ? [...running] : [...running].toReversed();
    for (const [contender, { port }] of inTurn) {
      results.get(contender)?.push(await load(contender, port, SECONDS));
    }
  }
  for (const server of running.values()) await server.stop();
  return results;
}

/** Each is started anew for each round. */
async function measureCold(contenders: readonly Contender[], folder: TempFolder): Promise<Results> {
  const results = new Map<Contender, LoadResult[]>();
  for (let round = 0; round < COLD_ROUNDS; round++) {
    for (const contender of contenders) {
      const server = await contender.start();
      const found = results.get(contender) ?? [];
      results.set(contender, found);
      found.push(await applyLoad(server.port, contender.keys, COLD_SECONDS, folder.path));
      await server.stop();
    }
  }
  return results;
}

function table(title: string, results: Results): string[] {
  const [reference = []] = results.values();
  const lines = [...results].map(([{ name }, found]) => {
    const middle = (of: (result: LoadResult) => number) => median(found.map(of));
    const share = median(
      found.map((one, at) => one.requestsPerSecond / (reference[at]?.requestsPerSecond ?? 0)),
    );
    const p99 = median(found.map((one, at) => one.p99Ms / (reference[at]?.p99Ms ?? 0)));
    const failures = found.reduce((sum, one) => sum + one.failures, 0);
    return `| ${[
      name,
      middle((one) => one.requestsPerSecond).toFixed(0),
      ratio(share),
      middle((one) => one.p50Ms).toFixed(2),
      middle((one) => one.p99Ms).toFixed(2),
      ratio(p99),
      middle((one) => one.p999Ms).toFixed(2),
      failures,
    ].join(" | ")} |`;
  });
  return [
    `| ${title} | requests/s | share | p50 ms | p99 ms | times | p99.9 ms | not 2xx |`,
    "|---|---|---|---|---|---|---|---|",
    ...lines,
  ];
}
