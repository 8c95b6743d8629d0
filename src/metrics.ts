import type { Clock } from "./clock.ts";
import { createEventLoopDelay, MEASURE_EVERY_MS } from "./event-loop-delay.ts";

/** What a running server counts and measures about itself. */
export type Metrics = Awaited<ReturnType<typeof createMetrics>>;

export type GaugeName = "channels" | "overlays";

const GAUGES: Readonly<Record<GaugeName, string>> = {
  channels: "Users whose music is watched now.",
  overlays: "Overlays that are connected now.",
};

/** In seconds: from the next turn of the event loop to a slowly loaded cover. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** In seconds: from one user who skips often to one of many users. */
const INTERVAL_BUCKETS = [1, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 60];

/** Counts nothing. */
export const noMetrics: Metrics = {
  request() {},
  upstreamCall() {},
  polledAgain() {},
  delivered() {},
  watch() {},
  read: async () => ({ text: "", type: "text/plain" }),
};

/** Loads the metrics library only when metrics are enabled, to save memory. */
export async function createMetrics(version: string, clock: Pick<Clock, "after">) {
  const { Counter, Gauge, Histogram, Registry } = await import("prom-client");
  const { monitorEventLoopDelay } = await import("node:perf_hooks");
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: "marquee_info",
    help: "The version that runs.",
    labelNames: ["version"],
    registers,
  }).set({ version }, 1);
  const requests = new Counter({
    name: "marquee_http_requests_total",
    help: "Requests answered, by route and status.",
    labelNames: ["route", "status"],
    registers,
  });
  const calls = new Counter({
    name: "marquee_upstream_calls_total",
    help: "Calls to upstreams, by source and status; failed when no answer came.",
    labelNames: ["source", "status"],
    registers,
  });
  const intervals = new Histogram({
    name: "marquee_poll_interval_seconds",
    help: "Between two requests for the same user, by source.",
    labelNames: ["source"],
    buckets: INTERVAL_BUCKETS,
    registers,
  });
  const latency = new Histogram({
    name: "marquee_fan_out_seconds",
    help: "From an observation to its being sent to the overlays.",
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const loopDelay = createEventLoopDelay(
    clock,
    monitorEventLoopDelay({ resolution: MEASURE_EVERY_MS }),
  );
  new Gauge({
    name: "marquee_event_loop_delay_seconds",
    help: "How late the event loop was since the reading before, by percentile; not a number at first.",
    // The label `quantile` is for summaries only, which cannot be set.
    labelNames: ["percentile"],
    registers,
    collect() {
      const { median, p99 } = loopDelay();
      this.set({ percentile: "50" }, median);
      this.set({ percentile: "99" }, p99);
    },
  });
  return {
    /** A request was answered. `route` is a route pattern, never the requested address. */
    request: (route: string, status: number) => requests.inc({ route, status }),
    /** A source called its upstream; `outcome` is the status code, or `failed` without an answer. */
    upstreamCall: (source: string, outcome: number | "failed") =>
      calls.inc({ source, status: outcome }),
    /** A source polled a connection again, `afterMs` after the connection's previous poll. */
    polledAgain: (source: string, afterMs: number) => intervals.observe({ source }, afterMs / 1000),
    /** An observation was delivered to the overlays `latencyMs` after it was made. */
    delivered: (latencyMs: number) => latency.observe(latencyMs / 1000),
    /** Sets functions that return current counts. They are called when the metrics are read. */
    watch(gauges: Readonly<Partial<Record<GaugeName, () => number>>>) {
      for (const [name, help] of Object.entries(GAUGES)) {
        const read = gauges[name as GaugeName];
        if (!read) continue;
        new Gauge({
          name: `marquee_${name}`,
          help,
          registers,
          collect() {
            this.set(read());
          },
        });
      }
    },
    /** All metrics in Prometheus's text format, with its content type. */
    read: async () => ({ text: await registry.metrics(), type: registry.contentType as string }),
  };
}
