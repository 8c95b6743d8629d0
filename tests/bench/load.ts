import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Answers with another status than 2xx or 3xx, and requests without an answer. */
  readonly failures: number;
}

const CONNECTIONS = 64;

/** Requests now-playing at a port for some seconds, as fast as possible, with the keys in turn. */
export function applyLoad(
  port: number,
  keys: readonly string[],
  seconds: number,
  folder: string,
): Promise<LoadResult> {
  const url = `http://127.0.0.1:${port}/api/v1/now-playing`;
  return Bun.which("wrk")
    ? loadWithWrk(url, keys, seconds, folder)
    : loadWithFetch(url, keys, seconds);
}

async function loadWithWrk(
  url: string,
  keys: readonly string[],
  seconds: number,
  folder: string,
): Promise<LoadResult> {
  const script = join(folder, "load.lua");
  writeFileSync(
    script,
    `local requests, turn = {}, 0
function init()
  for key in ("${keys.join(" ")}"):gmatch("%S+") do
    requests[#requests + 1] = wrk.format("GET", nil, { ["X-Api-Key"] = key })
  end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format("RESULT %f %f %f %f %d", summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency:percentile(99.9) / 1e3, failed))
end
`,
  );
  const child = Bun.spawn(
    [
      "wrk",
      "--threads",
      "1",
      "--connections",
      String(CONNECTIONS),
      "--duration",
      `${seconds}s`,
      "--script",
      script,
      url,
    ],
    { stdout: "pipe", stderr: "inherit" },
  );
  const text = await new Response(child.stdout).text();
  const figures = (/RESULT (.*)/.exec(text)?.[1] ?? "").split(" ").map(Number);
  const [requestsPerSecond, p50Ms, p99Ms, p999Ms, failures] = figures;
  if (
    requestsPerSecond === undefined ||
    p50Ms === undefined ||
    p99Ms === undefined ||
    p999Ms === undefined ||
    failures === undefined
  ) {
    throw new Error(`wrk said:\n${text}`);
  }
  return { requestsPerSecond, p50Ms, p99Ms, p999Ms, failures };
}

async function loadWithFetch(
  url: string,
  keys: readonly string[],
  seconds: number,
): Promise<LoadResult> {
  const latencies: number[] = [];
  let failures = 0;
  let turn = 0;
  const endMs = performance.now() + seconds * 1000;
  const worker = async () => {
    while (performance.now() < endMs) {
      const sentAtMs = performance.now();
      const response = await fetch(url, {
        headers: { "X-Api-Key": keys[turn++ % keys.length] ?? "" },
      });
      await response.arrayBuffer();
      latencies.push(performance.now() - sentAtMs);
      if (response.status !== 200) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  latencies.sort((one, other) => one - other);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    requestsPerSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
    failures,
  };
}
