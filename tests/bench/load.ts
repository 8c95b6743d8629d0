import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses with a status other than 200. */
  readonly failures: number;
}

const CONNECTIONS = 32;

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
  print(string.format("RESULT %f %f %f %d", summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, failed))
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
  const [rate, p50, p99, failures] = (/RESULT (.*)/.exec(text)?.[1] ?? "").split(" ").map(Number);
  if (rate === undefined || p50 === undefined || p99 === undefined || failures === undefined) {
    throw new Error(`wrk said:\n${text}`);
  }
  return { requestsPerSecond: rate, p50Ms: p50, p99Ms: p99, failures };
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
    failures,
  };
}
