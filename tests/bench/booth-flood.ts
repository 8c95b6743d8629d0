import { basic } from "../fixtures/ingest/broadcasts.ts";
import { type Flood, floodOf, FLOODS } from "../fixtures/streams/floods.ts";

/** Floods a port for broadcasts in a process of its own: with audio for each secret, or with connections. */
const [port = "", name = "", ...secrets] = process.argv.slice(2);
const CONNECTIONS = 1_000;

const connectWith = (socket: Bun.SocketHandler<undefined>) =>
  Bun.connect({ hostname: "127.0.0.1", port: Number(port), socket });

function pour(flood: Flood, secret: string): void {
  const block = floodOf(flood, 65_536);
  let rest: Uint8Array = flood.beginning;
  const drain = (socket: Bun.Socket) => {
    for (;;) {
      const written = Math.max(0, socket.write(rest));
      rest = written < rest.length ? rest.subarray(written) : block;
      if (rest !== block) return;
    }
  };
  void connectWith({
    open: (socket) => void socket.write(`SOURCE / HTTP/1.0\r\n${basic(secret)}\r\n`),
    data: drain,
    drain,
  });
}

/** Connects again whenever it is hung up on. */
function connectAgain(): void {
  const again = () => void setImmediate(connectAgain);
  connectWith({
    open: (socket) => void socket.write("x".repeat(6_000)),
    data() {},
    close: again,
    error() {},
  }).catch(again);
}

const flood = FLOODS.find((one) => one.name === name);
if (flood) for (const secret of secrets) pour(flood, secret);
else for (let opened = 0; opened < CONNECTIONS; opened++) connectAgain();
