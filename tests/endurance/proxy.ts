import type { Socket } from "bun";

/** What a proxy does with what passes through it. */
export type Mode = "passes" | "is dead" | "is half-open" | "drips" | "lies";

/** A proxy between two programs of this machine that misbehaves when it is told to. */
export interface Proxy {
  readonly port: number;
  /** How many connections pass through it now. */
  open(): number;
  mode(next: Mode): void;
  /** Ends the connections that are open. */
  dropAll(): void;
  /** Ends those through which nothing came for so long, as proxies do. Returns how many. */
  dropIdle(sinceMs: number): number;
  stop(): void;
}

interface Pair {
  other: Socket<Pair> | undefined;
  /** What waits until the other side is there, or takes more. */
  waiting: Buffer[];
  /** When something came from either side, of `performance.now()`. */
  usedAtMs: number;
}

const DRIP_EVERY_MS = 20;

export function startProxy(target: { readonly hostname: string; readonly port: number }): Proxy {
  let mode: Mode = "passes";
  const clients = new Set<Socket<Pair>>();

  const flush = (to: Socket<Pair> | undefined, pair: Pair) => {
    while (to && pair.waiting[0]) {
      const [bytes] = pair.waiting;
      const written = to.write(bytes);
      if (written < bytes.length) {
        pair.waiting[0] = bytes.subarray(Math.max(0, written));
        return;
      }
      pair.waiting.shift();
    }
  };
  const end = (socket: Socket<Pair>) => {
    clients.delete(socket);
    socket.data.other?.end();
  };
  const drips: { readonly to: Socket<Pair>; readonly bytes: Buffer }[] = [];
  const dripping = setInterval(() => {
    for (const drip of drips.splice(0)) {
      drip.to.write(drip.bytes.subarray(0, 1));
      const bytes = drip.bytes.subarray(1);
      if (bytes.length > 0 && clients.has(drip.to)) drips.push({ to: drip.to, bytes });
    }
  }, DRIP_EVERY_MS);

  const listener = Bun.listen<Pair>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = { other: undefined, waiting: [], usedAtMs: performance.now() };
        if (mode === "is dead") return void socket.end();
        clients.add(socket);
        void Bun.connect<Pair>({
          ...target,
          socket: {
            open(upstream) {
              upstream.data = { other: socket, waiting: [], usedAtMs: performance.now() };
              socket.data.other = upstream;
              flush(upstream, socket.data);
            },
            data(upstream, chunk) {
              const bytes = Buffer.from(chunk);
              socket.data.usedAtMs = performance.now();
              if (mode === "is half-open") return;
              if (mode === "drips") return void drips.push({ to: socket, bytes });
              upstream.data.waiting.push(mode === "lies" ? bytes.fill(0x7b) : bytes);
              flush(socket, upstream.data);
            },
            drain: (upstream) => flush(upstream, socket.data),
            close: () => void socket.end(),
            error: () => void socket.end(),
          },
        }).catch(() => socket.end());
      },
      data(socket, chunk) {
        socket.data.usedAtMs = performance.now();
        socket.data.waiting.push(Buffer.from(chunk));
        flush(socket.data.other, socket.data);
      },
      drain(socket) {
        const { other } = socket.data;
        if (other) flush(socket, other.data);
      },
      close: end,
      error: end,
    },
  });
  const dropAll = () => {
    for (const socket of [...clients]) socket.end();
  };
  return {
    port: listener.port,
    open: () => clients.size,
    mode(next) {
      mode = next;
      // What is open would go on as before.
      if (next === "is dead" || next === "passes") dropAll();
    },
    dropAll,
    dropIdle(sinceMs) {
      const idle = [...clients].filter(({ data }) => performance.now() - data.usedAtMs > sinceMs);
      for (const socket of idle) socket.end();
      return idle.length;
    },
    stop() {
      clearInterval(dripping);
      dropAll();
      listener.stop(true);
    },
  };
}
