/** What a server counts of itself while it runs. */
export interface Metrics {
  /** A request was answered; the route is a pattern of the route map, never an address. */
  request(route: string, status: number): void;
  /** A source called its upstream; `failed` when no answer came. */
  upstreamCall(source: string, outcome: number | "failed"): void;
  /** A source has polled again, so long after its last poll of the same connection. */
  polledAgain(source: string, afterMs: number): void;
  /** An observation reached the overlays so long after it was made. */
  delivered(latencyMs: number): void;
  /** Called when the metrics are read: how many there are now. */
  watch(gauges: Readonly<Record<GaugeName, () => number>>): void;
  /** Everything in Prometheus's text format, with its content type. */
  read(): Promise<{ readonly text: string; readonly type: string }>;
}

export type GaugeName = "channels" | "overlays";

/** Seconds: from the next turn of the event loop to a cover that took its time. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Seconds: from a user who skips often to one among many. */
const INTERVAL_BUCKETS = [1, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 60];

/** Counts nothing. */
export const noMetrics: Omit<Metrics, "read"> = {
  request() {},
  upstreamCall() {},
  polledAgain() {},
  delivered() {},
  watch() {},
};

/** Loads the library only where metrics are wanted: it takes its share of memory. */
export async function createMetrics(version: string): Promise<Metrics> {
  const { Counter, Gauge, Histogram, Registry } = await import("prom-client");
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
    name: "marquee_look_interval_seconds",
    help: "Between two looks at one listener, by source.",
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
  return {
    request: (route, status) => requests.inc({ route, status }),
    upstreamCall: (source, outcome) => calls.inc({ source, status: outcome }),
    polledAgain: (source, afterMs) => intervals.observe({ source }, afterMs / 1000),
    delivered: (latencyMs) => latency.observe(latencyMs / 1000),
    watch(gauges) {
      const helps: Readonly<Record<GaugeName, string>> = {
        channels: "Users whose music is listened to now.",
        overlays: "Overlays that are connected now.",
      };
      for (const name of ["channels", "overlays"] as const) {
        new Gauge({
          name: `marquee_${name}`,
          help: helps[name],
          registers,
          collect() {
            this.set(gauges[name]());
          },
        });
      }
    },
    read: async () => ({ text: await registry.metrics(), type: registry.contentType }),
  };
}
