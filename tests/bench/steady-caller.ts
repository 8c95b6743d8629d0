import { quantile } from "./measure.ts";

/** Asks an address again and again with a key for some seconds; prints p99 and the longest, in ms. */
const [url = "", key = "", seconds = "1"] = process.argv.slice(2);
const latencies: number[] = [];
const endMs = performance.now() + Number(seconds) * 1_000;
while (performance.now() < endMs) {
  const askedAtMs = performance.now();
  await (await fetch(url, { headers: { "X-Api-Key": key } })).arrayBuffer();
  latencies.push(performance.now() - askedAtMs);
  await Bun.sleep(2);
}
console.log(JSON.stringify([quantile(latencies, 0.99), Math.max(...latencies)]));
