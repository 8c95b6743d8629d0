import { processorShare, quantile } from "./measure.ts";

/** Requests that come at a steady pace, whether those before were answered or not. */
export interface SteadyLoad {
  readonly server: { readonly port: number; readonly pid: number };
  readonly perSecond: number;
  /** What comes first is not measured. */
  readonly warmUpSeconds: number;
  readonly measuredSeconds: number;
  /** The whole text of a request, by the number of those before. */
  request(index: number): string;
}

export interface SteadyResult {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Less than was wanted if the client could not keep the pace. */
  readonly answersPerSecond: number;
  /** Answers other than 200, and requests without an answer. */
  readonly failures: number;
  /** Of one core, that the server took. */
  readonly processorShare: number;
}

const CONNECTIONS = 128;
/** So long after the last request, what was not answered counts as lost. */
const PATIENCE_MS = 5_000;

/** By so much requests may be behind the pace. */
const MOST_LATE_MS = 100;

interface Sent {
  readonly text: string;
  /** When it was its turn: a request that waits for a free connection is already late. */
  readonly atMs: number;
}

/** What is on a connection. */
interface Line {
  sent: Sent | undefined;
}

/** Requests JSON of a server on this machine. */
export async function applySteadyLoad(load: SteadyLoad): Promise<SteadyResult> {
  const { perSecond, warmUpSeconds, measuredSeconds } = load;
  const latencies: number[] = [];
  let measuredFromMs = Infinity;
  let answered = 0;
  let measuredWell = 0;
  const lines = await openLines(load.server.port, ({ atMs }, isOk) => {
    answered += 1;
    if (atMs < measuredFromMs) return;
    if (isOk) measuredWell += 1;
    latencies.push(performance.now() - atMs);
  });

  const share = processorShare(load.server.pid, warmUpSeconds, measuredSeconds);
  const most = perSecond * (warmUpSeconds + measuredSeconds);
  let startedAtMs = performance.now();
  measuredFromMs = startedAtMs + warmUpSeconds * 1_000;
  for (let made = 0; made < most;) {
    // A client that was held up goes on later: otherwise its next calls would come too early.
    const lateMs = performance.now() - startedAtMs - (made / perSecond) * 1_000;
    startedAtMs += Math.max(0, lateMs - MOST_LATE_MS);
    const passedSeconds = (performance.now() - startedAtMs) / 1_000;
    const due = Math.min(most, Math.floor(passedSeconds * perSecond));
    while (made < due) lines.send({ text: load.request(made++), atMs: performance.now() });
    await Bun.sleep(1);
  }
  const processor = await share;
  const answersPerSecond = (latencies.length / (performance.now() - measuredFromMs)) * 1_000;
  const giveUpAtMs = performance.now() + PATIENCE_MS;
  while (answered < most && performance.now() < giveUpAtMs) await Bun.sleep(10);
  lines.close();
  return {
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    answersPerSecond,
    failures: latencies.length - measuredWell + (most - answered),
    processorShare: processor,
  };
}

/** Opens connections that requests are sent on in turn, one at a time on each. */
async function openLines(port: number, onAnswer: (sent: Sent, isOk: boolean) => void) {
  const waiting: Sent[] = [];
  let first = 0;
  const free: Bun.Socket<Line>[] = [];

  const use = (socket: Bun.Socket<Line>) => {
    const next = waiting[first];
    socket.data.sent = next;
    if (!next) return void free.push(socket);
    first += 1;
    if (first === waiting.length) {
      waiting.length = 0;
      first = 0;
    }
    socket.write(next.text);
  };
  const handlers: Bun.SocketHandler<Line> = {
    data(socket, bytes) {
      const { sent } = socket.data;
      // An answer is an object, and fits into one packet.
      if (!sent || bytes.at(-1) !== "}".charCodeAt(0)) throw new Error(`unexpected: ${bytes}`);
      onAnswer(sent, bytes.toString("latin1", 9, 12) === "200");
      use(socket);
    },
    error: (_, error) => {
      throw error;
    },
  };
  for (let opened = 0; opened < CONNECTIONS; opened++) {
    const data: Line = { sent: undefined };
    free.push(await Bun.connect({ hostname: "127.0.0.1", port, socket: handlers, data }));
  }
  return {
    send(sent: Sent) {
      waiting.push(sent);
      // The one that was quiet for longest, so that the server ends none.
      const socket = free.shift();
      if (socket) use(socket);
    },
    close() {
      for (const socket of free) socket.end();
    },
  };
}
